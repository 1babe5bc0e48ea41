"""A trained tokenizer's file tells of the text, and nothing of the machine that trained it."""

import tempfile
from pathlib import Path

import pytest

from tests.tiny import SENTENCES
from transformer import Tokenizer, checkpoint
from transformer.text.model_file import without_rules_path


def test_the_same_training_makes_the_same_file_wherever_it_runs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = Tokenizer.train(SENTENCES, 120).to_bytes()
    longer = tmp_path / "a folder with a longer name"
    longer.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(longer))
    assert Tokenizer.train(SENTENCES, 120).to_bytes() == first


def test_no_shipped_tokenizer_names_a_file() -> None:
    names = [*checkpoint.available(), "_patient"]
    for path in [file for name in names for file in checkpoint.find(name).glob("*.model")]:
        assert b"normalization.tsv" not in path.read_bytes(), path
        assert without_rules_path(path.read_bytes()) == path.read_bytes()


@pytest.mark.parametrize("broken", [b"\x80", b"\x0a\x05ab", b"\x0b", b"\xff" * 20, b"\x0d\0"])
def test_what_is_no_message_is_refused(broken: bytes) -> None:
    with pytest.raises(ValueError, match=r"field|end"):
        without_rules_path(broken)
