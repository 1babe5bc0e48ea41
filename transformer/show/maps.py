"""Plotly figures of what `inside` measures: a number a head, or a number a pair of tokens."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ..trace.kinds import TITLES, Kind
from .matrix import CELL, COLORS, Figure, Numbers, matrix_figure, text

DIVERGING = ("#8f3d0a", "#c9692c", "#e6a57c", "#f4f4f2", "#7fb4d9", "#347fb9", "#114a7d")
"""Below 0 orange, above 0 blue: told apart by people who do not see red or green."""


def head_maps(maps: Mapping[Kind, Numbers], title: str, unit: str = "") -> Figure:
    """One number a head, as a map layers × heads for each kind, on one scale.

    Args:
        maps: by kind, [layer, head].
        title: what the number is.
        unit: of it.
    Raises:
        ModuleNotFoundError: Plotly is not installed.
    """
    from plotly.subplots import make_subplots  # pyright: ignore[reportUnknownVariableType]

    figure = make_subplots(1, max(1, len(maps)), subplot_titles=[TITLES[kind] for kind in maps])
    for column, (kind, numbers) in enumerate(maps.items(), 1):
        layers, heads = numbers.shape
        tips = [
            [f"{TITLES[kind]} L{layer + 1}H{head + 1}" for head in range(heads)]
            for layer in range(layers)
        ]
        figure.add_heatmap(
            z=numbers,
            customdata=tips,
            hovertemplate=f"%{{customdata}}: <b>%{{z:.4g}}</b> {text(unit)}<extra></extra>",
            coloraxis="coloraxis",
            xgap=1,
            ygap=1,
            row=1,
            col=column,
        )
        figure.update_xaxes(
            tickvals=list(range(heads)),
            ticktext=[f"H{head + 1}" for head in range(heads)],
            showgrid=False,
            row=1,
            col=column,
        )
        figure.update_yaxes(
            tickvals=list(range(layers)),
            ticktext=[f"L{layer + 1}" for layer in range(layers)],
            autorange="reversed",
            showgrid=False,
            row=1,
            col=column,
        )
    heads = sum(numbers.shape[1] for numbers in maps.values())
    layers = max((numbers.shape[0] for numbers in maps.values()), default=1)
    figure.update_layout(
        title=text(title),
        width=heads * CELL + 120 * len(maps) + 160,
        height=layers * CELL + 180,
        plot_bgcolor="white",
        coloraxis={**scale([*maps.values()]), "colorbar": {"title": text(unit), "thickness": 14}},
    )
    return figure


def token_map(
    numbers: Numbers,
    rows: Sequence[str],
    columns: Sequence[str],
    title: str,
    unit: str = "",
    axes: tuple[str, str] = ("source", "reads → predicts"),
    texts: Sequence[Sequence[str]] | None = None,
) -> Figure:
    """One number a pair of tokens, labelled as on the page.

    Args:
        numbers: [row, column]; NaN where there is none.
        rows: their labels, from the top.
        columns: theirs.
        title: what the number is.
        unit: of it.
        axes: what columns and rows are.
        texts: what to write into each cell, if anything.
    Raises:
        ModuleNotFoundError: Plotly is not installed.
    """
    figure = matrix_figure(
        numbers,
        rows,
        columns,
        axes,
        width=CELL if texts is None else 2 * CELL,
        customdata=[[f"{text(row)}<br>{text(column)}" for column in columns] for row in rows],
        hovertemplate=f"%{{customdata}}<br><b>%{{z:.4g}}</b> {text(unit)}<extra></extra>",
        text=None if texts is None else [[text(cell) for cell in line] for line in texts],
        texttemplate=None if texts is None else "%{text}",
        coloraxis="coloraxis",
    )
    bar = {"title": text(unit), "thickness": 14}
    figure.update_layout(title=text(title), coloraxis={**scale([numbers]), "colorbar": bar})
    return figure


def scale(numbers: Sequence[Numbers]) -> dict[str, Any]:
    """Plotly's scale for arrays of any shape: from 0 up, or as far below as above, with 0 pale."""
    finite = [array[np.isfinite(array)] for array in numbers]
    lowest = min((float(array.min()) for array in finite if array.size), default=0.0)
    highest = max((float(array.max()) for array in finite if array.size), default=1.0)
    if lowest >= 0:
        return {"colorscale": list(COLORS), "cmin": 0.0, "cmax": max(highest, 1e-9)}
    furthest = max(-lowest, highest)
    return {"colorscale": list(DIVERGING), "cmin": -furthest, "cmax": furthest}
