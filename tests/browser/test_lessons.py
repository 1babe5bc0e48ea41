"""Every address of the lesson plans opens, in its language, on the numbers that the plan names."""

import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.browser.conftest import Open, Words
from tests.lesson_plans import numbers

pytestmark = pytest.mark.usefixtures("without_gradio")

ROOT = Path(__file__).parents[2]
PLANS = {"en-US": "lessons.md", "zh-CN": "lessons.zh.md", "fr-FR": "lessons.fr.md"}
ADDRESS = re.compile(r"\[`\?[^`]*`\]\(http://[^/]*/([^)]*)\)")
WHEN_ASKED = ("exercise=", "clinic=", "trained=450")
"""What is said there once somebody has guessed, or points at a cell of the film."""

SHOWN = r"""([wanted, french]) => {
    const texts = [...document.querySelectorAll("[aria-label], [title], table")].map(
        (each) => [each.ariaLabel, each.title, each.matches("table") ? each.textContent : ""]);
    let shown = [document.body.innerText, ...texts.flat()].join(" ");
    if (french) shown = shown.replace(/(?<=\d),(?=\d)/g, ".").replace(/(?<=\d)\u202f(?=\d)/g, ",");
    return wanted.every((number) => shown.includes(number));
}"""


def plan(locale: str) -> Iterator[tuple[str, str]]:
    """Each address, and what is said of it."""
    whole = (ROOT / "docs" / PLANS[locale]).read_text(encoding="utf-8")
    for section in re.split(r"^#{2,3} ", whole, flags=re.MULTILINE):
        _, *parts = ADDRESS.split(section)
        yield from zip(parts[::2], (part.partition("\n| ")[0] for part in parts[1::2]), strict=True)


@pytest.fixture
def shipped(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> str:
    """Under names of their own: the server of these tests has small models under the usual ones."""
    for folder in (ROOT / "checkpoints").glob("[!_]*"):
        (tmp_path / f"shipped-{folder.name}").symlink_to(folder)
    monkeypatch.setenv("HEADLIGHT_CHECKPOINTS", str(tmp_path))
    return "shipped-"


# The Chinese plan opens what the English one does, as the test below says; the French has a
# translator and sentences of its own, and its toys are the English plan's.
@pytest.mark.release
@pytest.mark.parametrize(
    "locale", ["en-US", pytest.param("zh-CN", marks=pytest.mark.slow), "fr-FR"]
)
def test_a_lessons_address_shows_the_numbers_that_its_text_names(
    open_page: Open, address: str, assets: Path, shipped: str, locale: str
) -> None:
    t, checked = Words(assets, locale), 0
    page = open_page(1366, locale=locale, reduced_motion="reduce")
    opened = {query for query, _ in plan("en-US")} if locale == "fr-FR" else set[str]()
    for query, text in plan(locale):
        if query in opened:
            continue
        page.goto(address + query.replace("model=", f"model={shipped}"))
        page.locator("[data-ready]").wait_for()
        assert [each for each in page.get_by_role("alert").all_inner_texts() if each] == [], query
        if "measure=harm" in query:
            page.get_by_role("button", name=t("heads.sweep")).click()
        wanted = numbers(text, locale[:2])
        if not any(part in query for part in WHEN_ASKED):
            page.wait_for_function(SHOWN, arg=[[*wanted], locale == "fr-FR"], timeout=20_000)
            checked += len(wanted)
    assert checked > 20


def test_the_chinese_plan_opens_what_the_english_one_does() -> None:
    english, chinese = (
        [re.sub("&ask=own:[^&]*", "", query) for query, _ in plan(locale)]
        for locale in ("en-US", "zh-CN")
    )
    assert chinese == english


def test_the_tours_words_name_no_number_that_a_model_decides(assets: Path) -> None:
    """Its numbers are computed for whatever sentence is shown."""
    for locale in PLANS:
        texts = json.loads((assets / "locales" / f"{locale[:2]}.json").read_text(encoding="utf-8"))
        tour = {name: text for name, text in texts.items() if re.match(r"tour\.\w+\.", name)}
        assert len(tour) > 30
        for name, text in tour.items():
            assert not numbers(str(text), locale[:2]) - {"2.72", "2022"}, (
                name
            )  # e, and a source's year
