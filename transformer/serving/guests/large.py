"""What travels first of a large trace: of its heads, thumbnails and numbers alone."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, cast

import numpy as np

from ...errors import HeadlightError
from ...inside.source_links import aligned_cells
from ...trace.guest import Cells, Guest, Layers
from ...trace.guest_json import packed_layers
from ...trace.head_names import parse_head
from ...trace.head_statistics import KindStatistics, Tally
from ...trace.kinds import KINDS, Kind, key_tokens
from ...trace.packing import Weights, kept_of
from ...trace.parts import HeadsInParts, thumbnails
from ...trace.roles import Role, role_cells
from ...trace.trace import AttentionTrace
from ..wire.answers import as_json
from .answered import Answered

MOST_HEADS = 370_000_000
"""Bytes of a trace's heads in parts: what the server keeps at all."""

DIGITS = 4
"""Digits after the point, of numbers about heads."""


def size_of(trace: AttentionTrace) -> int:
    """Bytes of a trace's weights in parts, before anything is compressed."""
    size = 0
    for kind in KINDS:
        there = [layer for layer in trace.layers(kind) or () if layer is not None]
        if there:
            size += 2 * sum(map(len, there)) * int(kept_of(there[0]).sum())
    return size


def large(trace: AttentionTrace, rest: Mapping[str, Any]) -> Answered:
    """A trace to be sent by and by.

    Args:
        trace: a guest's.
        rest: of the answer's fields.
    Raises:
        HeadlightError: there are more weights than the server keeps.
    """
    if (size := size_of(trace)) > MOST_HEADS:
        raise HeadlightError(
            "guest_too_long",
            f"The weights take {size / 1e6:.0f} MB of memory; at most {MOST_HEADS / 1e6:.0f} fit.",
            **room(trace, size, MOST_HEADS),
        )
    layers: dict[Kind, Layers] = {k: it for k in KINDS if (it := trace.layers(k)) is not None}
    heads: dict[Kind, HeadsInParts] = {kind: HeadsInParts.of(own) for kind, own in layers.items()}
    labels = trace.header()
    if trace.guest is not None and trace.guest.sink:
        labels["sink"] = {k: packed_layers(by, "float16") for k, by in trace.guest.sink.items()}
    body = {
        "trace": labels,
        **rest,
        "large": {
            k: {**it.payload(), "thumbnails": thumbnails(layers[k])} for k, it in heads.items()
        },
        "statistics": statistics_of(trace),
    }
    openings = tuple(f"{kind}.{_opening(trace, kind, own)}" for kind, own in layers.items())
    return Answered(as_json(body), heads, openings)


def room(trace: AttentionTrace, size: int, most: int) -> dict[str, int]:
    """What the refusal of a trace tells whose weights take more bytes than there is room for."""
    tokens = max(len(trace.src), len(trace.tgt_in))
    return {"tokens": tokens, "size": round(size / 1e6), "most": round(most / 1e6)}


def statistics_of(trace: AttentionTrace) -> dict[str, dict[str, Any] | int | None]:
    """What each head does in a trace, in numbers, as the page reads it."""
    payloads: dict[Kind, dict[str, Any]] = {}
    alike = trace.arrays()
    for kind in KINDS:
        if kind in alike:
            payload = _tallied(trace, kind, alike[kind]).payload()
            payloads[kind] = {**payload, "measures": _short(payload["measures"])}
        elif (layers := trace.layers(kind)) is not None:
            payloads[kind] = _by_layer(
                [None if it is None else _tallied(trace, kind, it[None]).payload() for it in layers]
            )
    return {"sentences": 1, **{kind: payloads.get(kind) for kind in KINDS}}


def _tallied(trace: AttentionTrace, kind: Kind, weights: Weights) -> KindStatistics:
    keys, layers = key_tokens(trace, kind), trace.layers(kind) or ()
    there = [at for at, layer in enumerate(layers) if layer is not None]
    may: Cells = np.logical_or.reduce([trace.allowed(kind, at) for at in there])
    cells: dict[Role, Cells] = {
        role: own & may for role, own in role_cells(kind, len(may), keys).items()
    }
    if kind == "cross":
        cells |= aligned_cells(trace.src, trace.tgt_out, trace.glosses)
    tally = Tally(kind)
    tally.add(weights, keys, "kept", cells, may)
    return tally.means()


def _by_layer(layers: Sequence[dict[str, Any] | None]) -> dict[str, Any]:
    """Payloads of layers with unlike numbers of heads, as one."""
    one = next(it for it in layers if it is not None)

    def of(it: dict[str, Any] | None, name: str) -> list[Any]:
        return [] if it is None else it["measures"][name][0]

    return {
        **one,
        "measures": {name: _short([of(it, name) for it in layers]) for name in one["measures"]},
        "roles": [[] if it is None else it["roles"][0] for it in layers],
    }


def _short(numbers: Any) -> Any:
    match numbers:
        case dict():
            return {name: _short(it) for name, it in cast(dict[str, Any], numbers).items()}
        case list():
            return [_short(it) for it in cast(list[Any], numbers)]
        case _:
            return None if numbers is None else round(numbers, DIGITS)


def _opening(trace: AttentionTrace, kind: Kind, layers: Layers) -> str:
    """The head that a page shows of a kind first (`openingHead` in assets/trace/trace.js)."""
    if (representative := trace.heads.get(kind)) is not None:
        return (
            representative.head if representative.opening is None else representative.opening.head
        )
    return f"L{max(at for at, it in enumerate(layers) if it is not None and len(it)) + 1}H1"


def in_layers(trace: AttentionTrace, chosen: frozenset[int]) -> AttentionTrace:
    """A guest's trace without the weights of all other layers."""
    guest = trace.guest
    assert guest is not None

    def only(layers: Layers) -> Layers:
        return tuple(it if at in chosen else None for at, it in enumerate(layers))

    ragged = {k: only(it) for k in KINDS if (it := trace.layers(k)) is not None}
    changed: Guest = replace(
        guest, ragged=ragged, sink={k: only(it) for k, it in guest.sink.items()}
    )
    here = {k: it for k, it in trace.heads.items() if parse_head(it.head)[0] in chosen}
    return replace(trace, guest=changed, heads=here, **dict.fromkeys(KINDS))
