"""What a guest's attention was in a block: the rows of each pass, put together."""

from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor, nn

from ...errors import GuestError
from ...recording.effects import Means
from ...recording.hooks import attached
from ...trace.guest import Cells, Mask, Window, may_attend
from ...trace.interventions import Intervention
from ...trace.kinds import Kind
from ...trace.packing import Weights
from .catcher import hidden
from .changes import changed
from .kept import Kept
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
    """The rows that each pass computed, by kind and layer.

    Args:
        learnt: what the guest's attention is.
        layers: those to keep; None keeps all.
        room: how many tokens the decoder reads at most after its first pass.

    Attributes:
        plain: each pass added keys to those before it: nothing slid, nor was filled up.
    """

    def __init__(self, learnt: Learnt, layers: Collection[int] | None, room: int) -> None:
        self.plain = True
        self.sinks: dict[Place, list[Tensor]] = {}
        self.masks: dict[Place, list[Tensor]] = {}
        self._heads, self._layers, self._room = learnt.heads, layers, room
        self._kept: dict[Place | Kind, Kept] = {}
        self._sizes: dict[Place, tuple[int, int]] = {}
        self._read: dict[tuple[int, ...], Mask | None] = {}

    def add(self, place: Place, block: Tensor) -> None:
        """Keeps rows that follow those before them, [batch, head, query, key]."""
        kind, layer = place
        first = self._sizes.get(place, (0, 0))[0]
        rows, keys = first + block.size(-2), block.size(-1)
        grown = self._room if kind != "encoder_self" else 0
        whole = self.is_whole(kind)
        name = kind if whole else place
        if name not in self._kept:
            layers = len(self._heads[kind]) if whole else 1
            self._kept[name] = Kept(layers, block, grown, grown if kind == "decoder_self" else 0)
        fits = self._kept[name].put(layer if whole else 0, first, block)
        self.plain &= fits and (kind != "decoder_self" or keys == rows)
        self._sizes[place] = rows, keys

    def is_whole(self, kind: Kind) -> bool:
        """Whether layers of a kind are alike, and all of them kept: one array holds them."""
        heads = self._heads[kind]
        kept = self._layers is None or all(it in self._layers for it in range(len(heads)))
        return kept and len({*heads}) == 1

    def whole(self, kind: Kind) -> Weights:
        """All layers of a kind, where they are alike, [layer, head, query, key]."""
        return self._kept[kind].taken(*self._sizes[kind, 0])

    def taken(self, place: Place, layer_causal: bool) -> Seen | None:
        """One layer's rows; None of one that was not recorded.

        Args:
            place: of the layer.
            layer_causal: whether its kind is causal.
        """
        if place not in self._sizes:
            return None
        kind, layer = place
        if self.is_whole(kind):
            weights = self.whole(kind)[layer]
        else:
            weights = self._kept[place].taken(*self._sizes[place])[0]
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
    room: int = 0,
) -> Iterator[Rows]:
    """Records this thread's passes through a guest, as changed, while the block runs.

    Args:
        learnt: what its attention is.
        changes: interventions that were checked.
        means: for "mean": by kind [layer, head, d_head].
        layers: those to keep; None keeps all.
        grows: each pass reads what is new alone.
        room: how many tokens the decoder reads at most after the first pass.
    Raises:
        HeadlightError: a pass went round a hook point.
    """
    rows = Rows(learnt, layers, room)
    hooks: list[tuple[nn.Module, Callable[..., None]]] = []
    for points in (it for places in learnt.layout.values() for it in places):
        place = points.kind, points.layer
        if layers is None or points.layer in layers:
            hooks.append((points.weights, _keep_rows(rows, place)))
            hooks.append((points.sink, _keep_sink(rows.sinks, place)))
            if learnt.ordinals is not None:
                hooks.append((points.scores, _keep_mask(rows.masks, place)))
    with watched(learnt, changes, means, grows=grows) as watch:
        watch.masks = rows.masks
        with attached(hooks):
            yield rows
        if (missed := watch.missed()) is not None:
            raise GuestError(
                f"A pass went round layer {missed.layer + 1} of {missed.kind}, so its weights are "
                "not known: is this a copy of the model that was loaded?"
            )


def _keep_rows(rows: Rows, place: Place) -> Callable[..., None]:
    def hook(_module: nn.Module, _args: object, output: Tensor) -> None:
        rows.add(place, output.detach())

    return hook


def _keep_sink(into: dict[Place, list[Tensor]], place: Place) -> Callable[..., None]:
    def hook(_module: nn.Module, _args: object, output: Tensor) -> None:
        into.setdefault(place, []).append(output.detach())

    return hook


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
