"""The lines of our own that translators read: small, whole, and written as each language is."""

import re
import unicodedata
from pathlib import Path

import pytest

FILES = sorted((Path(__file__).parents[2] / "corpora").glob("*.tsv"))
CHINESE = {
    *("phrases", "everyday", "class", "patterns-en-zh", "terms-en-zh", "names-en-zh"),
    *("names", "proverbs", "visitors"),
}
"""Whose second column is Chinese."""

MEGABYTES = 27
HAN = "[\u4e00-\u9fff]"
EMPTY_OR_SPACED = ("\t\t", "\n\t", "\t\n", "  ", " \t", "\t ", " \n", "\n ", "\n\n")
HALF_WIDTH = re.compile(f"{HAN}[,.?!;:]|[,?!;]{HAN}")


def test_they_stay_small() -> None:
    assert {path.stem for path in FILES} >= CHINESE
    assert sum(path.stat().st_size for path in FILES) <= MEGABYTES * 10**6


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_each_line_is_whole_and_stands_there_once(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert unicodedata.is_normalized("NFC", text)
    assert text.replace("\t", "").replace("\n", "").isprintable()
    assert text.endswith("\n")
    lines = text.removesuffix("\n").split("\n")
    assert len(set(lines)) == len(lines)
    # English, Chinese, French and German; English, French and German; English and one of them.
    columns = lines[0].count("\t")
    assert columns in (1, 2, 3)
    assert [line for line in lines if line.count("\t") != columns] == []
    assert [fault for fault in EMPTY_OR_SPACED if fault in f"\n{text}"] == []


@pytest.mark.parametrize(
    "path", [path for path in FILES if path.stem in CHINESE], ids=lambda path: path.stem
)
def test_chinese_stands_second_and_is_written_as_chinese_is(path: Path) -> None:
    lines = path.read_text(encoding="utf-8").splitlines()
    assert [line for line in lines if re.search(HAN, line.partition("\t")[0])] == []
    assert [line for line in lines if HALF_WIDTH.search(line)] == []
