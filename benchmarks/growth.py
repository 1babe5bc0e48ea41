"""Time and memory of a trace against length, layers and heads, with fitted exponents.

`python -m benchmarks.growth` also draws them: docs/growth.svg.
"""

from collections.abc import Iterator
from pathlib import Path
from time import thread_time
from typing import Any
from urllib.parse import unquote

import numpy as np
import plotly.graph_objects as go
import torch
from playwright.sync_api import sync_playwright
from plotly.subplots import make_subplots

from scripts.browser import find_chromium
from transformer.model.config import TransformerConfig
from transformer.model.half_linear import read_weights_as_half
from transformer.model.towers import Model, build_model
from transformer.recording.batch import Sentence, decode_and_record

from .row import Row

FIGURE = Path(__file__).parents[1] / "docs" / "growth.svg"
SWEPT = {
    "length": (8, 16, 32, 64, 128),
    "layers": (1, 2, 3, 4, 6, 8, 12),
    "heads": (1, 2, 4, 8, 16, 32),
}
USUAL = {"length": 32, "layers": 3, "heads": 8}
ROUNDS = 7

Points = dict[str, list[tuple[int, float, float]]]
"""By what is varied: its value, milliseconds of a processor, and kB of weights."""


def rows() -> Iterator[Row]:
    """The fitted exponents."""
    for name, points in measure().items():
        time, memory = _exponents(points)
        detail = f"{points[0][1]:.0f} → {points[-1][1]:.0f} ms, {points[0][0]} → {points[-1][0]}"
        yield Row(f"a trace's time grows as {name} to the power", time, "", None, detail)
        detail = f"{points[0][2]:.0f} → {points[-1][2]:.0f} kB"
        yield Row(f"its memory as {name} to the power", memory, "", None, detail)


def measure() -> Points:
    """Traces of random models, as large as en-zh but for what is varied, on one thread."""
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        return {
            name: [(value, *_cost(**USUAL | {name: value})) for value in values]
            for name, values in SWEPT.items()
        }
    finally:
        torch.set_num_threads(threads)


def _cost(length: int, layers: int, heads: int) -> tuple[float, float]:
    model = _model(layers, heads)
    ids = torch.randint(4, 8_000, (length - 1,)).tolist()
    sentence = Sentence([*ids, model.config.eos_id])
    [decoded] = decode_and_record(model, [sentence], max_steps=length)
    assert len(decoded.hypothesis.ids) == length
    spent: list[float] = []
    for _ in range(ROUNDS):
        start = thread_time()
        decode_and_record(model, [sentence], max_steps=length)
        spent.append(thread_time() - start)
    size = sum(each.nbytes for each in decoded.weights.values() if each is not None)
    return 1000 * min(spent), size / 1000


def _model(layers: int, heads: int) -> Model:
    torch.manual_seed(0)
    sizes: dict[str, Any] = {"src_vocab_size": 8_000, "tgt_vocab_size": 8_000, "max_length": 128}
    sizes |= {"num_encoder_layers": layers, "num_decoder_layers": layers, "num_heads": heads}
    model = build_model(TransformerConfig(d_model=256, d_ff=1024, **sizes)).half().float().eval()
    with torch.no_grad():
        model.decoder.output.bias[model.config.eos_id] = -1e4  # it stops where it is told to
    read_weights_as_half(model)
    return model


def _exponents(points: list[tuple[int, float, float]]) -> tuple[float, float]:
    value, time, memory = np.log(np.array(points)).T
    return float(np.polyfit(value, time, 1)[0]), float(np.polyfit(value, memory, 1)[0])


def figure(measured: Points) -> go.Figure:
    """Time above, memory below, both axes logarithmic, with the fitted lines' exponents."""
    drawn = make_subplots(rows=2, cols=3, shared_xaxes=True, vertical_spacing=0.08)
    for column, (name, points) in enumerate(measured.items(), start=1):
        values = [value for value, _, _ in points]
        for row, unit in enumerate(("ms", "kB"), start=1):
            numbers = [point[row] for point in points]
            slope = _exponents(points)[row - 1]
            trace = go.Scatter(x=values, y=numbers, mode="lines+markers", line_color="#2f6f9f")
            drawn.add_trace(trace, row, column)
            label = f"{name}<sup>{slope:.2f}</sup>"
            place: dict[str, Any] = {"x": 0.05, "y": 0.95, "xref": "x domain", "yref": "y domain"}
            drawn.add_annotation(text=label, showarrow=False, row=row, col=column, **place)
            drawn.update_yaxes(type="log", title_text=unit if column == 1 else None, row=row)
        ticks: dict[str, Any] = {"type": "log", "tickvals": values}
        drawn.update_xaxes(**ticks, col=column)
        drawn.update_xaxes(title_text=name, row=2, col=column)
    drawn.update_layout(template="plotly_white", showlegend=False, width=900, height=520)
    return drawn.update_layout(margin={"l": 60, "r": 20, "t": 20, "b": 50})


def main() -> None:
    """Measures, draws, and prints the table for docs/serving.md."""
    measured = measure()
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=find_chromium())
        page = browser.new_page()
        page.set_content(figure(measured).to_html(include_plotlyjs=True))
        page.wait_for_selector(".main-svg")
        image = "Plotly.toImage(document.querySelector('.js-plotly-plot'), {format: 'svg'})"
        address: str = page.evaluate(image)
        browser.close()
    FIGURE.write_text(unquote(address.split(",", 1)[1]), encoding="utf-8")
    for name, points in measured.items():
        print(f"| {name} |", " | ".join(f"{v}: {t:.0f} ms, {m:.0f} kB" for v, t, m in points), "|")
        print(_exponents(points))


if __name__ == "__main__":
    main()
