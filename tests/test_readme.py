"""What exists in several languages says the same: commands, links and tables."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PAIRS = ["README", "docs/lessons", "docs/course"]
FENCE = re.compile(r"^ *```(\w*)\n(.*?)^ *```$", re.MULTILINE | re.DOTALL)
TABLE = re.compile(r"(?:^\|.*\n)+", re.MULTILINE)


# What teachers in China need and nobody else: mirrors, their textbooks, their platforms.
OF_ITS_OWN = re.compile(
    r"^## (?:在国内安装|与教材的对应|在教学平台上)\n.*?(?=^## )", re.MULTILINE | re.DOTALL
)


def texts(name: str) -> tuple[str, str]:
    english, chinese = (
        (ROOT / f"{name}{language}.md").read_text("utf-8") for language in ("", ".zh")
    )
    return english, OF_ITS_OWN.sub("", chinese)


def elsewhere(targets: list[str]) -> list[str]:
    """Links without the page's own addresses: a lesson plan may have sentences of its own."""
    return [link for link in targets if "?model=" not in link]


def commands(text: str) -> list[str]:
    """Each block without comments and line breaks; drawings, which name no language, not."""
    blocks = [
        [re.sub(r"(^|\s+)#.*", "", line).strip() for line in body.splitlines()]
        for language, body in FENCE.findall(text)
        if language
    ]
    return ["".join(block) for block in blocks]


def links(text: str) -> list[str]:
    """Where links lead, a translated page counting as the English one; not those between them."""
    targets = re.findall(r"\]\(([^)\s]+)\)", FENCE.sub("", text))
    # Nor what a class is asked there in its own language.
    asked = [re.sub("&ask=own:.*", "&ask=own", link) for link in targets]
    neutral = [re.sub(r"\.(?:zh|fr)\.(md|pdf)", r".\1", link) for link in asked]
    return [link for link in neutral if link not in {"README.md", "lessons.md"}]


def tables(text: str) -> list[tuple[int, int]]:
    """Rows and columns of each table."""
    lines = [table.splitlines() for table in TABLE.findall(FENCE.sub("", text))]
    return [(len(rows), rows[1].count("|") - 1) for rows in lines]


@pytest.mark.parametrize("name", PAIRS)
def test_both_languages_have_the_same_commands_links_and_tables(name: str) -> None:
    english, chinese = texts(name)
    assert commands(chinese) == commands(english)
    assert sorted(links(chinese)) == sorted(links(english))
    assert tables(chinese) == tables(english)
    assert commands(english), "no command was found"
    assert links(english), "no link was found"
    assert tables(english), "no table was found"


def test_the_french_pages_say_what_the_english_ones_do() -> None:
    for name in ("README", "docs/lessons"):
        english = (ROOT / f"{name}.md").read_text("utf-8")
        french = (ROOT / f"{name}.fr.md").read_text("utf-8")
        if name == "README":  # its first half
            assert {*links(french)} <= {*links(english)}
            text = "".join(commands(english))
            # A French reader imports a model that writes French.
            own = [
                command.replace("opus-mt-en-fr", "opus-mt-en-zh") for command in commands(french)
            ]
            assert all(command in text for command in own)
        else:
            assert sorted(elsewhere(links(french))) == sorted(elsewhere(links(english)))
            assert len(links(french)) == len(links(english))
            assert commands(french) == commands(english)
            assert tables(french) == tables(english)
