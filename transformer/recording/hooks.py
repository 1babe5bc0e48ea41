"""Looking into the model, and changing it, with PyTorch forward hooks.

Hooks belong to a module, and all threads share the module. So each recording and each intervention
lives in a `ContextVar` too, and acts only on passes that its own thread (or task) runs.
"""

from collections.abc import Callable, Collection, Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Literal

import torch
from torch import Tensor, nn
from torch.utils.hooks import RemovableHandle

from ..model.attention import MultiHeadAttention
from ..model.module import HookPoint
from ..model.towers import Model, Tower
from ..trace.interventions import Intervention
from ..trace.kinds import KINDS, Kind
from ..trace.packing import Weights
from .effects import Hook, Means, Place, everywhere, hooks_of

AttentionSite = Literal["query", "key", "value", "scores", "weights", "attended"]
LayerSite = Literal["after_self_attention", "after_cross_attention", "after_feed_forward", "output"]
Site = AttentionSite | LayerSite

_active: ContextVar[frozenset[object]] = ContextVar("_active", default=frozenset())


class Recording:
    """What one forward pass computed; a later pass replaces it."""

    def __init__(self) -> None:
        self._captured: dict[tuple[Kind | Tower, str, int], Tensor] = {}

    @property
    def scores(self) -> dict[Kind, list[Tensor]]:
        """By kind, one tensor [batch, head, query, key] a layer: q·k / √d_head, before masking."""
        return self._by_kind("scores")

    @property
    def weights(self) -> dict[Kind, list[Tensor]]:
        """By kind, one tensor [batch, head, query, key] a layer; each row sums to 1."""
        return self._by_kind("weights")

    def arrays(self) -> dict[Kind, Weights]:
        """The weights as NumPy arrays, by kind [batch, layer, head, query, key]."""
        return {kind: torch.stack(layers, 1).cpu().numpy() for kind, layers in self.weights.items()}

    def at(self, where: Kind | Tower, site: Site) -> list[Tensor]:
        """What one hook point let through, a tensor a layer, if it was among those recorded.

        Args:
            where: a kind of attention, or a tower for the points of its layers.
            site: "query", "key", "value", "attended": [batch, head, length, d_head]; "scores",
                "weights": [batch, head, query, key]; those of a layer: [batch, length, d_model].
        """
        layers = [
            (layer, tensor)
            for (place, name, layer), tensor in self._captured.items()
            if (place, name) == (where, site)
        ]
        return [tensor for _, tensor in sorted(layers, key=lambda layer: layer[0])]

    def of_layer(self, where: Kind | Tower, site: Site, layer: int) -> Tensor:
        """The tensor that one layer's hook point let through, in the shape that `at` tells."""
        return self._captured[where, site, layer]

    def capture(self, where: Kind | Tower, site: Site, layer: int, tensor: Tensor) -> None:
        """Keeps the tensor that a hook point let through, in the shape that `at` tells."""
        self._captured[where, site, layer] = tensor.detach()

    def _by_kind(self, site: AttentionSite) -> dict[Kind, list[Tensor]]:
        return {kind: layers for kind in KINDS if (layers := self.at(kind, site))}


@contextmanager
def record(
    model: Model,
    sites: Collection[Site] = ("scores", "weights"),
    into: Recording | None = None,
) -> Iterator[Recording]:
    """Records what hook points let through while the block runs, in this thread only.

    The hooks come off at the block's end, whatever is raised. Attach before `torch.compile`, if
    ever: a hook added to a compiled model records nothing and says nothing.

    Args:
        model: any of ours.
        sites: the names of the points to record, in every layer that has them.
        into: who captures; by default a new recording, of the latest pass.
    """
    recording = Recording() if into is None else into

    def hook(
        where: Kind | Tower, site: Site, layer: int
    ) -> Callable[[nn.Module, object, Tensor], None]:
        return lambda _module, _args, output: recording.capture(where, site, layer, output)

    hooks = [
        (point, hook(where, site, layer))
        for where, layer, module in _modules(model)
        for site in sites
        if isinstance(point := getattr(module, site, None), HookPoint)
    ]
    with attached(hooks):
        yield recording


@contextmanager
def intervene(
    model: Model,
    interventions: Iterable[Intervention],
    place: Place = everywhere,
    means: Means | None = None,
) -> Iterator[None]:
    """Changes what heads attend to, or takes parts away, in this thread while the block runs.

    Recordings see the change, whether they began before it or after.

    Args:
        model: any of ours.
        interventions: the changes, in the order in which they act.
        place: asked at each pass where they act; by default on all rows of a pass that begins with
            the first step.
        means: by kind [layer, head, d_head], mean outputs for the heads that are to have them.
    Raises:
        HeadlightError: an intervention names a layer or head that the model does not have, or
            there are no means.
    """
    modules = attention_modules(model)
    hooks: list[Hook] = []
    for intervention in interventions:
        intervention.check(model.config)
        hooks.extend(hooks_of(model, modules, intervention, place, means))
    hooks.sort(key=lambda hook: hook.turn)
    # Before every recording's hook, and among themselves in this order.
    with attached([(hook.module, hook.run) for hook in reversed(hooks)], prepend=True):
        yield


def attention_modules(model: Model) -> dict[tuple[Kind, int], MultiHeadAttention]:
    """Every attention module, by its kind and layer."""
    return {
        (where, layer): module
        for where, layer, module in _modules(model)
        if isinstance(module, MultiHeadAttention) and where != "encoder" and where != "decoder"
    }


def _modules(model: Model) -> Iterator[tuple[Kind | Tower, int, nn.Module]]:
    """Every module that has hook points: read off the towers, which needs no walk over modules."""
    if model.encoder is not None:
        for index, layer in enumerate(model.encoder.layers):
            yield "encoder", index, layer
            yield "encoder_self", index, layer.self_attention
    for index, layer in enumerate(model.decoder.layers):
        yield "decoder", index, layer
        yield "decoder_self", index, layer.self_attention
        if not model.config.decoder_only:
            yield "cross", index, layer.cross_attention


@contextmanager
def attached(
    hooks: Iterable[tuple[nn.Module, Callable[..., Tensor | None]]], prepend: bool = False
) -> Iterator[None]:
    """Puts hooks, any shape → the same, on for the block, heeding only passes of this context."""
    owner = object()
    handles: list[RemovableHandle] = []

    def only_here(hook: Callable[..., Tensor | None]) -> Callable[..., Tensor | None]:
        return lambda *args: hook(*args) if owner in _active.get() else None

    reset = _active.set(_active.get() | {owner})
    try:
        for point, hook in hooks:
            handles.append(point.register_forward_hook(only_here(hook), prepend=prepend))
        yield
    finally:
        for handle in handles:
            handle.remove()
        _active.reset(reset)
