"""Pure functions of a trace that draw with other libraries: Plotly."""

from urllib.parse import quote

import numpy as np

from ..trace.guest import Cells
from ..trace.head_names import head_name
from ..trace.kinds import KINDS, TITLES, Kind, key_tokens, predicted_tokens, query_tokens
from ..trace.packing import Weights
from ..trace.trace import AttentionTrace
from .matrix import CELL, COLORS, Figure, matrix_figure, row_labels, text

HATCH = (
    '<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}">'
    '<pattern id="h" width="6" height="6" patternUnits="userSpaceOnUse">'
    '<path d="M0 6 6 0" stroke="#b9b8b4" stroke-width="1"/></pattern>'
    '<path d="{path}" fill="url(#h)"/></svg>'
)


def heatmap(trace: AttentionTrace, kind: str, layer: int, head: int) -> Figure:
    """One head's weights as a Plotly figure, labelled as on the page.

    A decoder row is named by the token it reads and the one it predicts. Masked cells are hatched:
    they have no weight, which is not the same as a weight of 0.

    Args:
        trace: where the weights are.
        kind: "encoder_self", "decoder_self" or "cross".
        layer: from 0.
        head: from 0.
    Raises:
        ValueError: the trace has no such kind, layer or head.
        ModuleNotFoundError: Plotly is not installed.
    """
    if kind not in KINDS:
        raise ValueError(f"there is no kind {kind!r}; the kinds are {', '.join(KINDS)}")
    weights = _weights(trace, kind, layer, head)
    num_queries, num_keys = weights.shape
    hidden = ~trace.allowed(kind, layer)
    queries, keys = query_tokens(trace, kind), key_tokens(trace, kind)
    predicted = predicted_tokens(trace, kind)
    reads = [f"reads {text(query)}" for query in queries]
    if predicted:
        reads = [f"{row} → predicts {text(it)}" for row, it in zip(reads, predicted, strict=True)]
    figure = matrix_figure(
        np.where(hidden, np.nan, weights),
        row_labels(trace, kind),
        keys,
        ("attends to", "reads → predicts" if predicted else "token"),
        customdata=[
            [
                f"{row}<br>attends to {text(key)}: <b>{weight:.4f}</b>"
                for key, weight in zip(keys, line, strict=True)
            ]
            for row, line in zip(reads, weights, strict=True)
        ],
        hovertemplate="%{customdata}<extra></extra>",
        zmin=0,
        zmax=1,
        colorscale=list(COLORS),
        colorbar={"title": "attention weight", "thickness": 14},
    )
    title = f"{TITLES[kind]}, {head_name(layer, head)}"
    figure.update_layout(title=f"{title}<br><sup>{text(trace.model)}: {text(trace.source)}</sup>")
    figure.update_yaxes(scaleanchor="x")
    if hidden.any():
        figure.add_layout_image(
            source=f"data:image/svg+xml,{quote(_hatch(hidden))}",
            xref="x",
            yref="y",
            x=-0.5,
            y=-0.5,
            sizex=num_keys,
            sizey=num_queries,
            sizing="stretch",
            layer="below",
        )
    return figure


def _weights(trace: AttentionTrace, kind: Kind, layer: int, head: int) -> Weights:
    """One head's, [query, key]."""
    layers = trace.layers(kind)
    if layers is None:
        raise ValueError(f"model {trace.model!r} has no {kind}: it is decoder-only")
    _check("layer", kind, layer, len(layers))
    weights = layers[layer]
    if weights is None:
        raise ValueError(f"layer {layer} of {kind} has no attention")
    _check("head", kind, head, len(weights))
    return weights[head]


def _check(name: str, kind: Kind, index: int, count: int) -> None:
    if not 0 <= index < count:
        raise ValueError(f"{kind} has {name}s 0 to {count - 1}, not {index}")


def _hatch(hidden: Cells) -> str:
    """A picture of a matrix, hatched where nothing may be attended to."""
    cells = (
        f"M{key * CELL} {query * CELL}h{CELL}v{CELL}h-{CELL}z" for query, key in np.argwhere(hidden)
    )
    queries, keys = hidden.shape
    return HATCH.format(width=keys * CELL, height=queries * CELL, path="".join(cells))
