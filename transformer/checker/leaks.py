"""A leak of the future that was measured: what explains it, and whether it is there at all."""

import copy
from contextlib import suppress

import torch
from torch import Tensor

from ..eyes.batches import Batch
from ..eyes.calling import Caller, CallFailed
from ..eyes.logits import find_logits
from ..eyes.parts import by_sides
from ..eyes.state import ModuleState
from .anatomy.look import Inside
from .basis.clues import Clue

DOUBTFUL = 1e-4  # of the largest logit: a change below is asked for again in float64
BY_MASK = {
    *("future_leak", "causal_off_by_one", "mask_inverted", "mask_value_too_small"),
    "mask_after_softmax",
}


def explains(clue: Clue, inside: Inside) -> bool:
    """Whether a clue may be the cause that a target position sees a later one.

    What is wrong with the mask of an encoder, or of padding, hides nothing of the target.
    """
    if clue.code not in BY_MASK or "place" not in clue.values:
        return True
    there = [a for a in inside.attentions if clue.values["place"] in {a.place, a.kind}]
    kinds = {part.kind for attention in there for part in by_sides(attention)}
    return not there or "decoder_self" in kinds


def beside_attention(inside: Inside | None) -> bool:
    """Whether no attention among target tokens gives weight to a later one, so others must."""
    if inside is None or "decoder_self" not in inside.kinds:
        return False
    return not any(
        bool(((a.key[:, None, :] > a.query[:, :, None]) & (a.used != 0)).any())
        for a in inside.attentions
        if a.kind == "decoder_self"
    )


def spreads_on_padding(inside: Inside | None, leaks: Tensor, tokens: Tensor, pad_id: int) -> bool:
    """Whether only positions that read padding see later ones, as none of their keys is left.

    Args:
        inside: what was recorded.
        leaks: bool [position, token].
        tokens: ids that the positions read, [position].
        pad_id: of padding.
    """
    rows = leaks.any(1)
    if inside is None or not bool((tokens[: len(rows)][rows] == pad_id).all()):
        return False
    return any(
        a.used.size(1) == len(rows)
        and bool((a.used[a.sentence == 0][:, rows].diff(dim=-1).abs() < 1e-6).all())
        for a in inside.attentions
        if a.kind == "decoder_self"
    )


def is_rounding(caller: Caller, batch: Batch, changed: Batch, position: int, change: float) -> bool:
    """Whether a small change of the logits at a position is gone in float64.

    Where the module does not run in it, what is as small as float32 rounds is rounding.
    """
    with suppress(CallFailed, RuntimeError, TypeError, ValueError):
        module = copy.deepcopy(caller.module).double()
        wide = Caller(module, ModuleState(module), caller.call, caller.seconds)
        wide.vocab, wide.still, wide.training = caller.vocab, caller.still, caller.training
        wide.settle()
        with torch.no_grad():
            both = [find_logits(wide.returned(b), b, wide.vocab) for b in (batch, changed)]
        one, two = (logits[0, position].double() for logits in both if logits is not None)
        return not float((one - two).abs().max()) >= 0.01 * change  # it may overflow, too
    return True


def strongest(table: Tensor, leaks: Tensor) -> tuple[int, int, float]:
    """Position, token and size of the largest change [position, token] among bool `leaks`."""
    changes = table.masked_fill(~leaks, 0)
    position, token = divmod(int(changes.argmax()), table.size(1))
    return position, token, float(changes.max())
