"""Attention over pieces of a sound or a picture, told by the shapes of softmaxes alone.

No label survives a convolution. But what asks and what is asked shows in the shapes, and whose
they are in which of them change with the length of the target.
"""

from collections import Counter

from torch import Tensor

from ...eyes.batches import Batch
from ...eyes.calling import Caller, CallFailed
from ...eyes.softmax import SOFTMAXES
from ...trace.kinds import Kind
from ..view import SIDES
from .catching import Catcher, Keep
from .slots import Key
from .tables import Caught, Heads, Untold, allowed_of, readable

Shape = tuple[int, int]


def catch_by_shape(caller: Caller, batch: Batch) -> Caught:
    """The attention of one text, sound or picture, a batch of one.

    Raises:
        CallFailed: the module raised.
        Untold: no softmax has the shape of an attention.
    """
    shorter: dict[Key, Shape] = {}

    def note(key: Key, scores: Tensor | None, out: Tensor) -> None:
        del scores
        shorter[key] = out.size(-2), out.size(-1)

    if batch.src is not None and batch.tgt.size(1) > 1:
        try:
            _run(caller, Batch(batch.src, batch.tgt[:, :-1]), note)
        except CallFailed as error:
            raise Untold(f"it takes targets of one length: {error}") from error
    pieces: list[tuple[Kind, Heads]] = []
    caught = Caught()

    def keep(key: Key, scores: Tensor | None, out: Tensor) -> None:
        shape = out.size(-2), out.size(-1)
        if batch.src is None:
            kind: Kind | None = "decoder_self" if shape[0] == shape[1] > 1 else None
        else:
            kind = _kind(shape, shorter.get(key), batch.tgt.size(1))
        if kind is not None:
            caught.dtype = out.dtype
            weights = readable(out).reshape(-1, *shape)
            given = None if scores is None else scores.reshape(-1, *shape)
            heads = Heads(weights, allowed_of(weights, given), (0, 0), SIDES[kind])
            pieces.append((kind, heads))

    _run(caller, batch, keep)
    layers: Counter[Kind] = Counter()
    for kind, heads in _of_one_size(pieces):
        caught.add(kind, layers[kind], heads)
        layers[kind] += 1
    if not layers:
        raise Untold("no softmax has the shape of an attention")
    return caught


def _run(caller: Caller, batch: Batch, keep: Keep) -> None:
    def last_axis(key: Key, scores: Tensor | None, out: Tensor) -> None:
        if out.dim() > 2:
            keep(key, scores, out)

    catcher = Catcher(caller.module, SOFTMAXES, last_axis)
    with catcher.watching():
        caller.returned(batch)


def _kind(shape: Shape, shorter: Shape | None, tgt: int) -> Kind | None:
    """What an attention is, by what became shorter with the target."""
    if shorter is None:
        return None
    rows, columns = (a - b for a, b in zip(shape, shorter, strict=True))
    if (rows, columns) == (1, 1) and shape[0] == shape[1] == tgt:
        return "decoder_self"
    if (rows, columns) == (1, 0) and shape[0] == tgt:
        return "cross"
    if (rows, columns) == (0, 0) and shape[0] == shape[1] > 1:
        return "encoder_self"
    return None


def _of_one_size(all_heads: list[tuple[Kind, Heads]]) -> list[tuple[Kind, Heads]]:
    """Heads with the commonest number of pieces: windows and pooled pieces have others."""
    pieces: Kind = (
        "encoder_self" if any(kind != "decoder_self" for kind, _ in all_heads) else "decoder_self"
    )
    own = Counter(heads.weights.size(2) for kind, heads in all_heads if kind == pieces)
    size = max(own, key=lambda it: own[it], default=0)
    keys = (pieces, "cross")
    return [
        (k, it) for k, it in all_heads if not size or k not in keys or it.weights.size(2) == size
    ]
