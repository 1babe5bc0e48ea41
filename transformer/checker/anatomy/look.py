"""The look inside: recordings of a few forward passes, and every judge of this room."""

from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass

from torch import Tensor

from ...eyes.attention import Attention, find_attentions
from ...eyes.batches import Batch
from ...eyes.calling import Caller
from ...eyes.graph import Graph
from ...eyes.heads_in_rows import unfold_heads
from ...eyes.logits import candidates, find_logits
from ...eyes.parts import by_sides, of_tokens
from ...eyes.recorder import Recorder
from ...eyes.tokens import Tokens
from ..basis.clues import INSIDE, Clues
from .embedding import judge_embedding_scale
from .feed_forward import find_feed_forwards, judge_activation
from .handed_out import hands_out_weights, judge_handed_out
from .marks import Marks, read_marks
from .memory import judge_second
from .norms import judge_inverted
from .parameters import judge_made_in_forward, judge_unused, learned_storages
from .patterns import (
    hides_padding,
    judge_causal,
    judge_causal_encoder,
    judge_cross,
    judge_marks,
    judge_padding,
)
from .positions import judge_positions_twice
from .projections import (
    judge_key_from_query,
    judge_output_projection,
    judge_scale,
    judge_value_from_key,
)
from .residuals import judge_sublayers
from .sharing import judge_sharing
from .shuffled_heads import judge_heads, judge_joining
from .softmax_axis import judge_axis
from .sublayers import Sublayer, find_sublayers
from .trained import judge_gradients, judge_registered
from .word_order import learned_zero_positions, sees_positions, turned_by_position

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
        cross_hears: whether what cross-attention reads changes with the source.
        hides_padding: whether some attention hides padding from words.
    """

    clues: Clues
    attentions: list[Attention]
    graph: Graph
    result: tuple[int, ...]
    sees_order: dict[str, bool | None]
    cross_hears: bool = False
    hides_padding: bool = False

    @property
    def kinds(self) -> set[str]:
        """The kinds of attention that could be recorded."""
        return {part.kind for whole in self.attentions for part in by_sides(whole)}


@dataclass(eq=False)
class Recording:
    """One recorded forward pass.

    Attributes:
        recorder: with its graph.
        logits: None if there were none.
        result: the operations that made them.
        returned: the operations that made anything that was returned.
        attentions: all of them, of the batch's own tokens.
    """

    recorder: Recorder
    logits: Tensor | None
    result: tuple[int, ...]
    returned: tuple[int, ...]
    attentions: list[Attention]


def record(caller: Caller, batch: Batch, *, train: bool = False) -> Recording:
    """Records one forward pass.

    Raises:
        CallFailed: the module raised.
    """
    tokens = Tokens.of(batch)
    recorder = Recorder(caller.module, tokens)
    if train:
        caller.module.train()
    try:
        with recorder.watching():
            returned = caller.returned(batch)
    finally:
        caller.settle()
    logits = find_logits(returned, batch, caller.vocab)
    attentions = [
        of_tokens(unfold_heads(attention)) for attention in find_attentions(recorder.graph, tokens)
    ]
    # What call= leaves out of what the module itself returns is returned all the same.
    whole = [*candidates(returned), *(t for name, _, t in recorder.handed if not name)]
    return Recording(
        recorder,
        logits,
        () if logits is None else recorder.writers(logits),
        tuple(index for tensor in whole for index in recorder.writers(tensor)),
        [attention for attention in attentions if attention is not None],
    )


def look_inside(
    caller: Caller, plain: Batch, padded: Batch, pad_id: int, step: Step
) -> Inside | None:
    """Records and judges; None if the module could not be recorded."""
    clues = Clues()
    recording = record(caller, plain)
    graph, attentions = recording.recorder.graph, recording.attentions
    inside = Inside(clues, attentions, graph, recording.result, {})
    hands_out = hands_out_weights(recording.recorder, attentions, caller.module)
    with step("made_in_forward"):
        judge_made_in_forward(graph, clues)
    with step("parameter_unused", "layers_not_run"):
        _judge_parameters(caller, recording, clues)
    behind = graph.behind(recording.result)
    with step("not_registered"):
        judge_registered(graph, caller.module, behind, clues)
    with step("gradient_cut"):
        judge_gradients(graph, caller, plain, recording.result, clues)
    with step("norm_inverted"):
        judge_inverted(graph, behind, clues)
    if not attentions:
        clues.cannot_tell("no_attention", *INSIDE)
        return inside
    sublayers: list[Sublayer] = []
    with step("softmax_axis"):
        judge_axis(attentions, clues)
    with step("heads_mixed"):
        judge_heads(attentions, clues)
        judge_joining(graph, attentions, clues)
    second: list[Attention] = []
    with step("residual_missing", "residual_from_norm", "norm_missing", "activation_missing"):
        networks = find_feed_forwards(graph, attentions)
        judge_activation(networks, clues)
        sublayers = find_sublayers(graph, attentions, networks)
        judge_sublayers(graph, sublayers, recording.result, clues)
    if plain.src is not None:
        with step("cross_reads_target"):
            second = judge_second(graph, attentions, sublayers, recording.result, clues)
    first = [attention for attention in attentions if attention not in second]
    inside.hides_padding = _judge_all_masks(caller, first, padded, pad_id, clues, step)
    with step("value_from_key", "key_from_query"):
        judge_value_from_key(attentions, caller.module, clues)
        judge_key_from_query(attentions, caller.module, clues)
    with step("output_projection_missing"):
        judge_output_projection(attentions, clues)
    with step("shared_layers"):
        judge_sharing(attentions, clues)
    with step("embedding_scale", "positions_twice"):
        judge_embedding_scale(graph, caller.module, clues)
        judge_positions_twice(graph, clues)
    with step("weights_after_dropout"):
        if hands_out:
            training = record(caller, plain, train=True)
            judge_handed_out(training.recorder, training.attentions, caller.module, clues)
    caller.state.restore()
    with step("no_positions"):
        swapped = plain.swapped("tgt", 1, 2)
        if plain.src is not None:
            swapped = swapped.swapped("src", 1, 2)
        other = record(caller, swapped)
        inside.sees_order = _order(caller, recording, other)
        inside.cross_hears = _hears(attentions, other.attentions)
    return inside


def _judge_parameters(caller: Caller, recording: Recording, clues: Clues) -> None:
    graph = recording.recorder.graph
    if recording.logits is None or not recording.returned:
        clues.cannot_tell("no_trail", "parameter_unused", "layers_not_run")
        return
    behind = graph.behind(recording.returned)
    judge_unused(graph, caller.module, recording.attentions, behind, clues)


def _mark(attentions: list[Attention]) -> list[Marks]:
    return [read_marks(part) for whole in attentions for part in by_sides(whole)]


def _judge_all_masks(
    caller: Caller,
    attentions: list[Attention],
    padded: Batch,
    pad_id: int,
    clues: Clues,
    step: Step,
) -> bool:
    """All masks; whether some attention hides padding from words."""
    marked = _mark(attentions)
    with step("future_leak", "causal_off_by_one", "mask_inverted"):
        judge_causal(marked, clues)
    with step("scale_missing", "scale_inverted", "scale_wrong"):
        judge_scale(marked, clues)
    hollow: list[Marks] = []
    if padded.src is not None or padded.encoder:
        with step("padding_attended", "cross_mask_wrong", "causal_in_encoder"):
            judge_cross(marked, clues)
            judge_causal_encoder(marked, clues)
            hollow = _mark(record(caller, padded).attentions)
            judge_padding(hollow, pad_id, clues)
    with step("mask_after_softmax", "mask_value_too_small"):
        judge_marks([*marked, *hollow], clues)
    return any(hides_padding(marks, pad_id) for marks in hollow)


def _order(caller: Caller, one: Recording, other: Recording) -> dict[str, bool | None]:
    """Whether word order reaches attention, by a recording of swapped words."""
    learned = learned_storages(caller.module)
    graphs, both = (
        (one.recorder.graph, other.recorder.graph),
        (one.attentions, other.attentions),
    )
    sees: dict[str, bool | None] = {}
    for kind in ("encoder_self", "decoder_self"):
        answer = sees_positions(graphs, both, kind, (1, 2))
        if answer is False and (
            learned_zero_positions(graphs[0], learned) or turned_by_position(both[0], kind)
        ):
            answer = True
        sees[kind] = answer
    return sees


def _hears(one: list[Attention], other: list[Attention]) -> bool:
    """Whether cross-attention reads other vectors where source words have changed places."""
    pairs = [(a, b) for a, b in zip(one, other, strict=False) if a.kind == b.kind == "cross"]
    return any(
        a.values.shape == b.values.shape
        and float((a.values - b.values).abs().max()) > 1e-3 * float(a.values.abs().max())
        for a, b in pairs
    )
