"""The look inside: recordings of a few forward passes, and every judge of this room."""

from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass

from torch import Tensor

from ..batches import Batch
from ..calling import Caller, find_logits
from ..clues import INSIDE, Clues
from .attention import Attention, find_attentions
from .embedding import judge_embedding_scale
from .graph import Graph
from .handed_out import judge_handed_out
from .heads import judge_axis, judge_heads, judge_joining
from .marks import read_marks
from .memory import judge_second
from .order import learned_zero_positions, sees_positions
from .patterns import Marked, judge_causal, judge_cross, judge_marks, judge_padding
from .projections import judge_output_projection, judge_scale, judge_value_from_key
from .recorder import Recorder
from .shadow import storage_key
from .sharing import judge_sharing
from .sublayers import Sublayer, find_sublayers, judge_sublayers
from .tokens import Tokens

Step = Callable[..., AbstractContextManager[None]]


@dataclass(eq=False)
class Inside:
    """What the recordings show.

    Attributes:
        clues: of all judges.
        attentions: of the batch without padding.
        graph: of the same.
        result: the operations that made the logits.
        sees_order: of each kind of self-attention, whether word order reaches it.
    """

    clues: Clues
    attentions: list[Attention]
    graph: Graph
    result: tuple[int, ...]
    sees_order: dict[str, bool | None]

    @property
    def kinds(self) -> set[str]:
        """The kinds of attention that could be recorded."""
        return {attention.kind for attention in self.attentions}


def record(caller: Caller, batch: Batch, *, train: bool = False) -> tuple[Recorder, Tensor | None]:
    """One recorded forward pass, and its logits.

    Raises:
        CallFailed: the module raised.
    """
    recorder = Recorder(caller.module, Tokens(batch.src, batch.tgt))
    if train:
        caller.module.train()
    try:
        with recorder.watching():
            returned = caller.returned(batch.src, batch.tgt)
    finally:
        if train:
            caller.module.eval()
    return recorder, find_logits(returned, batch.tgt)


def look_inside(
    caller: Caller, plain: Batch, padded: Batch, pad_id: int, step: Step
) -> Inside | None:
    """Records and judges; None if the module could not be recorded."""
    clues = Clues()
    recorder, logits = record(caller, plain)
    graph, tokens = recorder.graph, Tokens(plain.src, plain.tgt)
    attentions = find_attentions(graph, tokens)
    result = () if logits is None else recorder.writers(logits)
    if not attentions:
        clues.cannot_tell(*INSIDE)
        return Inside(clues, [], graph, result, {})
    sublayers: list[Sublayer] = []
    with step("softmax_axis"):
        judge_axis(attentions, clues)
    with step("heads_mixed"):
        judge_heads(attentions, clues)
        judge_joining(graph, attentions, clues)
    second: list[Attention] = []
    with step("residual_missing", "norm_missing"):
        sublayers = find_sublayers(graph, attentions)
        judge_sublayers(graph, sublayers, result, clues)
    if plain.src is not None:
        with step("cross_reads_target"):
            second = judge_second(attentions, sublayers, clues)
    first = [attention for attention in attentions if attention not in second]
    _judge_all_masks(caller, first, padded, pad_id, clues, step)
    with step("value_from_key"):
        judge_value_from_key(attentions, clues)
    with step("output_projection_missing"):
        judge_output_projection(attentions, clues)
    with step("shared_layers"):
        judge_sharing(attentions, clues)
    with step("embedding_scale"):
        judge_embedding_scale(graph, caller.module, clues)
    with step("weights_after_dropout"):
        training, _ = record(caller, plain, train=True)
        found = find_attentions(training.graph, tokens)
        judge_handed_out(training, found, caller.module, clues)
    caller.state.restore()
    sees_order: dict[str, bool | None] = {}
    with step("no_positions"):
        sees_order = _order(caller, plain, graph, attentions)
    return Inside(clues, attentions, graph, result, sees_order)


def _judge_all_masks(
    caller: Caller,
    attentions: list[Attention],
    padded: Batch,
    pad_id: int,
    clues: Clues,
    step: Step,
) -> None:
    marked = [Marked(attention, read_marks(attention)) for attention in attentions]
    with step("future_leak", "causal_off_by_one", "mask_inverted"):
        judge_causal(marked, clues)
    with step("scale_missing", "scale_inverted"):
        judge_scale(marked, clues)
    hollow: list[Marked] = []
    if padded.src is not None:
        with step("padding_attended", "cross_mask_wrong"):
            judge_cross(marked, clues)
            recorder, _ = record(caller, padded)
            found = find_attentions(recorder.graph, Tokens(padded.src, padded.tgt))
            hollow = [Marked(attention, read_marks(attention)) for attention in found]
            judge_padding(hollow, pad_id, clues)
    with step("mask_after_softmax", "mask_value_too_small"):
        judge_marks([*marked, *hollow], clues)


def _order(
    caller: Caller, plain: Batch, graph: Graph, attentions: list[Attention]
) -> dict[str, bool | None]:
    swapped = plain.swapped("tgt", 1, 2)
    if plain.src is not None:
        swapped = swapped.swapped("src", 1, 2)
    recorder, _ = record(caller, swapped)
    found = find_attentions(recorder.graph, Tokens(swapped.src, swapped.tgt))
    learned = {storage_key(p) for p in caller.module.parameters() if p.requires_grad}
    sees: dict[str, bool | None] = {}
    for kind in ("encoder_self", "decoder_self"):
        answer = sees_positions((graph, recorder.graph), (attentions, found), kind, (1, 2))
        if answer is False and learned_zero_positions(graph, learned):
            answer = True
        sees[kind] = answer
    return sees
