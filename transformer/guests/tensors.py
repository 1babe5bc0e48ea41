"""Attention as models return it, out of whatever library, as arrays."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

import numpy as np
import numpy.typing as npt

from ..trace.guest import TOLERANCE, Cells, Precision
from ..trace.kinds import Kind
from .arguments import check_numbers

Array = npt.NDArray[np.float32]
Layer = Array | None
Chosen = dict[Kind, list[int] | None]

MOST_BYTES = 1_000_000_000
HINT = "these look like scores; hand in the softmax's output"
TRAINING = "was the model in training mode, with dropout? Call model.eval() first"
BELOW = (
    f"{TRAINING}. Or has it sinks, as gpt-oss, to which a row gives what no token gets? "
    "headlight.load draws these"
)
CONVERTED = (
    "were they computed in half precision and made float32 afterwards? Hand them in as the model "
    "returned them"
)


@dataclass(frozen=True)
class Given:
    """One kind of attention, of one text of a batch.

    Attributes:
        name: of the argument.
        layers: [head, query, key], float32, as given but that rows of NaN are zeros.
        dtype: what it was computed in.
        library: whose tensors they were.
    """

    name: str
    layers: tuple[Layer, ...]
    dtype: Precision
    library: str

    def size(self) -> tuple[int, int]:
        """How many queries and keys there are."""
        shape = next(layer.shape for layer in self.layers if layer is not None)
        return shape[1], shape[2]


def read_attention(
    name: str, given: object, *, row: int = 0, include_layers: Sequence[int] | None = None
) -> Given:
    """Reads a tuple by layer, or one array.

    Args:
        name: of the argument, for sentences.
        given: by layer [batch, head, query, key] or [head, query, key], a layer perhaps None; or
            one array of all, with the layer first.
        row: which text of a batch.
        include_layers: those to read, counted from 0; the others are as if they had no attention.
    Raises:
        ValueError: naming the argument, its shape and what was expected.
    """
    layers = by_layer(name, given)
    if include_layers is not None:
        chosen = set(include_layers)
        layers = [layer if number in chosen else None for number, layer in enumerate(layers)]
    tensors = [layer for layer in layers if layer is not None]
    if not tensors:
        raise ValueError(
            f"{name} has no layer with attention: call the model with output_attentions=True, "
            'loaded with attn_implementation="eager"'
        )
    _refuse_cost(name, tensors)
    arrays: list[Layer] = []
    for number, layer in enumerate(layers):
        where = f"{name}[{number}]"
        arrays.append(None if layer is None else one_text(where, layer, row))
    return Given(name, tuple(arrays), dtype_of(tensors), library_of(tensors[0]))


def up_to(kinds: Mapping[Kind, Given], include_heads: Sequence[int] | None) -> dict[Kind, Given]:
    """Attention with its heads up to the last that was named: each keeps its number.

    Towers may be of unlike size: of each, those that it has.
    """
    if include_heads is None:
        return dict(kinds)
    wide = [len(it) for given in kinds.values() for it in given.layers if it is not None]
    check_numbers("include_heads", include_heads, max(wide), "heads")
    last = max(include_heads) + 1
    parts: dict[Kind, Given] = {}
    for kind, given in kinds.items():
        layers = tuple(None if layer is None else layer[:last] for layer in given.layers)
        parts[kind] = Given(given.name, layers, given.dtype, given.library)
    return parts


def chosen_of(include_layers: Sequence[int] | None, depths: Mapping[Kind, int]) -> Chosen:
    """Layers that were named and each kind's tower has; None for all.

    Raises:
        ValueError: no tower has one of them.
    """
    if include_layers is None:
        return dict.fromkeys(depths)
    check_numbers("include_layers", include_layers, max(depths.values()), "layers")
    return {kind: [it for it in include_layers if it < depth] for kind, depth in depths.items()}


def by_layer(name: str, given: object) -> list[Any]:
    """The layers of a tuple or of one array, not yet read."""
    if isinstance(given, Sequence) and not isinstance(given, str):
        layers = list(cast(Sequence[Any], given))
    elif not getattr(given, "is_nested", False) and getattr(given, "ndim", None) in (4, 5):
        layers = list(cast(Any, given))
    else:
        raise ValueError(
            _returned(name, given)
            or f"{name} is {in_words(given)}; expected a tuple by layer of [batch, head, query, "
            "key] or [head, query, key], or one array [layer, head, query, key]"
        )
    if not layers:
        raise ValueError(f"{name} is empty: it has no layer")
    return layers


def one_text(where: str, layer: object, row: int) -> Array:
    """One text's weights of a layer, [head, query, key].

    Raises:
        ValueError: it is of another shape, or the batch has no such row.
    """
    shape = shape_of(layer)
    if len(shape) == 4:
        if not 0 <= row < shape[0]:
            raise ValueError(f"row={row}, but {where} has shape {shape}: a batch of {shape[0]}")
        layer = cast(Any, layer)[row]
    elif len(shape) != 3 or row:
        expected = (
            "[batch, head, query, key]"
            if row
            else ("[batch, head, query, key] or [head, query, key]")
        )
        raise ValueError(f"{where} has shape {shape}; expected {expected}")
    if 0 in shape:
        raise ValueError(f"{where} has shape {shape}: it is empty")
    array = array_of(layer, where)
    if not np.issubdtype(array.dtype, np.floating):
        raise ValueError(f"{where} holds {array.dtype}, where weights are numbers with a fraction")
    return np.ascontiguousarray(array, np.float32)


def checked(where: str, weights: Array, dtype: Precision, sink: Array | None = None) -> Array:
    """The weights of a layer, rows of NaN as zeros.

    Args:
        where: for sentences.
        weights: [head, query, key].
        dtype: what they were computed in.
        sink: what each row gave to no token, [head, query]; None for nothing.
    Raises:
        ValueError: they are no weights after a softmax.
    """
    unknown = np.isnan(weights)
    if unknown.any():
        whole: Cells = np.all(unknown, -1)
        if np.any(np.any(unknown, -1) & ~whole):
            raise ValueError(f"{where} has rows in which only some weights are NaN")
        weights = np.where(whole[..., None], np.float32(0), weights)
    sums = weights.sum(-1)
    if (weights < 0).any() or not np.isfinite(weights).all():
        low, high = float(weights.min()), float(weights.max())
        worst = low if low < 0 else high
        raise ValueError(f"{where} holds {worst:.3g}, which is no weight: {HINT}")
    off = np.abs(sums + (0 if sink is None else sink) - 1)
    off[~np.any(weights, -1)] = 0
    worst = float(sums.flat[int(off.argmax())])
    if off.max() > TOLERANCE[dtype]:
        near = off.max() <= TOLERANCE["bfloat16"]
        below = not (sums > 1 + TOLERANCE[dtype]).any()
        reason = HINT if worst > 2 else CONVERTED if near else BELOW if below else TRAINING
        exactly = f"{worst:.7g}" if abs(worst - 1) < 0.01 else f"{worst:.4g}"
        raise ValueError(f"{where} has rows that sum to {exactly}: {reason}")
    return weights


def array_of(value: object, where: str = "it") -> npt.NDArray[Any]:
    """A tensor of whatever library as NumPy's, in its shape; floating-point numbers as float32.

    Args:
        value: the tensor.
        where: for sentences.
    Raises:
        ValueError: its values are not at hand.
    """
    tensor = cast(Any, value)
    if hasattr(tensor, "detach"):
        refuse_without_values(tensor, where)
        tensor = tensor.detach()
        if tensor.is_floating_point():
            tensor = tensor.float()
        return tensor.cpu().numpy()
    try:
        array = np.asarray(tensor.numpy() if callable(getattr(tensor, "numpy", None)) else tensor)
    except ValueError as error:
        raise ValueError(f"{where} is {in_words(value)} whose rows are of unlike length") from error
    return array.astype(np.float32) if "float" in str(array.dtype) else array


def shape_of(value: object) -> tuple[int, ...]:
    """A tensor's shape, without reading it."""
    if getattr(value, "is_nested", False):
        return ()
    shape = getattr(value, "shape", None)
    if shape is None:
        try:
            return np.shape(cast(Any, value))
        except ValueError:
            return ()
    return tuple(int(side) for side in shape)


