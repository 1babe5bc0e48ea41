"""Every figure of the lesson plans is what the model that its address names computes."""

import re

import pytest

from scripts.lesson_figures import PLANS, figures, plan, sections
from tests.lesson_plans import numbers

LESSONS = [*map(str, range(1, 24)), "clinic"]


@pytest.mark.parametrize("language", PLANS)
def test_the_plans_say_what_the_models_compute(language: str) -> None:
    found, problems = figures(language)
    assert problems == []
    stale = [(each.lesson, each.name, each.stands, each.value) for each in found if each.stale]
    assert stale == [], "stale: run python scripts/lesson_figures.py"
    # Lesson 8 has none.
    assert {each.lesson for each in found} == {*LESSONS} - {"8"}


@pytest.mark.parametrize("language", PLANS)
def test_no_lesson_has_a_number_that_is_not_computed(language: str) -> None:
    text = plan(language)
    for figure in figures(language)[0]:
        text = text[: figure.start] + "_" * (figure.end - figure.start) + text[figure.end :]
    bodies = {name: body for name, _, body in sections(text)}
    for lesson in LESSONS:
        plain = re.sub(r"\[`.*?\)", "", bodies[lesson].partition("\n| ")[0])
        assert numbers(plain, language) == set(), lesson
