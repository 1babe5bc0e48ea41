"""The script that writes the lesson plans' figures: how, and what it says of those it cannot."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from scripts import lesson_figures
from scripts.lesson_values import Number, Value

PLAN = """# Un cours

### 1. Une leçon

[`?model=m&source=a`](http://127.0.0.1:7860/?model=m&source=a)

- **Ils voient** le poids 0,99 de 1 565 ; il écrit « Ma sœur
  est là\u202f! » deux fois.

### 2. Une autre

- **Ils voient** 0,50 et 0,50.
"""
PLACES = {
    "1": ["le poids {weight} de {steps}\u202f;", "il écrit «\u202f{words}\u202f» deux"],
    "2": ["et {share}."],
}


@pytest.fixture
def computed(monkeypatch: pytest.MonkeyPatch) -> dict[str, Value]:
    """What the models of both lessons compute; a lesson fails where a value is none."""
    of: dict[str, Value] = {"weight": Number("0.99"), "steps": Number("1,565")}
    of |= {"words": "Ma sœur est là !", "share": Number("0.50")}

    def values(lesson: str, _: object) -> Iterator[tuple[str, Value]]:
        for name, value in of.items():
            if lesson == "1" or name == "share":
                if not value:
                    raise IndexError("no such step")
                yield name, value

    monkeypatch.setattr(lesson_figures, "values", values)
    return of


@pytest.fixture
def plan(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Path]:
    """A French plan of two lessons."""
    plan, places = tmp_path / "lessons.fr.md", tmp_path / "places.json"
    plan.write_text(
        PLAN.replace(" ;", "\u202f;")
        .replace("« ", "«\u202f")
        .replace(" »", "\u202f»")
        .replace("1 565", "1\u202f565"),
        encoding="utf-8",
    )
    places.write_text(json.dumps({"fr": PLACES}), encoding="utf-8")
    monkeypatch.setattr(lesson_figures, "DOCS", tmp_path)
    monkeypatch.setattr(lesson_figures, "PLACES", places)
    monkeypatch.setattr(lesson_figures, "PLANS", {"fr": plan.name})
    lesson_figures.worked_out.cache_clear()
    yield plan
    lesson_figures.worked_out.cache_clear()


@pytest.mark.usefixtures("computed")
def test_what_is_true_stays_as_it_is_wherever_its_line_breaks(
    plan: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    before = plan.read_bytes()
    assert lesson_figures.main() == 0
    assert plan.read_bytes() == before
    assert capsys.readouterr().out == "docs/lessons.fr.md: 0 of 4 figures changed\n"


def test_what_changed_is_written_as_the_language_writes_it(
    plan: Path, computed: dict[str, Value], capsys: pytest.CaptureFixture[str]
) -> None:
    computed |= {"weight": Number("−1.25"), "steps": Number("12,565"), "words": "Qui est là ?"}
    assert lesson_figures.main() == 0
    text = plan.read_text(encoding="utf-8")
    assert "le poids −1,25 de 12\u202f565\u202f; il écrit «\u202fQui est là\u202f?\u202f»" in text
    assert "docs/lessons.fr.md, lesson 1: weight 0,99 → −1,25\n" in capsys.readouterr().out
    lesson_figures.worked_out.cache_clear()
    assert not any(figure.stale for figure in lesson_figures.figures("fr")[0])


def test_a_figure_that_cannot_be_worked_out_is_named_and_the_others_are_written(
    plan: Path, computed: dict[str, Value], capsys: pytest.CaptureFixture[str]
) -> None:
    computed |= {"weight": Number("0.25"), "words": "", "share": Number("0.75")}
    assert lesson_figures.main() == 1
    error = "docs/lessons.fr.md, lesson 1: words cannot be worked out: IndexError: no such step\n"
    assert capsys.readouterr().err == error
    text = plan.read_text(encoding="utf-8")
    assert "le poids 0,25 de" in text
    assert "0,50 et 0,75." in text


@pytest.mark.usefixtures("computed")
def test_a_sentence_that_somebody_rewrote_is_named(
    plan: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    plan.write_text(plan.read_text(encoding="utf-8").replace("et 0,50", "puis 0,50"), "utf-8")
    assert lesson_figures.main() == 1
    error = "docs/lessons.fr.md, lesson 2: “et {share}.” stands there 0 times, not once\n"
    assert capsys.readouterr().err == error
