"""A run's learning curve, as a page that opens in any browser, without a network."""

from collections.abc import Sequence
from pathlib import Path

from plotly import graph_objects as go
from plotly.offline import get_plotlyjs

from ..checkpoint.whole import write_whole

FILE = "curve.html"
PLOTLY = "plotly.min.js"
LOSSES = {"train_loss": "train loss", "dev_loss": "dev loss"}
SCORES = {"bleu": "BLEU", "chrf": "chrF"}


def draw_curve(folder: Path, rows: Sequence[dict[str, float]]) -> None:
    """Writes the curve, and beside it, once, the library that draws it (5 MB).

    Args:
        folder: of the run.
        rows: one a measurement, as in `curve.csv`.
    """
    library = folder / PLOTLY
    if not library.exists():
        write_whole(library, get_plotlyjs().encode())
    page = curve_figure(folder.name, rows).to_html(
        include_plotlyjs=PLOTLY, config={"displaylogo": False, "responsive": True}
    )
    write_whole(folder / FILE, page.encode())


def curve_figure(name: str, rows: Sequence[dict[str, float]]) -> go.Figure:
    """Losses on the left axis, scores, if there are any, on the right one.

    Pointing at a measurement tells its learning rate too.
    """
    figure = go.Figure()
    for key, label in (LOSSES | SCORES).items():
        measured = [row for row in rows if key in row]
        if not measured:
            continue
        figure.add_scatter(
            x=[row["step"] for row in measured],
            y=[row[key] for row in measured],
            customdata=[[row["learning_rate"], row["minutes"]] for row in measured],
            name=label,
            mode="lines+markers",
            line={"dash": "dot" if key in SCORES else "solid"},
            yaxis="y2" if key in SCORES else "y",
            hovertemplate="%{y:.4g} after %{customdata[1]:.0f} min"
            "<br>learning rate %{customdata[0]:.2g}",
        )
    figure.update_layout(
        title={"text": name},
        template="plotly_white",
        # Okabe and Ito's, which colour-blind people tell apart.
        colorway=["#0072B2", "#D55E00", "#009E73", "#CC79A7"],
        font={"family": "system-ui, sans-serif"},
        hovermode="x unified",
        legend={"orientation": "h", "y": 1.02, "yanchor": "bottom", "x": 1, "xanchor": "right"},
        xaxis={"title": {"text": "step"}},
        yaxis={"title": {"text": "loss (nats a token)"}, "rangemode": "tozero"},
    )
    if any(key in row for row in rows for key in SCORES):
        figure.update_layout(
            yaxis2={
                "title": {"text": "BLEU, chrF"},
                "overlaying": "y",
                "side": "right",
                "range": [0, 100],
                "tickmode": "auto",
                "showgrid": False,
            }
        )
    return figure
