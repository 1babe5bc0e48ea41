"""What every Plotly matrix of tokens has: its cells, its labels, its size."""

import html
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from ..trace.kinds import Kind, Tokens

if TYPE_CHECKING:
    from plotly.graph_objects import Figure
else:  # Plotly takes longer to import than all of this package: it is, once something is drawn
    Figure = Any

Numbers = npt.NDArray[np.floating[Any]]

COLORS = (
    *("#e8f4fb", "#cde9f6", "#b1dff2", "#94d4ed", "#78c8e8", "#68b9e2", "#59aadb", "#499ad4"),
    *("#398bcc", "#297dc5", "#216eb8", "#1e60a7", "#1a5297", "#174487", "#143677", "#112967"),
    "#0e1b58",
)
"""The page's default scale, weight 0 to 1 in even steps; a test compares the two."""

CELL = 34


def matrix_figure(
    numbers: Numbers,
    rows: Sequence[str],
    columns: Sequence[str],
    axes: tuple[str, str],
    width: int = CELL,
    **cells: Any,
) -> Figure:
    """A cell for each number, [row, column], labelled on both sides; NaN leaves one blank.

    Args:
        numbers: [row, column].
        rows: their labels, from the top.
        columns: theirs.
        axes: what columns and rows are.
        width: of a column, in pixels.
        cells: of Plotly's Heatmap.
    Raises:
        ModuleNotFoundError: Plotly is not installed.
    """
    import plotly.graph_objects as go

    figure = go.Figure(go.Heatmap(z=numbers, hoverongaps=False, xgap=1, ygap=1, **cells))
    axis: dict[str, Any] = {"showgrid": False, "zeroline": False, "constrain": "domain"}
    figure.update_xaxes(
        **axis,
        title=axes[0],
        side="top",
        tickvals=list(range(len(columns))),
        ticktext=[text(column) for column in columns],
    )
    figure.update_yaxes(
        **axis,
        title=axes[1],
        autorange="reversed",
        tickvals=list(range(len(rows))),
        ticktext=[text(row) for row in rows],
    )
    figure.update_layout(
        width=len(columns) * width + 300,
        height=len(rows) * CELL + 190,
        margin={"t": 150, "b": 40},
        plot_bgcolor="white",
    )
    return figure


def steps(tgt_in: Sequence[str], tgt_out: Sequence[str]) -> list[str]:
    """The decoder rows' labels: what each reads, and what it predicts."""
    return [f"{a} → {b}" for a, b in zip(tgt_in, tgt_out, strict=True)]


def row_labels(tokens: Tokens, kind: Kind) -> list[str]:
    """The labels of a matrix's rows."""
    return [*tokens.src] if kind == "encoder_self" else steps(tokens.tgt_in, tokens.tgt_out)


def text(token: str) -> str:
    """A token for Plotly, which reads labels as markup, and what stands between $ signs as TeX."""
    return html.escape(token).replace("$", "&#36;")
