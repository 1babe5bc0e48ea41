"""What the viewer's questions declare that they ask, beside what they ask and what can be asked."""

import re
from pathlib import Path

from transformer.inside import ANALYSES

QUESTIONS = Path(__file__).parents[2] / "assets" / "questions"

# The beam asks this one, above every tab.
ELSEWHERE = {"distribution", "without_words"}

ASKED = re.compile(r'''\binside\(\s*"(\w+)"|\banalysisView\(\w+, \{\s*name: "(\w+)"''')
NAMED = re.compile(r""""(\w+)"|\.(\w+)\(""")


def declared(folder: Path) -> set[str]:
    text = (folder / "question.js").read_text(encoding="utf-8")
    lists = re.findall(r"\bask: \[([^\]]*)\]", text)
    assert len(lists) == 1, folder.name
    return set(re.findall(r'"(\w+)"', lists[0]))


def names(pattern: re.Pattern[str], folder: Path) -> set[str]:
    modules = [path for path in folder.rglob("*.js") if path.name != "question.js"]
    texts = [path.read_text(encoding="utf-8") for path in modules]
    return {name for text in texts for pair in pattern.findall(text) for name in pair if name}


def test_every_folder_is_a_question_of_the_list() -> None:
    listed = re.findall(r'from "./(\w+)/question.js"', (QUESTIONS / "index.js").read_text("utf-8"))
    assert sorted(listed) == sorted(path.name for path in QUESTIONS.iterdir() if path.is_dir())
    for name in listed:
        text = (QUESTIONS / name / "question.js").read_text(encoding="utf-8")
        assert f'name: "{name}"' in text


def test_a_question_asks_what_it_declares() -> None:
    for folder in QUESTIONS.iterdir():
        if folder.is_dir():
            assert names(ASKED, folder) <= declared(folder), folder.name
            assert declared(folder) <= names(NAMED, folder), folder.name


def test_every_analysis_is_asked_by_a_question() -> None:
    asked = set[str]().union(*(declared(path) for path in QUESTIONS.iterdir() if path.is_dir()))
    assert asked | ELSEWHERE == set(ANALYSES)
