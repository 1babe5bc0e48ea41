"""Heads, layers and tokens that a trace names beside its weights: whether they are there."""

import re

from .fields import TraceFields
from .head_names import RepresentativeHead, parse_head
from .interventions import Intervention
from .kinds import KINDS, Kind, key_tokens, query_tokens


def check_named_places(trace: TraceFields) -> None:
    """Refuses representative heads and interventions of what the trace does not have.

    A row past the end may be named: a translation can end before it.

    Raises:
        ValueError: naming what is not there.
    """
    sizes = {kind: _heads_by_layer(trace, kind) for kind in KINDS}
    for kind, representative in trace.heads.items():
        if not all(_is_there(sizes[kind], *place) for place in _places_of(representative)):
            raise ValueError(
                f"heads: there is no {kind} head {representative.head}, or its opening is not"
            )
    for change in trace.interventions:
        if change.kind is not None and not (
            _is_there(sizes[change.kind], change.layer, change.head)
            and _has_keys(trace, change.kind, change)
        ):
            raise ValueError(f"interventions: {change} names what is not there")


def _heads_by_layer(trace: TraceFields, kind: Kind) -> tuple[int, ...]:
    return tuple(0 if layer is None else len(layer) for layer in trace.layers(kind) or ())


def _places_of(representative: RepresentativeHead) -> list[tuple[int, int | None]]:
    places: list[tuple[int, int | None]] = [parse_head(representative.head)]
    if representative.opening is not None:
        mean = re.fullmatch(r"L(\d+)\.mean", representative.opening.head, re.ASCII)
        places.append((int(mean[1]) - 1, None) if mean else parse_head(representative.opening.head))
    return places


def _is_there(heads_by_layer: tuple[int, ...], layer: int | None, head: int | None) -> bool:
    if layer is None:
        return bool(heads_by_layer)
    return layer < len(heads_by_layer) and (head is None or head < heads_by_layer[layer])


def _has_keys(trace: TraceFields, kind: Kind, change: Intervention) -> bool:
    past = (change.row or 0) >= len(query_tokens(trace, kind))
    return past or all(key < len(key_tokens(trace, kind)) for key in change.keys)
