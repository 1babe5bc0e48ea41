"""Looking into attention, and changing it, with PyTorch forward hooks.

Hooks belong to a module, and all threads share the module. So each recording and each intervention
lives in a `ContextVar` too, and acts only on passes that its own thread (or task) runs.
"""

import re
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Literal, get_args

import torch
from torch import Tensor, nn
from torch.utils.hooks import RemovableHandle

from .attention import HookPoint, MultiHeadAttention
from .config import TransformerConfig
from .errors import HeadlightError
from .layers import DecoderLayer, EncoderLayer
from .model import Model

Kind = Literal["encoder_self", "decoder_self", "cross"]
Effect = Literal["zero", "uniform", "first"]
KINDS: tuple[Kind, ...] = get_args(Kind)
EFFECTS: tuple[Effect, ...] = get_args(Effect)

_active: ContextVar[frozenset[object]] = ContextVar("_active", default=frozenset())


@dataclass(frozen=True)
class Intervention:
    """A change to what one head, or every head of a layer, attends to.

    Its text form is `kind.layer.head=effect`, `*` standing for every head: `cross.1.3=zero`,
    `decoder_self.0.2=uniform`, `encoder_self.2.*=first`.

    Attributes:
        kind: which attention.
        layer: counted from 0.
        head: counted from 0; None means every head.
        effect: "zero", attends to nothing and adds nothing; "uniform", to everything it may
            equally; "first", only to the first token.
    """

    kind: Kind
    layer: int
    head: int | None
    effect: Effect

    def __str__(self) -> str:
        head = "*" if self.head is None else self.head
        return f"{self.kind}.{self.layer}.{head}={self.effect}"

    @classmethod
    def parse(cls, text: str) -> "Intervention":
        """Reads the text form.

        Raises:
            HeadlightError: the text has another form.
        """
        pattern = rf"({'|'.join(KINDS)})\.(\d{{1,3}})\.(\d{{1,3}}|\*)=({'|'.join(EFFECTS)})"
        match = re.fullmatch(pattern, text.strip(), re.ASCII)
        if match is None:
            raise HeadlightError(
                "bad_intervention",
                f"{text!r} is no intervention: write kind.layer.head=effect, such as "
                f"cross.1.3=zero, with kind one of {', '.join(KINDS)} and effect one of "
                f"{', '.join(EFFECTS)}",
                intervention=text,
            )
        kind, layer, head, effect = match.groups()
        return cls(
            next(k for k in KINDS if k == kind),
            int(layer),
            None if head == "*" else int(head),
            next(e for e in EFFECTS if e == effect),
        )

    def check(self, config: TransformerConfig) -> None:
        """Refuses a kind, layer or head that a model of this config does not have.

        Raises:
            HeadlightError: naming what the model has.
        """
        layers = num_layers(config, self.kind)
        if not (0 <= self.layer < layers and 0 <= (self.head or 0) < config.num_heads):
            raise HeadlightError(
                "bad_intervention",
                f"{self} is outside this model, which has {layers} layers of {self.kind} with "
                f"{config.num_heads} heads each",
                intervention=str(self),
            )


def num_layers(config: TransformerConfig, kind: Kind) -> int:
    """How many layers of this kind of attention a model of this config has."""
    if kind != "decoder_self" and config.decoder_only:
        return 0
    return config.num_encoder_layers if kind == "encoder_self" else config.num_decoder_layers


class Recording:
    """What one forward pass computed; a later pass replaces it."""

    def __init__(self) -> None:
        self._captured: dict[tuple[Kind, int, str], Tensor] = {}

    @property
    def scores(self) -> dict[Kind, list[Tensor]]:
        """By kind, one tensor [batch, head, query, key] a layer: q·k / √d_head, before masking."""
        return self._by_kind("scores")

    @property
    def weights(self) -> dict[Kind, list[Tensor]]:
        """By kind, one tensor [batch, head, query, key] a layer; each row sums to 1."""
        return self._by_kind("weights")

    def capture(self, kind: Kind, layer: int, site: str, tensor: Tensor) -> None:
        """Keeps what a hook point let through."""
        self._captured[kind, layer, site] = tensor.detach()

    def _by_kind(self, wanted: str) -> dict[Kind, list[Tensor]]:
        result: dict[Kind, list[Tensor]] = {}
        for (kind, _, site), tensor in sorted(self._captured.items(), key=lambda item: item[0]):
            if site == wanted:
                result.setdefault(kind, []).append(tensor)
        return result


