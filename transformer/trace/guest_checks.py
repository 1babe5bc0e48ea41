"""What a guest's trace must hold to."""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from .fields import TraceFields
from .guest import TOLERANCE, Cells, Form, Guest, Layers, Window
from .interventions import Intervention
from .kinds import KINDS, Kind, key_tokens, query_tokens
from .named_places import check_named_places
from .packing import Weights

KINDS_OF: dict[Form, tuple[Kind, ...]] = {
    "encoder": ("encoder_self",),
    "decoder": ("decoder_self",),
    "encoder-decoder": KINDS,
}


def check_guest(trace: TraceFields, guest: Guest) -> None:
    """Refuses what contradicts itself.

    Raises:
        ValueError: a shape contradicts the labels, or the weights are not weights.
    """
    present: dict[Kind, Layers] = {
        kind: layers for kind in KINDS if (layers := trace.layers(kind)) is not None
    }
    strange = present.keys() - set(KINDS_OF[guest.form])
    if strange:
        raise ValueError(f"a trace of form {guest.form!r} has no {', '.join(sorted(strange))}")
    if not any(layer is not None for layers in present.values() for layer in layers):
        raise ValueError("this is no trace: it has no weights at all")
    _check_labels(trace, guest)
    check_named_places(trace)
    for kind, layers in present.items():
        _check_lists(guest, kind, len(layers))
        for number, weights in enumerate(layers):
            if weights is not None:
                _check_layer(trace, guest, kind, number, weights)


def _check_labels(trace: TraceFields, guest: Guest) -> None:
    sizes = {"src": len(trace.src), "tgt": len(trace.tgt_in)}
    if len(trace.tgt_out) != sizes["tgt"]:
        raise ValueError(f"{sizes['tgt']} tokens read, {len(trace.tgt_out)} emitted")
    _fits("src_ids", trace.src_ids, sizes["src"])
    _fits("tgt_ids", trace.tgt_ids, sizes["tgt"])
    _fits("candidates", trace.candidates, sizes[guest.predicts])
    _fits("forced_by", guest.forced_by, sizes[guest.predicts])
    for name, labels in (("words", guest.words), ("parts", guest.parts)):
        for side, values in labels.items():
            _fits(f"{name}.{side}", values, sizes[side])
    if trace.glosses is not None:
        lengths = tuple(map(len, trace.glosses))
        if lengths != tuple(sizes.values()):
            raise ValueError(f"{[*lengths]} glosses of {tuple(sizes.values())} tokens")
    if trace.prefix_length > sizes["tgt"]:
        raise ValueError(f"a prefix of {trace.prefix_length} in {sizes['tgt']} steps")
    if any(hidden.at >= sizes["src"] for hidden in guest.hidden):
        raise ValueError(f"a hidden token stands past the source's {sizes['src']} tokens")


def _fits(name: str, values: Sequence[object], size: int) -> None:
    if values and len(values) != size:
        raise ValueError(f"{name} has {len(values)} members, but there are {size} tokens")


def _check_lists(guest: Guest, kind: Kind, num_layers: int) -> None:
    if not num_layers:
        raise ValueError(f"{kind} has no layer")
    mask = guest.mask.get(kind)
    for name, layers in (
        ("mask", mask if isinstance(mask, tuple) else None),
        ("sink", guest.sink.get(kind)),
        ("key_value_heads", guest.key_value_heads.get(kind)),
    ):
        if layers is not None and len(layers) != num_layers:
            raise ValueError(f"{name} tells of {len(layers)} layers of {kind}: it has {num_layers}")


def _check_layer(
    trace: TraceFields, guest: Guest, kind: Kind, number: int, weights: Weights
) -> None:
    name = f"layer {number + 1} of {kind}"
    size = len(query_tokens(trace, kind)), len(key_tokens(trace, kind))
    if weights.ndim != 3 or weights.shape[1:] != size:
        raise ValueError(
            f"{name} has shape {weights.shape}, but the labels ask for (head, {size[0]}, {size[1]})"
        )
    if not weights.size:
        raise ValueError(f"{name} has shape {weights.shape}: no head or token at all")
    if weights.dtype != np.float32 or weights.flags.writeable:
        raise ValueError(f"{kind} must be a read-only float32 array")
    # Over the heads first: a minimum hands on what is not a number, and a cell is looked at once.
    least, most = weights.min(0), weights.max(0)
    if not (least.min() >= 0 and np.isfinite(most).all()):
        raise ValueError(f"{name} holds values that are negative or not finite")
    mask = guest.mask_of(kind, number)
    if isinstance(mask, np.ndarray) and mask.shape != size:
        raise ValueError(
            f"the mask of {name} has shape {mask.shape}, but the labels ask for {size}"
        )
    if isinstance(mask, str | Window) and mask != "none" and size[0] != size[1]:
        raise ValueError(f"{name} is no square: its mask cannot be causal")
    allowed = trace.allowed(kind, number)
    if most[~allowed].any():
        raise ValueError(f"{name} attends to what its mask hides")
    sums = weights.sum(-1) + _sink(guest, kind, number, weights.shape[:2])
    off = sums - _expected(trace.interventions, kind, number, allowed, sums)
    tolerance = TOLERANCE[guest.origin.dtype]
    if (worst := float(np.abs(off).max())) > tolerance:
        raise ValueError(f"{name} has a row whose sum is off by {worst:.2g}")


def _sink(guest: Guest, kind: Kind, number: int, shape: tuple[int, ...]) -> Weights | float:
    sinks = guest.sink.get(kind)
    sink = None if sinks is None else sinks[number]
    if sink is None:
        return 0.0
    if sink.shape != shape or not np.isfinite(sink).all() or (sink < 0).any():
        raise ValueError(f"the sink of layer {number + 1} of {kind} is no share of each row")
    return sink


def _expected(
    changes: Sequence[Intervention],
    kind: Kind,
    number: int,
    allowed: Cells,
    sums: npt.NDArray[np.float32],
) -> npt.NDArray[np.float32]:
    """What each row's weights and sink are to sum to: 1, or 0 of heads that are switched off."""
    expected = np.ones_like(sums)
    for change in changes:
        if change.kind == kind and change.effect == "zero" and change.layer in (None, number):
            expected[change.index()[1], change.rows] = 0
    # A row that may attend to nothing has no weight, whatever its sink got.
    nothing = ~allowed.any(-1)
    expected[:, nothing] = sums[:, nothing]
    return expected
