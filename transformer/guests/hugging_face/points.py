"""Hook points of a guest's attention, and the block in which one thread looks at them.

They live beside the model, never in it: a child of that name may be there already (BERT has its
own `query`), and a model that somebody else wrote is to stay as it was.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field

from torch import Tensor, nn

from ...model.attention import HookPoint
from ...trace.kinds import CausalMask, Kind


class Points(nn.Module):
    """The hook points of one layer's attention.

    Attributes:
        kind: which attention.
        layer: counted from 0, by the model's own numbers.
        heads: how many there are; None while that is learnt, of one text.
        scores: [batch, head, query, key], masked, before the softmax.
        weights: [batch, head, query, key], after it.
        sink: [batch, head, query, 1]: what a row gives to no token; of models that have such.
        value: [batch, key or value head, key, d_head].
        attended: [batch, head, query, d_head]; where a family's attention lies outside the
            attention interface, the weights once more, as the values get them.
    """

    def __init__(self, kind: Kind, layer: int, heads: int | None = None) -> None:
        super().__init__()
        self.kind: Kind = kind
        self.layer = layer
        self.heads = heads
        self.scores, self.weights, self.sink = HookPoint(), HookPoint(), HookPoint()
        self.value, self.attended = HookPoint(), HookPoint()


Layout = Mapping[nn.Module, Sequence[Points]]
"""Points of each attention module, in the order of its calls within one pass."""


@dataclass
class Watch:
    """A block in which one thread's passes through a guest go through its hook points.

    Attributes:
        layout: the guest's.
        causal: what interventions have left of the decoder's mask.
        grows: each pass reads what is new alone, as the cache has the rest.
        first: the step of the decoder's first query in the pass under way.
        masks: of a kind and layer, the masks of its passes, [query, key], True = may attend.
    """

    layout: Layout
    causal: CausalMask = "kept"
    grows: bool = True
    first: int = 0
    masks: dict[tuple[Kind, int], list[Tensor]] | None = None
    _read: int = 0
    _masks: list[tuple[Tensor, Tensor]] = field(default_factory=list[tuple[Tensor, Tensor]])
    _calls: dict[nn.Module, int] = field(default_factory=dict[nn.Module, int])
    _reached: dict[Points, int] = field(default_factory=dict[Points, int])

    def enter(self, module: nn.Module, queries: int) -> Points | None:
        """The points of an attention module's next call; None if it is none of the guest's."""
        if (places := self.layout.get(module)) is None:
            return None
        call = self._calls.get(module, 0)
        self._calls[module] = call + 1
        points = places[call % len(places)]
        self._reached[points] = self._reached.get(points, 0) + 1
        if points.kind == "decoder_self" and points is self._opening():
            self.first = self._read if self.grows else 0
            self._read += queries
        return points

    def cells_of(self, mask: Tensor, read: Callable[[Tensor], Tensor]) -> Tensor:
        """Cells [query, key] that `read` makes of a mask: once, where layers share the mask."""
        for earlier, cells in self._masks:
            if earlier is mask:
                return cells
        cells = read(mask)
        # Layers with a window and those without take turns.
        self._masks = [*self._masks[-1:], (mask, cells)]
        return cells

    def missed(self) -> Points | None:
        """A point that a pass went round, though it reached others of its kind."""
        passes: dict[Kind, set[int]] = {}
        for points in self._all():
            passes.setdefault(points.kind, set()).add(self._reached.get(points, 0))
        ragged = next((kind for kind, counts in passes.items() if len(counts) > 1), None)
        if ragged is None and any(self._reached.values()):
            return None
        candidates = [it for it in self._all() if ragged in (None, it.kind)]
        return min(candidates, key=lambda it: self._reached.get(it, 0))

    def _all(self) -> Iterator[Points]:
        return (points for places in self.layout.values() for points in places)

    def _opening(self) -> Points | None:
        return next((it for it in self._all() if it.kind == "decoder_self"), None)


_watch: ContextVar[Watch | None] = ContextVar("_watch", default=None)


def watch_under_way() -> Watch | None:
    """The innermost block of this thread (or task), if there is one."""
    return _watch.get()


@contextmanager
def watching(watch: Watch) -> Iterator[Watch]:
    """Lets this thread's passes go through a guest's hook points while the block runs."""
    reset = _watch.set(watch)
    try:
        yield watch
    finally:
        _watch.reset(reset)
