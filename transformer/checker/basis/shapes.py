"""Sizes of batches that a module can read: different for source and target, if it lets us."""

from dataclasses import dataclass, replace

from torch import Tensor

from ...eyes.batches import Batch, Maker
from ...eyes.calling import Caller, CallFailed


@dataclass(frozen=True)
class Shapes:
    """A batch without padding that the module can read.

    Attributes:
        plain: the batch.
        logits: of it.
        unequal: why it cannot read a source and a target of different lengths; None if it can.
    """

    plain: Batch
    logits: Tensor
    unequal: str | None = None


def find_shapes(caller: Caller, maker: Maker) -> Shapes:
    """Tries sizes, the most telling first.

    Raises:
        CallFailed: it reads none of them, not even the user's.
    """
    own = maker.own
    batch, tgt = own.tgt.shape
    if own.src is None:
        return _first(caller, maker, [(3, 0, 6), (3, 0, min(tgt, 6)), (batch, 0, tgt)])
    src = own.src.size(1)
    smaller = min(src, 7), min(tgt, 5)
    if smaller[0] == smaller[1]:
        smaller = smaller[0], smaller[1] - 1
    sizes = [(3, 7, 5), (3, *smaller)]
    if src != tgt:
        sizes += [(3, src, tgt), (batch, src, tgt)]
    try:
        return _first(caller, maker, sizes)
    except CallFailed as error:
        reason = str(error)
    shortest = max(min(src, tgt), 4)
    equal = list(dict.fromkeys([5, 4, min(shortest, 6)]))
    shapes = _first(caller, maker, [(b, n, n) for n in (*equal, tgt) for b in (3, batch)])
    rows, length = shapes.plain.tgt.shape
    # A module that reads one length alone has another problem than lengths that differ.
    for other in (length - 1, length + 1):
        try:
            caller.logits(maker.plain(rows, other, other))
        except CallFailed:
            continue
        return replace(shapes, unequal=reason)
    return shapes


def _first(caller: Caller, maker: Maker, sizes: list[tuple[int, int, int]]) -> Shapes:
    reason = CallFailed("no size to try")
    for batch, src, tgt in sizes:
        if tgt < 2:
            continue
        plain = maker.plain(batch, src, tgt)
        try:
            return Shapes(plain, caller.logits(plain))
        except CallFailed as error:
            reason = error
    raise reason
