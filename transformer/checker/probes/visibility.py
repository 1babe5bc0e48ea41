"""Which token changes which logits: change one at a time, and see."""

from dataclasses import dataclass, replace

import torch
from torch import Tensor

from ...eyes.batches import Batch, Maker
from ...eyes.calling import Caller, CallFailed

CLEAR = 100.0  # times the noise: no rounding of other shapes is as large


@dataclass(eq=False)
class Visibility:
    """How much changing one token changes the logits, by their largest change.

    Attributes:
        batch: what the module read.
        logits: [batch, tgt, vocab]
        tgt: [tgt position, tgt token]
        src: [tgt position, src token]; None for a language model.
        others: the most that a token changed the logits of another sentence.
        noise: changes up to here are rounding.
        anywhere: the sentence was seen to give the same logits among others, elsewhere in a batch.
    """

    batch: Batch
    logits: Tensor
    tgt: Tensor
    src: Tensor | None
    others: float
    noise: float
    anywhere: bool = False

    @property
    def usable(self) -> bool:
        """Whether the logits are numbers at all."""
        return bool(self.logits.isfinite().all())


def measure_visibility(caller: Caller, maker: Maker, batch: Batch, logits: Tensor) -> Visibility:
    """The visibility of every token of the first sentence, each of which is changed in turn.

    Args:
        caller: of the module.
        maker: of batches like the user's.
        batch: what the module reads.
        logits: of that batch, [batch, tgt, vocab].
    Raises:
        CallFailed: the module does not run on this batch.
    """
    noise = 1e-6 * max(float(logits.nan_to_num(0).abs().max()), 1e-3)
    at_once = _all_at_once(caller, maker, batch, logits, noise)
    return at_once or _one_by_one(caller, maker, batch, logits, noise)


def _all_at_once(
    caller: Caller, maker: Maker, batch: Batch, logits: Tensor, noise: float
) -> Visibility | None:
    """One call of as many copies of the sentence as it has tokens, each with another one changed.

    None where that leaves a doubt: the sentence is itself the first and the last of them, and must
    give the logits that it gave among others; no target position sees a later token; and what
    changes, changes by far more than rounding.
    """
    own = batch.rows([0])
    copies, counts = [own], dict[str, int]()
    for side in _sides(batch):
        counts[side] = own.ids_of(side).size(1)
        copies += [_changed(maker, own, side, position) for position in range(counts[side])]
    copies.append(own)
    many = {side: torch.cat([copy.ids_of(side) for copy in copies]) for side in counts}
    try:
        read = caller.logits(replace(batch, **many))
    except CallFailed:
        return None
    if not bool(((read[[0, -1]] - logits[0]).abs() <= noise).all()):
        return None
    change = (read[1:-1] - read[0]).abs().amax(-1)
    tgt = change[len(change) - counts["tgt"] :].T
    src = None if batch.src is None else change[: counts["src"]].T
    leaks = not batch.encoder and bool((tgt > noise).triu(1).any())
    if leaks or not bool(((change <= noise) | (change > CLEAR * noise)).all()):
        return None
    return Visibility(batch, logits, tgt, src, 0.0, noise, anywhere=True)


def _one_by_one(
    caller: Caller, maker: Maker, batch: Batch, logits: Tensor, noise: float
) -> Visibility:
    """A call for every token."""
    sides: dict[str, Tensor] = {}
    others = 0.0
    for side in _sides(batch):
        columns: list[Tensor] = []
        for position in range(batch.ids_of(side).size(1)):
            changed = _changed(maker, batch, side, position)
            change = (caller.logits(changed) - logits).abs().amax(-1)
            columns.append(change[0])
            others = max(others, float(change[1:].nan_to_num(0).max()) if len(change) > 1 else 0.0)
        sides[side] = torch.stack(columns, dim=1)
    return Visibility(batch, logits, sides["tgt"], sides.get("src"), others, noise)


def _sides(batch: Batch) -> tuple[str, ...]:
    return ("tgt",) if batch.src is None else ("src", "tgt")


def _changed(maker: Maker, batch: Batch, side: str, position: int) -> Batch:
    other = maker.other(side, int(batch.ids_of(side)[0, position]))
    return batch.with_token(side, 0, position, other)
