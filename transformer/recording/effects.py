"""What interventions do, as forward hooks on the model's hook points."""

from collections.abc import Callable, Iterator, Mapping
from typing import NamedTuple, Protocol

import torch
from torch import Tensor, nn

from ..errors import HeadlightError
from ..model.attention import HookPoint, MultiHeadAttention
from ..model.towers import Model
from ..trace.interventions import Intervention
from ..trace.kinds import Kind
from .layers import block_of, layers_of

Means = Mapping[Kind, Tensor]
"""Each head's mean output: of each kind that a model has, float32 [layer, head, d_head]."""


class Where(NamedTuple):
    """Where in a pass something acts.

    Attributes:
        rows: of the batch.
        first: the step of the decoder's first query; earlier ones were in earlier passes.
    """

    rows: int | slice
    first: int = 0

    def queries(self, change: Intervention, attention: Tensor) -> slice | None:
        """The queries of `attention` [batch, head, query, …] that a change is for, or None."""
        if change.row is None:
            return slice(None)
        # The encoder has but one pass, and that is before the decoder's first.
        at = change.row - self.first
        return slice(at, at + 1) if 0 <= at < attention.size(2) else None


Place = Callable[[], Where | None]
"""Asked at each pass; None: nowhere in this one."""


def everywhere() -> Where:
    """Everywhere: all rows of a batch whose passes begin with the first step."""
    return Where(slice(None))


class Hook(NamedTuple):
    """A forward hook on a module; where there are several on one, the lower `turn` comes first."""

    turn: int
    module: nn.Module
    run: Callable[..., Tensor | None]


class AttentionPoints(Protocol):
    """Hook points of one layer's attention, of a model of ours or of a guest.

    Attributes:
        scores: [batch, head, query, key], before the softmax.
        weights: the same after it.
        attended: [batch, head, query, d_head].
    """

    scores: HookPoint
    weights: HookPoint
    attended: HookPoint


def hooks_of(
    model: Model,
    attention: Mapping[tuple[Kind, int], MultiHeadAttention],
    change: Intervention,
    place: Place,
    means: Means | None,
) -> Iterator[Hook]:
    """The hooks that make up one change.

    Args:
        model: that has all that the change names.
        attention: its attention modules.
        change: what to do.
        place: asked at each pass which rows are changed.
        means: for "mean": by kind [layer, head, d_head].
    Raises:
        HeadlightError: there are no means.
    """
    if change.effect == "positions":
        for tower in model.towers().values():
            yield Hook(0, tower.embedding.position, _without_positions(place))
        return
    for (kind, layer), module in attention.items():
        if change.kind not in (None, kind) or change.layer not in (None, layer):
            continue
        match change.effect:
            case "scale":
                yield Hook(0, module.scores, _times(place, slice(None), module.d_head**0.5))
            case "causal" | "inverted":
                if kind == "decoder_self":
                    yield from _with_other_mask(module, place, change.effect == "inverted")
            case "mixed":
                for point in (module.query, module.key, module.value):
                    yield Hook(0, point, _mixed(place))
            case "residual":
                yield from _without_residual(model, module, kind, layer, place)
            case _:
                yield from attention_hooks(module, (kind, layer), change, place, means)


def attention_hooks(
    module: AttentionPoints,
    at: tuple[Kind, int],
    change: Intervention,
    place: Place,
    means: Means | None,
) -> Iterator[Hook]:
    """The hooks that make up a change to what one layer's heads attend to, or hand on.

    Args:
        module: its hook points.
        at: its kind and layer.
        change: what to do; what is done elsewhere than at these points has no hooks here.
        place: asked at each pass which rows are changed.
        means: for "mean": by kind [layer, head, d_head].
    Raises:
        HeadlightError: there are no means.
    """
    match change.effect:
        case "zero":
            yield Hook(4, module.weights, _set(place, change, 0))
        case "uniform":
            yield Hook(1, module.scores, _set(place, change, 0))
        case "first":
            yield Hook(1, module.scores, _only(place, change, (0,)))
        case "aim":
            yield Hook(1, module.scores, _only(place, change, change.keys))
        case "double":
            yield Hook(0, module.attended, _times(place, change.index()[1], 2))
        case "mean":
            yield Hook(1, module.attended, _set(place, change, _mean(means, *at, change)))
        case "temperature":
            yield Hook(0, module.scores, _times(place, slice(None), 1 / change.value))
        case _:
            pass


