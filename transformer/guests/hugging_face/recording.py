"""What a guest's attention was in a block: the rows of each pass, put together."""

from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor, nn

from ...errors import HeadlightError
from ...recording.effects import Means
from ...recording.hooks import attached
from ...trace.guest import Cells, Mask, Window, may_attend
from ...trace.interventions import Intervention
from ...trace.kinds import Kind
from ...trace.packing import Weights
from .catcher import hidden
from .changes import changed
from .learning import Learnt
from .outside import caught
from .points import Watch, watching

Place = tuple[Kind, int]


class Seen(NamedTuple):
    """One layer's attention over a whole text.

    Attributes:
        weights: float32 [head, query, key].
        mask: what its rows might attend to; None where it is as its kind's is.
        sink: float32 [head, query]; None without one.
    """

    weights: Weights
    mask: Mask | None
    sink: Weights | None


class Rows:
    """The rows that each pass computed, by kind and layer."""

    def __init__(self) -> None:
        self.weights: dict[Place, list[Tensor]] = {}
        self.sinks: dict[Place, list[Tensor]] = {}
        self.masks: dict[Place, list[Tensor]] = {}
        self._read: dict[tuple[int, ...], Mask | None] = {}

    def plain(self) -> bool:
        """Whether each pass added keys to those before it: nothing slid, nor was filled up."""
        for (kind, _), blocks in self.weights.items():
            read = 0
            for block in blocks:
                read += block.size(-2)
                if kind == "decoder_self" and block.size(-1) != read:
                    return False
                if block.size(0) != 1:
                    return False
        return True

    def shape(self, place: Place) -> tuple[int, int, int] | None:
        """Of one layer heads, queries and keys; None of one that was not recorded."""
        if (blocks := self.weights.get(place)) is None:
            return None
        return blocks[0].size(1), sum(it.size(-2) for it in blocks), blocks[-1].size(-1)

    def taken(self, place: Place, layer_causal: bool, into: Weights | None = None) -> Seen:
        """One layer's, stitched, which is kept no longer.

        Args:
            place: of the layer.
            layer_causal: whether its kind is causal.
            into: zeros [head, query, key], to be filled; None makes some.
        """
        shape = self.shape(place)
        assert shape is not None
        whole = np.zeros(shape, np.float32) if into is None else into
        weights = _stitched([block[0] for block in self.weights.pop(place)], whole)
        sinks = self.sinks.get(place)
        mask = None
        cells = self.masks.get(place, [])
        if sum(map(len, cells)) == weights.shape[1]:
            mask = self._mask(cells, layer_causal)
        sink = None if sinks is None else _numpy(torch.cat([it[0, ..., 0] for it in sinks], -1))
        return Seen(weights, mask, sink)

    def _mask(self, cells: Sequence[Tensor], causal: bool) -> Mask | None:
        """The mask of blocks of rows; what layers have in common is read once."""
        name = (causal, *map(id, cells))
        if name not in self._read:
            whole = np.zeros((sum(map(len, cells)), cells[-1].size(-1)), np.float32)
            self._read[name] = _mask(np.asarray(_stitched(cells, whole), bool), causal)
        return self._read[name]


@contextmanager
def recorded(
    learnt: Learnt,
    changes: Sequence[Intervention] = (),
    means: Means | None = None,
    *,
    layers: Collection[int] | None = None,
    grows: bool = True,
) -> Iterator[Rows]:
    """Records this thread's passes through a guest, as changed, while the block runs.

    Args:
        learnt: what its attention is.
        changes: interventions that were checked.
        means: for "mean".
        layers: those to keep; None keeps all.
        grows: each pass reads what is new alone.
    Raises:
        HeadlightError: a pass went round a hook point.
    """
    rows = Rows()

    def keep(into: dict[Place, list[Tensor]], place: Place) -> Callable[..., None]:
        def hook(_module: nn.Module, _args: object, output: Tensor) -> None:
            into.setdefault(place, []).append(output.detach())

        return hook

    hooks: list[tuple[nn.Module, Callable[..., None]]] = []
    for points in (it for places in learnt.layout.values() for it in places):
        place = points.kind, points.layer
        if layers is None or points.layer in layers:
            hooks.append((points.weights, keep(rows.weights, place)))
            hooks.append((points.sink, keep(rows.sinks, place)))
            if learnt.ordinals is not None:
                hooks.append((points.scores, _keep_mask(rows.masks, place)))
    with watched(learnt, changes, means, grows=grows) as watch:
        watch.masks = rows.masks
        with attached(hooks):
            yield rows
        if (missed := watch.missed()) is not None:
            raise HeadlightError(
                "guest",
                f"A pass went round layer {missed.layer + 1} of {missed.kind}, so its weights are "
                "not known: is this a copy of the model that was loaded?",
            )


def _keep_mask(into: dict[Place, list[Tensor]], place: Place) -> Callable[..., None]:
    """Reads off scores what is masked: outside the interface nobody hands in a mask."""

    def hook(_module: nn.Module, _args: object, scores: Tensor) -> None:
        into.setdefault(place, []).append(~hidden(scores[0]).all(0))

    return hook


@contextmanager
def watched(
    learnt: Learnt,
    changes: Sequence[Intervention] = (),
    means: Means | None = None,
    *,
    grows: bool = True,
) -> Iterator[Watch]:
    """Lets this thread's passes go through a guest's hook points, as changed, in the block."""
    with ExitStack() as stack:
        watch = stack.enter_context(watching(Watch(learnt.layout, grows=grows)))
        if learnt.ordinals is not None:
            stack.enter_context(caught(learnt.ordinals.keys(), learnt.ordinals, watch))
        stack.enter_context(changed(learnt, changes, means))
        yield watch


def _stitched(blocks: Sequence[Tensor], whole: Weights) -> Weights:
    """Blocks of rows [..., query, key], over keys that grow, in a matrix of zeros."""
    row = 0
    for block in blocks:
        whole[..., row : row + block.size(-2), : block.size(-1)] = _numpy(block)
        row += block.size(-2)
    return whole


def _numpy(tensor: Tensor) -> Weights:
    return np.ascontiguousarray(tensor.float().cpu().numpy())


def _mask(cells: Cells, causal: bool) -> Mask | None:
    """A mask by its name, where it has one; None where it is as its kind's is."""
    size = cells.shape
    if np.array_equal(cells, may_attend("causal" if causal else "none", *size)):
        return None
    if size[0] == size[1]:
        named: tuple[Mask, ...] = ("none", "causal", Window(int(cells[-1].sum())))
        for mask in named:
            if np.array_equal(cells, may_attend(mask, *size)):
                return mask
    return cells
