"""A server of two small untrained models."""

from pathlib import Path

import pytest

from tests.tiny import tiny_checkpoint
from transformer import Tokenizer, Translator, checkpoint
from transformer.serving import Service

LIMIT = 32
"""The longest source that the models here read, in tokens."""


@pytest.fixture(scope="session")
def models(tokenizer: Tokenizer, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a translator and a decoder-only model."""
    folder = tmp_path_factory.mktemp("checkpoints")
    for name, layers in (("en-zh", 2), ("poet", 0)):
        it = tiny_checkpoint(tokenizer, name, num_encoder_layers=layers, max_length=LIMIT)
        checkpoint.save(folder / name, it)
    return folder


@pytest.fixture(autouse=True)
def install(models: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What the server finds installed."""
    monkeypatch.setenv("HEADLIGHT_CHECKPOINTS", str(models))


@pytest.fixture
def service() -> Service:
    return Service()


@pytest.fixture(scope="session")
def translator(models: Path) -> Translator:
    """The model that the server asks."""
    return Translator.load(models / "en-zh")