def _changed(
    place: Place, change: Callable[[Tensor, Where, tuple[Tensor, ...]], None]
) -> Callable[..., Tensor | None]:
    """A hook that hands on a changed copy of what a module made.

    Args:
        place: asked at each pass; nowhere, all stays as it is.
        change: of the copy, where the change acts; told what went into the module, too.
    """

    def replace(_module: nn.Module, args: tuple[Tensor, ...], output: Tensor) -> Tensor | None:
        if (where := place()) is None:
            return None
        copy = output.clone()
        change(copy, where, args)
        return copy

    return replace


def _set(place: Place, change: Intervention, value: Tensor | float) -> Callable[..., Tensor | None]:
    _, head = change.index()

    def write(output: Tensor, where: Where, _args: object) -> None:
        if (queries := where.queries(change, output)) is not None:
            output[where.rows, head, queries] = value

    return _changed(place, write)


def _only(
    place: Place, change: Intervention, keys: tuple[int, ...]
) -> Callable[..., Tensor | None]:
    """Lets these keys share a row's attention equally."""
    _, head = change.index()

    def write(scores: Tensor, where: Where, _args: object) -> None:
        if (queries := where.queries(change, scores)) is None:
            return
        if keys[-1] >= scores.size(-1):
            raise HeadlightError(
                "bad_intervention",
                f"{change} looks past the end: there are {scores.size(-1)} tokens",
                intervention=str(change),
            )
        scores[where.rows, head, queries] = -torch.inf
        for key in keys:
            scores[where.rows, head, queries, key] = 0

    return _changed(place, write)


def _times(place: Place, head: int | slice, factor: float) -> Callable[..., Tensor | None]:
    def write(output: Tensor, where: Where, _args: object) -> None:
        output[where.rows, head] *= factor

    return _changed(place, write)


def _mean(means: Means | None, kind: Kind, layer: int, change: Intervention) -> Tensor:
    """[1, d_head] of a head, [head, 1, d_head] of a layer's."""
    if not means or kind not in means:
        raise no_means(change)
    return means[kind][layer][change.index()[1]].unsqueeze(-2)


def no_means(change: Intervention) -> HeadlightError:
    """What is wrong where a change asks for means that nobody has measured."""
    return HeadlightError(
        "no_means",
        f"{change} needs each head's mean output, which nobody has measured for this model: "
        "python -m transformer describe MODEL --only heads --data FILE --save",
    )


def _with_other_mask(module: MultiHeadAttention, place: Place, inverted: bool) -> Iterator[Hook]:
    """Takes the softmax over all keys, or those from the diagonal on: there is no padding."""
    last_scores: list[Tensor] = []

    def keep(_module: nn.Module, _args: object, scores: Tensor) -> None:
        last_scores[:] = [scores]

    def write(weights: Tensor, where: Where, _args: object) -> None:
        scores = last_scores.pop()[where.rows]
        if inverted:
            past = torch.ones(scores.shape[-2:], dtype=torch.bool, device=scores.device).tril(-1)
            scores = scores.masked_fill(past, -torch.inf)
        weights[where.rows] = scores.softmax(-1)

    # The scores that all other changes have left, before what is done to weights.
    yield Hook(2, module.scores, keep)
    yield Hook(3, module.weights, _changed(place, write))


def _mixed(place: Place) -> Callable[..., Tensor | None]:
    def write(output: Tensor, where: Where, _args: object) -> None:
        rows = output[where.rows].clone()
        # [length, head, d_head], read as if it were [head, length, d_head].
        output[where.rows] = rows.transpose(-3, -2).reshape(rows.shape)

    return _changed(place, write)


def _without_residual(
    model: Model, module: MultiHeadAttention, kind: Kind, layer: int, place: Place
) -> Iterator[Hook]:
    """Hooks that leave, of the sum of a sublayer and its input, only the sublayer."""
    last_output: list[Tensor] = []

    def keep(_module: nn.Module, _args: object, output: Tensor) -> None:
        last_output[:] = [output]

    def write(total: Tensor, where: Where, _args: object) -> None:
        total[where.rows] = last_output.pop()[where.rows]

    yield Hook(0, module, keep)
    yield Hook(0, block_of(layers_of(model, kind)[layer], kind).after, _changed(place, write))


def _without_positions(place: Place) -> Callable[..., Tensor | None]:
    def write(output: Tensor, where: Where, args: tuple[Tensor, ...]) -> None:
        output[where.rows] = args[0][where.rows]

    return _changed(place, write)