def dtype_of(layers: Sequence[object]) -> Precision:
    """What a model computed in, by its least exact layer."""
    names = {str(getattr(layer, "dtype", "")) for layer in layers}
    if any("bfloat16" in name for name in names):
        return "bfloat16"
    return "float16" if any("float16" in name or "half" in name for name in names) else "float32"


def library_of(value: object) -> str:
    """The library of a tensor, by the name that people import."""
    name = type(value).__module__.split(".")[0]
    return {"jaxlib": "jax", "builtins": ""}.get(name, name)


def in_words(value: object) -> str:
    """What a value is, for a sentence."""
    kind = type(value).__name__
    if getattr(value, "is_nested", False):
        return "a nested tensor"
    shape = getattr(value, "shape", None)
    return "None" if value is None else kind if shape is None else f"of shape {shape_of(value)}"


def refuse_without_values(tensor: Any, where: str) -> None:
    """Refuses a tensor whose values are not at hand.

    Raises:
        ValueError: saying why.
    """
    why = ""
    if str(getattr(tensor, "layout", "torch.strided")) != "torch.strided":
        why = "is a sparse tensor: hand in its .to_dense()"
    elif getattr(tensor, "is_nested", False):
        why = "is a nested tensor: hand in one text's"
    elif getattr(tensor, "is_meta", False):
        why = "lies on the meta device, where tensors have no values"
    elif getattr(tensor, "is_quantized", False):
        why = "is quantised: hand in its .dequantize()"
    if why:
        raise ValueError(f"{where} {why}")


def _returned(name: str, given: object) -> str | None:
    """A sentence on where the attention is in what transformers, or its `generate`, returned."""
    kind = type(given).__name__
    if hasattr(given, "to_tuple"):
        if getattr(given, "attentions", None):
            return f"{name} is a {kind}: hand in its .attentions"
        parts = ("encoder_attention", "decoder_attention", "cross_attention")
        if present := [it for it in parts if getattr(given, f"{it}s", None)]:
            named = ", ".join(f"{it}=output.{it}s" for it in present)
            return f"{name} is a {kind}: hand in its parts, {named}"
        return (
            f"{name} is a {kind} without attentions: call the model with output_attentions=True, "
            'loaded with attn_implementation="eager"'
        )
    if len(shape_of(given)) in (1, 2) and "int" in str(getattr(given, "dtype", "")):
        return (
            f"{name} is {in_words(given)} and holds ids: hand in what generate(..., "
            "return_dict_in_generate=True, output_attentions=True) returns"
        )
    return None


def _refuse_cost(name: str, layers: Sequence[object]) -> None:
    size = sum(int(np.prod(shape_of(layer)[-3:])) * 4 for layer in layers)
    if size > MOST_BYTES:
        fits = int(len(layers) * MOST_BYTES / size)
        way = f"include_layers= with {fits} of its {len(layers)}, or " if fits else ""
        raise ValueError(f"{name} takes {size / 1e9:.1f} GB, more than 1: {way}a shorter text fits")
