"""Pure functions of a trace that draw with other libraries: Plotly."""

import html
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

import numpy as np

from .hooks import KINDS, Kind
from .trace import AttentionTrace, Weights

if TYPE_CHECKING:
    from plotly.graph_objects import Figure

TITLES: dict[Kind, str] = {
    "encoder_self": "Encoder self-attention",
    "decoder_self": "Decoder self-attention",
    "cross": "Cross-attention",
}
COLORS = (
    *("#e8f4fb", "#cde9f6", "#b1dff2", "#94d4ed", "#78c8e8", "#68b9e2", "#59aadb", "#499ad4"),
    *("#398bcc", "#297dc5", "#216eb8", "#1e60a7", "#1a5297", "#174487", "#143677", "#112967"),
    "#0e1b58",
)
"""The page's default scale, weight 0 to 1 in even steps; a test compares the two."""

CELL = 34
HATCH = (
    '<svg xmlns="http://www.w3.org/2000/svg" width="{size}" height="{size}">'
    '<pattern id="h" width="6" height="6" patternUnits="userSpaceOnUse">'
    '<path d="M0 6 6 0" stroke="#b9b8b4" stroke-width="1"/></pattern>'
    '<path d="{path}" fill="url(#h)"/></svg>'
)


def heatmap(trace: AttentionTrace, kind: str, layer: int, head: int) -> "Figure":
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
    import plotly.graph_objects as go  # here, because it takes longer than all of this package

    weights = head_weights(trace, kind, layer, head)
    decodes = kind != "encoder_self"
    keys = trace.tgt_in if kind == "decoder_self" else trace.src
    queries = trace.tgt_in if decodes else trace.src
    masked = np.triu(np.ones(weights.shape, bool), 1) & (kind == "decoder_self")
    rows = [
        f"{_text(query)} → {_text(trace.tgt_out[i])}" if decodes else _text(query)
        for i, query in enumerate(queries)
    ]
    tips = [
        [
            f"reads {row.replace('→', '→ predicts', 1) if decodes else row}"
            f"<br>attends to {_text(key)}: <b>{weight:.4f}</b>"
            for key, weight in zip(keys, line, strict=True)
        ]
        for row, line in zip(rows, weights, strict=True)
    ]
    cells = go.Heatmap(
        z=np.where(masked, np.nan, weights),
        customdata=tips,
        hovertemplate="%{customdata}<extra></extra>",
        hoverongaps=False,
        zmin=0,
        zmax=1,
        colorscale=list(COLORS),
        colorbar={"title": "attention weight", "thickness": 14},
        xgap=1,
        ygap=1,
    )
    figure = go.Figure(cells)
    axis: dict[str, Any] = {"showgrid": False, "zeroline": False, "constrain": "domain"}
    figure.update_xaxes(
        **axis,
        title="attends to",
        side="top",
        tickvals=list(range(len(keys))),
        ticktext=[_text(key) for key in keys],
    )
    figure.update_yaxes(
        **axis,
        title="reads → predicts" if decodes else "token",
        autorange="reversed",
        scaleanchor="x",
        tickvals=list(range(len(rows))),
        ticktext=rows,
    )
    title = f"{TITLES[_kind(kind)]}, layer {layer + 1}, head {head + 1}"
    figure.update_layout(
        title=f"{title}<br><sup>{_text(trace.model)}: {_text(trace.source)}</sup>",
        width=len(keys) * CELL + 300,
        height=len(rows) * CELL + 190,
        margin={"t": 150, "b": 40},
        plot_bgcolor="white",
    )
    if kind == "decoder_self":
        figure.add_layout_image(
            source=f"data:image/svg+xml,{quote(_hatch(len(keys)))}",
            xref="x",
            yref="y",
            x=-0.5,
            y=-0.5,
            sizex=len(keys),
            sizey=len(rows),
            sizing="stretch",
            layer="below",
        )
    return figure


def head_weights(trace: AttentionTrace, kind: str, layer: int, head: int) -> Weights:
    """One head's weights, [query, key].

    Raises:
        ValueError: the trace has no such kind, layer or head.
    """
    weights = trace.weights(_kind(kind))
    if weights is None:
        raise ValueError(f"model {trace.model!r} has no {kind}: it is decoder-only")
    for name, index, count in (
        ("layer", layer, weights.shape[0]),
        ("head", head, weights.shape[1]),
    ):
        if not 0 <= index < count:
            raise ValueError(f"{kind} has {name}s 0 to {count - 1}, not {index}")
    return weights[layer, head]


def _kind(name: str) -> Kind:
    for kind in KINDS:
        if kind == name:
            return kind
    raise ValueError(f"there is no kind {name!r}; the kinds are {', '.join(KINDS)}")


def _hatch(length: int) -> str:
    """A picture of a square matrix: what lies above its diagonal is hatched."""
    rows = (
        f"M{(row + 1) * CELL} {row * CELL}H{length * CELL}v{CELL}H{(row + 1) * CELL}z"
        for row in range(length - 1)
    )
    return HATCH.format(size=length * CELL, path="".join(rows))


def _text(token: str) -> str:
    """A token for Plotly, which reads labels as markup, and what stands between $ signs as TeX."""
    return html.escape(token).replace("$", "&#36;")
