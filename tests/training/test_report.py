"""What a run tells and draws for the person who started it."""

import re
from dataclasses import replace
from pathlib import Path

import pytest

from tests.serving.asking import ask
from tests.training.runs import tiny_recipe, trained
from transformer import checkpoint
from transformer.serving import Service
from transformer.training import report
from transformer.training.curve import curve_figure
from transformer.training.data import read_pairs
from transformer.training.loop import Trainer
from transformer.training.publish import publish
from transformer.training.summary import summary

ROWS = [
    {"step": 500, "minutes": 2.0, "learning_rate": 0.001, "train_loss": 3.0, "dev_loss": 2.5}
    | {"bleu": 10.0, "chrf": 20.0},
    {"step": 1000, "minutes": 4.0, "learning_rate": 0.0005, "train_loss": 2.0, "dev_loss": 2.0}
    | {"bleu": 20.0, "chrf": 30.0},
]


def test_the_curve_shows_losses_and_scores_on_axes_of_their_own() -> None:
    losses_and_scores = curve_figure("run", ROWS).to_plotly_json()["data"]
    drawn = {line["name"]: (line["x"], line["y"], line["yaxis"]) for line in losses_and_scores}
    assert drawn == {
        "train loss": ([500, 1000], [3.0, 2.0], "y"),
        "dev loss": ([500, 1000], [2.5, 2.0], "y"),
        "BLEU": ([500, 1000], [10.0, 20.0], "y2"),
        "chrF": ([500, 1000], [20.0, 30.0], "y2"),
    }
    assert [point[0] for point in losses_and_scores[0]["customdata"]] == [0.001, 0.0005]
    no_scores = [{k: v for k, v in row.items() if k not in ("bleu", "chrf")} for row in ROWS]
    figure = curve_figure("run", no_scores).to_plotly_json()
    assert [line["name"] for line in figure["data"]] == ["train loss", "dev loss"]
    assert "yaxis2" not in figure["layout"]


def test_a_run_leaves_its_curve_as_a_page_that_needs_no_network(
    corpus: Path, tmp_path: Path
) -> None:
    trained(tiny_recipe(corpus), tmp_path / "run")
    page = (tmp_path / "run" / "curve.html").read_text(encoding="utf-8")
    scripts = re.findall(r'<script[^>]* src="([^"]*)"', page)
    assert scripts == ["plotly.min.js"]
    assert (tmp_path / "run" / "plotly.min.js").stat().st_size > 1_000_000
    assert "<link" not in page
    assert '"dev loss"' in page
    assert len(page) < 100_000


def test_the_summary_tells_a_beginner_what_happens_on_one_screen(
    corpus: Path, tmp_path: Path
) -> None:
    recipe = tiny_recipe(corpus, patience=3)
    text = summary(Trainer(recipe, tmp_path / "run"))
    assert len(text.splitlines()) <= 12
    for part in (
        f"{len(read_pairs(corpus / 'train.tsv'))} sentence pairs",
        "12 that it never learns from",
        "Training for 12 steps",
        "3 measurements without a better",
        "Ctrl-C",
        "the same command goes on",
        str(tmp_path / "run" / "curve.html"),
    ):
        assert part in text
    trained(recipe, tmp_path / "run")
    longer = Trainer(tiny_recipe(corpus, steps=20, patience=3), tmp_path / "run")
    assert "goes on after step 12 of 20 steps" in summary(longer)


def test_the_forecast_is_in_minutes_or_hours(corpus: Path) -> None:
    recipe = tiny_recipe(corpus, steps=1020)
    assert "1,000 steps to go take 5 minutes" in report.forecast(recipe, 20, 0.3)
    assert "less than a minute" in report.forecast(recipe, 20, 0.001)
    assert "2.8 hours" in report.forecast(recipe, 20, 10)


def test_each_measurement_shows_three_translations(
    corpus: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    messages: list[str] = []
    monkeypatch.setattr(Trainer, "say", lambda _self, text: messages.append(text))
    trainer = trained(tiny_recipe(corpus), tmp_path / "run")
    shown = [line.strip().split(" →")[0] for line in messages if " →" in line]
    assert shown == 2 * [pair["source"] for pair in trainer.history.pairs]
    assert len(shown) == 6


def test_each_measurement_of_a_language_model_shows_three_continuations(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = tmp_path / "text.txt"
    text.write_text("".join(f"{'ab' * (1 + i % 5)}{i}\n" for i in range(200)), encoding="utf-8")
    messages: list[str] = []
    monkeypatch.setattr(Trainer, "say", lambda _self, text: messages.append(text))
    recipe = tiny_recipe(tmp_path, train=(str(text),), dev=str(text))
    recipe = replace(recipe, decoder_only=True, vocab_size=20, d_model=32)
    trainer = trained(recipe, tmp_path / "run")
    shown = [line.strip().split(" → ") for line in messages if " →" in line]
    assert len(shown) == 6
    for (beginning, continuation), pair in zip(shown[3:], trainer.history.pairs, strict=True):
        assert beginning
        assert pair["target"].startswith(beginning)
        assert continuation
        assert "beginning" not in continuation


def test_a_trained_model_appears_in_the_picker_with_nothing_else_to_edit(
    corpus: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HEADLIGHT_CHECKPOINTS", str(tmp_path / "checkpoints"))
    trainer = trained(tiny_recipe(corpus, steps=6), tmp_path / "run")
    publish(tmp_path / "run", tmp_path / "checkpoints" / "my-model", trainer.dev)
    assert checkpoint.available() == ["my-model"]
    assert [model["name"] for model in ask(Service(), {"ask": "page"})["models"]] == ["my-model"]
