"""Which lines of its training text come along with a model: its card's two forms agree."""

import re
from pathlib import Path

import pytest

from transformer import CheckpointError, Translator, checkpoint
from transformer.checkpoint.card import write_card
from transformer.checkpoint.own_text import own_text

CHECKPOINTS = Path(__file__).parents[2] / "checkpoints"
EVERYDAY = {"en-zh": 81_625, "zh-en": 81_625, "en-fr": 41_036, "en-de": 41_036}
"""As the README of each has it; of French and German two lines have come since."""


@pytest.mark.parametrize("name", EVERYDAY)
def test_as_many_lines_as_the_card_says(name: str) -> None:
    corpus = own_text(name, Translator.load(name, device="cpu").card)
    files = [line.file for line in corpus.lines]
    everyday = sum(file.startswith("everyday") for file in files)
    assert everyday == EVERYDAY[name]
    card = (CHECKPOINTS / name / "README.md").read_text(encoding="utf-8")
    figures = {int(figure.replace(",", "")) for figure in re.findall(r"\d+(?:,\d{3})+", card)}
    assert figures & {everyday, everyday - 2}
    assert {"en", "zh"} <= corpus.others.keys()
    for text in corpus.others.values():
        for figure in re.findall(r"\d+,\d{3}", text):
            assert figure in card or int(figure.replace(",", "")) == others(card), figure


def others(card: str) -> int:
    """The lines of the corpora in the table that are not our own."""
    rows = re.findall(r"^\|[^|]*\| ([\d,]+) \|[^|]*\|([^|]*)\|$", card, re.MULTILINE)
    kept = [n for n, licence in rows if "our own" not in licence and "above" not in licence]
    return sum(int(n.replace(",", "")) for n in kept)


@pytest.mark.parametrize(
    "training_text",
    [
        [],
        {"files": "everyday.tsv"},
        {"files": [{"name": "everyday.tsv"}]},
        {"files": [{"name": "everyday.tsv", "columns": [0, 1, 2]}]},
        {"files": [{"name": "everyday.tsv", "columns": [0, 1], "lines": [["1", 2]]}]},
        {"files": [], "others": "more"},
    ],
)
def test_a_card_that_names_them_otherwise_is_refused(tmp_path: Path, training_text: object) -> None:
    for file in (CHECKPOINTS / "reverse").iterdir():
        (tmp_path / file.name).write_bytes(file.read_bytes())
    write_card(tmp_path, {"training_text": training_text})
    with pytest.raises(CheckpointError, match="training_text"):
        checkpoint.read_card(tmp_path)
