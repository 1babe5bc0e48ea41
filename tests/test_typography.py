"""Chinese and French are set as Chinese and French are, in the page's texts and in Markdown."""

import re
from itertools import pairwise

import pytest

from tests.texts_for_people import HOLE, pages, prose, short_texts

HAN = "\u4e00-\u9fff"
SIGN = r"[\u3001\u3002\uff01\uff08\uff09\uff0c\uff1a\uff1b\uff1f]"
CHINESE = {
    "half-width brackets": rf"(?<![A-Za-z_])\([^()]*[{HAN}][^()]*\)|[{HAN}] ?\(",
    "half-width signs": rf"[{HAN}][,;:?!](?!\d)",
    "straight quotes": rf'[{HAN}]"[{HAN}]',
    "no space between scripts": rf"[{HAN}][A-Za-z0-9]|[A-Za-z0-9][{HAN}]",
    "a space within Chinese": rf"[{HAN}] +[{HAN}]",
    "a space beside a sign": rf"{SIGN} (?!\|)|(?<!\|) {SIGN}",
    "a space before %": r"\d %",
    "two full stops": r"。”?。|\.”?。",
}
# A colon stands in code, too, of which the checker's texts are full.
FRENCH = {
    "no narrow space before a sign": r"[^\s\u202f\d(][;!?»](?=\s|$)",
    "a space that breaks before a sign": r"(?<=[^\s|*-])[ \u00a0][;:!?»%](?=\s|$)",
    "no narrow space within quotes": "«(?!\u202f)",
    "English quotes": "[“”]",
    "two full stops": "(?<!\\.)\\.\u202f?»?\\.(?!\\.)",
}
SIGNS = {"zh": CHINESE, "fr": FRENCH}


def wrong(text: str, language: str) -> list[str]:
    return [name for name, sign in SIGNS[language].items() if re.search(sign, text)]


@pytest.mark.parametrize("language", SIGNS)
def test_texts_of_page_checker_course_and_worksheet(language: str) -> None:
    faults = [
        (where, names, text[:80])
        for where, text in short_texts(language)
        # What is filled in meets its text in `assets/kit/typeset.js`; code has its own signs.
        if (names := wrong(re.sub(r"`[^`]*`", "`", HOLE.sub("…", text)), language))
    ]
    assert faults == []


@pytest.mark.parametrize("language", SIGNS)
def test_pages_of_markdown(language: str) -> None:
    faults = [
        (page.name, names, line[:80])
        for page in pages(language)
        for line in prose(page)
        if (names := wrong(line, language))
    ]
    assert faults == []


def test_a_chinese_paragraph_is_one_line_and_nothing_in_it_slants() -> None:
    """A browser shows a line's end as a space, which Chinese has none of; nor has it italics."""
    for page in pages("zh"):
        lines = list(prose(page))
        for line, after in pairwise(lines):
            wrapped = re.search(rf"[{HAN}，、；]$", line) and re.match(rf" *[{HAN}]", after)
            assert not (wrapped and not line.startswith(("#", "|", "!"))), line
        slanted = [
            line for line in lines if re.search(rf"(?<!\*)\*[^*\s][^*]*[{HAN}][^*]*\*(?!\*)", line)
        ]
        assert slanted == [], page


def test_what_is_wrong_is_seen() -> None:
    assert wrong("computer (电脑)", "zh") == ["half-width brackets"]
    assert wrong("错误: 掩码", "zh") == ["half-width signs"]
    assert wrong("看向computer。", "zh") == ["no space between scripts"]
    assert wrong("一 个。”。", "zh") == ["a space within Chinese", "two full stops"]
    assert wrong("Score :", "fr") == ["a space that breaks before a sign"]
    assert wrong("Score?", "fr") == ["no narrow space before a sign"]
    assert wrong("« x\u202f».", "fr") == ["no narrow space within quotes"]
    assert wrong("«\u202fx.\u202f».", "fr") == ["two full stops"]