@contextmanager
def record(model: Model) -> Iterator[Recording]:
    """Records the attention of every layer and head while the block runs, in this thread only.

    The hooks come off at the block's end, whatever is raised. Attach before `torch.compile`, if
    ever: a hook added to a compiled model records nothing and says nothing.
    """
    recording = Recording()

    def hook(kind: Kind, layer: int, site: str) -> Callable[[nn.Module, object, Tensor], None]:
        return lambda _module, _args, output: recording.capture(kind, layer, site, output)

    hooks = [
        (point, hook(kind, layer, site))
        for kind, layer, attention in _attention_modules(model)
        for site, point in (("scores", attention.scores), ("weights", attention.weights))
    ]
    with _attached(hooks):
        yield recording


@dataclass
class Projections:
    """What one layer's heads compare and pass on, [batch, head, length, d_head] each."""

    query: Tensor
    key: Tensor
    value: Tensor


@contextmanager
def record_projections(model: Model, kind: Kind, layer: int) -> Iterator[list[Projections]]:
    """Records one layer's queries, keys and values while the block runs, in this thread only.

    The list grows by one with each forward pass.

    Raises:
        KeyError: the model has no such layer.
    """
    projections: list[Projections] = []

    def hook(attention: nn.Module, inputs: tuple[Tensor, ...], _output: Tensor) -> None:
        assert isinstance(attention, MultiHeadAttention)
        projected = attention.project(inputs[0], inputs[1] if kind == "cross" else None)
        projections.append(Projections(*(part.detach() for part in projected)))

    modules = {(kind, layer): module for kind, layer, module in _attention_modules(model)}
    with _attached([(modules[kind, layer], hook)]):
        yield projections


@contextmanager
def intervene(model: Model, interventions: Iterable[Intervention]) -> Iterator[None]:
    """Changes what heads attend to while the block runs, in this thread only.

    Recordings see the change, whether they began before it or after.

    Raises:
        HeadlightError: an intervention names a layer or head that the model does not have.
    """
    modules = {(kind, layer): module for kind, layer, module in _attention_modules(model)}
    hooks: list[tuple[HookPoint, Callable[..., Tensor]]] = []
    for intervention in interventions:
        intervention.check(model.config)
        attention = modules[intervention.kind, intervention.layer]
        # The effects that still attend act before the softmax, so that masks keep their say.
        point = attention.weights if intervention.effect == "zero" else attention.scores
        hooks.append((point, _replacement(intervention)))
    # Before every recording's hook, and among themselves in the order given.
    with _attached(reversed(hooks), prepend=True):
        yield


def _replacement(intervention: Intervention) -> Callable[[nn.Module, object, Tensor], Tensor]:
    head = slice(None) if intervention.head is None else intervention.head

    def replace(_module: nn.Module, _args: object, output: Tensor) -> Tensor:
        changed = output.clone()
        changed[:, head] = 0
        if intervention.effect == "first":
            changed[:, head, :, 1:] = -torch.inf
        return changed

    return replace


def _attention_modules(model: Model) -> Iterator[tuple[Kind, int, MultiHeadAttention]]:
    encoder_layers = [module for module in model.modules() if isinstance(module, EncoderLayer)]
    decoder_layers = [module for module in model.modules() if isinstance(module, DecoderLayer)]
    for index, layer in enumerate(encoder_layers):
        yield "encoder_self", index, layer.self_attention
    for index, layer in enumerate(decoder_layers):
        yield "decoder_self", index, layer.self_attention
        if not model.config.decoder_only:
            yield "cross", index, layer.cross_attention


@contextmanager
def _attached(
    hooks: Iterable[tuple[nn.Module, Callable[..., Tensor | None]]], prepend: bool = False
) -> Iterator[None]:
    """Puts hooks on for the block, heeding only passes that run in this context."""
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
