"""The arrays of a trace, out of JSON or out of an archive, before anything is believed of them."""

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple, cast

import numpy as np
import numpy.typing as npt

from .kinds import KINDS, Kind
from .packing import unpack

Array = npt.NDArray[Any]
KindNumbers = Array | list[Array | None]
"""Numbers of a kind [layer, head, query, key], or by layer [head, query, key]."""


class Numbers(NamedTuple):
    """The weights of each kind that is there, and by layer the sinks of each that has some."""

    weights: dict[Kind, KindNumbers]
    sinks: dict[Kind, list[Array | None]]


def packed_numbers(values: Mapping[str, Any], version: int) -> Numbers:
    """The arrays in a trace's JSON, with axes as `KindNumbers`; sinks are [head, query]."""
    if version == 1:
        if values.get("decoder_self") is None:
            raise ValueError("this is no trace: it has no decoder_self")
        whole: dict[Kind, KindNumbers] = {
            kind: unpack(values[kind]) for kind in KINDS if values.get(kind) is not None
        }
        return Numbers(whole, {})
    # What is no weight's sum is no sink's, either: a row is made whole after both are known.
    numbers = named_numbers(values, lambda value: unpack(value, whole=False))
    if (values.get("origin") or {}).get("dtype", "float32") != "float32":
        return numbers
    for kind, layers in numbers.weights.items():
        sinks = numbers.sinks.get(kind)
        packed = values[kind]
        if isinstance(layers, list):
            for number, layer in enumerate(layers):
                if layer is not None and packed[number]["dtype"] == "float16":
                    layers[number] = made_whole(layer, sinks[number] if sinks else None)
        elif packed["dtype"] == "float16":
            if sinks is None:
                numbers.weights[kind] = made_whole(layers, None)
            else:
                pairs = zip(layers, sinks, strict=True)
                numbers.weights[kind] = np.stack([made_whole(*pair) for pair in pairs])
    return numbers


def sizes_of(numbers: Numbers) -> dict[Kind, tuple[int, ...]]:
    """Layers, and heads at most, of each kind [layer, head, query, key]."""
    return {
        kind: (len(layers), max((len(layer) for layer in layers if layer is not None), default=0))
        if isinstance(layers, list)
        else layers.shape[:2]
        for kind, layers in numbers.weights.items()
    }


def named_numbers(values: Mapping[str, Any], one: Callable[[Any], Array]) -> Numbers:
    """The arrays that the fields of a trace of version 2 name, each read by `one`.

    A field is an array [layer, head, query, key], or a list of [head, query, key] by layer.
    """

    def by_layer(value: object) -> list[Array | None]:
        if not isinstance(value, list) or not value:
            raise ValueError("what is told by layer is a list with a member for each layer")
        return [None if layer is None else one(layer) for layer in cast(list[Any], value)]

    def whole(kind: Kind, value: Any) -> Array:
        array = one(value)
        # Before anything is made of its size: without numbers in it, a shape may say anything.
        if not array.size:
            raise ValueError(f"{kind} has shape {array.shape}: no layer, head or token at all")
        return array

    weights: dict[Kind, KindNumbers] = {}
    for kind in KINDS:
        if (value := values.get(kind)) is not None:
            listed = isinstance(value, list)
            weights[kind] = by_layer(cast(object, value)) if listed else whole(kind, value)
    sinks = cast("dict[Kind, Any]", values.get("sink") or {})
    if not sinks.keys() <= weights.keys():
        raise ValueError("there is a sink of a kind that has no weights")
    return Numbers(
        weights, {kind: by_layer(value) for kind, value in sinks.items() if value is not None}
    )


def made_whole(weights: Array, sink: Array | None) -> Array:
    """Weights [..., query, key] whose rows and sinks [..., query] sum to 1 again.

    Rounding to float16 moves a sum; one that is further off than that stays as it is.
    """
    share = 1 - (np.zeros(weights.shape[:-1], np.float32) if sink is None else sink)
    sums = weights.sum(-1)
    scale = np.where(
        (np.abs(sums - share) < 1e-3) & (sums > 0), share / np.where(sums > 0, sums, 1), 1
    )
    return weights * scale[..., None].astype(np.float32)
