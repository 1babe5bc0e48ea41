"""What lies in a model's folder and is no file that ends: links, pipes, devices, files of holes."""

import os
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.checkpoint.marian import SHAPES, save_marian
from tests.tiny import tiny_checkpoint
from transformer import HeadlightError, Tokenizer, checkpoint
from transformer.checkpoint.importing.import_model import import_model

pytestmark = [
    pytest.mark.skipif(sys.platform != "linux", reason="other systems lack one or the other"),
    pytest.mark.filterwarnings("ignore:Recommended. pip install sacremoses"),
]


def holes(path: Path) -> None:
    with path.open("wb") as file:
        file.truncate(200_000_000_000)


KINDS: dict[str, Callable[[Path], object]] = {
    "loop": lambda path: path.symlink_to(path.name),
    "nowhere": lambda path: path.symlink_to("/nowhere/at/all"),
    "device": lambda path: path.symlink_to("/dev/zero"),
    "pipe": os.mkfifo,
    "folder": Path.mkdir,
    "holes": holes,
}


def refusal(use: Callable[[], object]) -> str:
    """The sentence that refuses it; empty if it is not needed."""
    try:
        use()
    except HeadlightError as error:
        return str(error)
    return ""


@pytest.mark.parametrize("kind", KINDS)
def test_a_checkpoint_with_one_is_refused_or_does_without(
    kind: str, tokenizer: Tokenizer, tmp_path: Path
) -> None:
    for name, needed in (
        *((name, True) for name in ("config.json", "model.safetensors", "tokenizer.model")),
        *((name, False) for name in ("heads.npz", "history.npz", "lexicon.tsv", "files.json")),
        *((name, False) for name in ("notes.json", "more.spm")),
    ):
        folder = tmp_path / f"{name}-{kind}"
        checkpoint.save(folder, tiny_checkpoint(tokenizer))
        (folder / name).unlink(missing_ok=True)
        KINDS[kind](folder / name)
        sentence = refusal(lambda folder=folder: checkpoint.load(folder))
        assert sentence or not needed, name
        assert not sentence or name in sentence
        assert "\n" not in sentence


@pytest.mark.parametrize("kind", KINDS)
def test_one_in_a_folder_to_import_is_refused_or_not_needed(
    kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HEADLIGHT_CHECKPOINTS", str(tmp_path / "checkpoints"))
    whole = tmp_path / "whole"
    save_marian(whole, **SHAPES["2+2 tied swish"])
    for name, needed in (
        *((name, True) for name in ("config.json", "source.spm", "vocab.json")),
        *((name, True) for name in ("model.safetensors", "pytorch_model.bin")),
        *((name, False) for name in ("README.md", "notes.json", "extra.bin")),
    ):
        folder = tmp_path / f"{name}-{kind}"
        folder.mkdir()
        for file in whole.iterdir():
            if file.name != name and (file.suffix != ".safetensors" or name != "pytorch_model.bin"):
                (folder / file.name).symlink_to(file)  # as the hub's own cache has them
        KINDS[kind](folder / name)
        sentence = refusal(lambda folder=folder: import_model(str(folder), f"copy-{folder.name}"))
        assert sentence or not needed, name
        assert "\n" not in sentence
        if not sentence:
            assert checkpoint.load(checkpoint.find(f"copy-{folder.name}"))
