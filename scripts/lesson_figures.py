"""The lesson plans' figures, written into docs/lessons*.md as the shipped models compute them.

    python scripts/lesson_figures.py

says what it changed, and what it could not work out or found no place for. Where a figure stands in
each language is in lesson_figures.json: words of the lesson around the figure's name in braces.
"""

import json
import re
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from urllib.parse import parse_qsl

sys.path.insert(0, str(Path(__file__).parents[1]))

from scripts.lesson_values import Number, Value, values

DOCS = Path(__file__).parents[1] / "docs"
PLACES = Path(__file__).with_suffix(".json")
PLANS = {"en": "lessons.md", "zh": "lessons.zh.md", "fr": "lessons.fr.md"}
SECTION = re.compile(r"^#{2,3} (?:(\d+)\.|(.+))", re.MULTILINE)
CLINIC = re.compile("clinic: |门诊：|clinique.: ")
ADDRESS = re.compile(r"\]\(http://[^/]*/\?([^)\s]+)\)")
NAME = re.compile(r"\{(\w+)\}")
NUMBER = r"−?\d(?:[\d.,\u202f]*\d)?"
WORDS = r"(?:(?!\n\n|\n- ).)+?"
"""Those of one paragraph."""


@dataclass(frozen=True)
class Figure:
    """A figure where it stands.

    Attributes:
        lesson: its number, or "clinic".
        name: by which the lesson's function yields the figure.
        start: its first character in the plan.
        end: the character after its last.
        stands: what the plan says.
        value: what the model computes, as the plan's language writes it.
    """

    lesson: str
    name: str
    start: int
    end: int
    stands: str
    value: str

    @property
    def stale(self) -> bool:
        """Whether plan and model differ, but for where a line breaks."""
        return re.sub(r"[ \n]+", " ", self.stands) != self.value


def plan(language: str) -> str:
    """A lesson plan's text."""
    return (DOCS / PLANS[language]).read_text(encoding="utf-8")


def sections(text: str) -> Iterator[tuple[str, int, str]]:
    """Of each section: a lesson's number, "clinic" or the title; where the text begins; it."""
    heads = [*SECTION.finditer(text)]
    for head, end in zip(heads, [*(each.start() for each in heads[1:]), len(text)], strict=True):
        name = head[1] or ("clinic" if CLINIC.search(head[2]) else head[2])
        yield name, head.end(), text[head.end() : end]


def written(value: Value, language: str) -> str:
    """A value as a language writes it."""
    if isinstance(value, dict):
        return value[language]
    if language == "fr" and isinstance(value, Number):
        return value.replace(",", "\u202f").replace(".", ",")
    return re.sub(" (?=[;:!?»])", "\u202f", value) if language == "fr" else value


@cache
def worked_out(lesson: str, queries: tuple[str, ...]) -> tuple[Mapping[str, Value], str]:
    """The figures of a lesson by name, and why there are no more of them, if that is so."""
    figures: dict[str, Value] = {}
    try:
        # One by one: what comes before a failure is kept.
        for figure in values(lesson, [dict(parse_qsl(query)) for query in queries]):
            figures.update([figure])
    except Exception as error:  # A model may fail anywhere; the others' figures are written.
        return figures, f"{type(error).__name__}: {error}"
    return figures, ""


def pattern(place: str, figures: Mapping[str, Value]) -> re.Pattern[str]:
    """What finds a place, with a group for each figure, wherever its lines break."""
    literals, names = NAME.split(place)[::2], NAME.findall(place)
    holes = [f"({NUMBER if isinstance(figures[each], Number) else WORDS})" for each in names]
    texts = [re.escape(each).replace(r"\ ", "[ \\n]+") for each in literals]
    woven = "".join(text + hole for text, hole in zip(texts, [*holes, ""], strict=True))
    return re.compile(woven, re.DOTALL)


def figures(language: str) -> tuple[list[Figure], list[str]]:
    """Every figure of a plan where it stands, and what cannot be written, each with its lesson."""
    places = json.loads(PLACES.read_text(encoding="utf-8"))[language]
    in_plan: list[Figure] = []
    problems: list[str] = []
    bodies = {name: (at, body) for name, at, body in sections(plan(language))}
    for lesson in places:
        where = f"docs/{PLANS[language]}, lesson {lesson}"
        if lesson not in bodies:
            problems.append(f"{where}: there is no such lesson")
            continue
        at, body = bodies[lesson]
        queries = tuple(re.sub("&ask=.*", "", query) for query in ADDRESS.findall(body))
        computed, failure = worked_out(lesson, queries)
        for place in places[lesson]:
            names: list[str] = NAME.findall(place)
            if missing := ", ".join(name for name in names if name not in computed):
                problems.append(
                    f"{where}: {missing} cannot be worked out: {failure or 'no such name'}"
                )
                continue
            matches = [*pattern(place, computed).finditer(body)]
            if len(matches) != 1:
                problems.append(f"{where}: “{place}” stands there {len(matches)} times, not once")
                continue
            for group, name in enumerate(names, 1):
                start, end = (at + each for each in matches[0].span(group))
                value = written(computed[name], language)
                in_plan.append(Figure(lesson, name, start, end, matches[0][group], value))
    return sorted(in_plan, key=lambda figure: figure.start), problems


def main() -> int:
    """Writes all plans; 1 if anything could not be written."""
    failed = False
    for language, name in PLANS.items():
        text = plan(language)
        in_plan, problems = figures(language)
        for figure in reversed(in_plan):
            if figure.stale:
                text = text[: figure.start] + figure.value + text[figure.end :]
        (DOCS / name).write_text(text, encoding="utf-8")
        for each in in_plan:
            if each.stale:
                print(
                    f"docs/{name}, lesson {each.lesson}: {each.name} {each.stands} → {each.value}"
                )
        print(
            f"docs/{name}: {sum(each.stale for each in in_plan)} of {len(in_plan)} figures changed"
        )
        print(*problems, sep="\n", end="\n" * bool(problems), file=sys.stderr)
        failed |= bool(problems)
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
