"""What holds for every test: no network of anybody else's, and one thread for small models."""

import gc
import os
import shutil
from collections.abc import Iterator
from pathlib import Path

# Set before torch, gradio or transformers is imported anywhere.
os.environ["OMP_NUM_THREADS"] = "1"
os.environ["GRADIO_ANALYTICS_ENABLED"] = "False"
os.environ["HF_HUB_OFFLINE"] = "1"
os.environ["NO_PROXY"] = os.environ["no_proxy"] = "*"
# What the person at this machine has downloaded is no part of the tests.
os.environ["HEADLIGHT_DATA"] = str(Path(__file__).parent / "nothing downloaded")

import pytest

from tests.checkpoint.hub import MODEL, Hub, running
from tests.tiny import SENTENCES, tiny_checkpoint
from transformer import Tokenizer, Translator


def pytest_xdist_auto_num_workers(config: pytest.Config) -> int:
    """How many processes share the work: one a core, up to four, if all tests are to run.

    None for a part of them: to start the processes would take longer.
    """
    chosen = any(config.getoption(name, False) for name in ("keyword", "lf"))
    whole = config.args_source != pytest.Config.ArgsSource.ARGS and not chosen
    return min(os.cpu_count() or 1, 4) if whole else 0


def pytest_collection_finish() -> None:
    """Takes what was imported out of the garbage collector's rounds, a tenth of the time."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(50_000, 20, 50)


@pytest.fixture(scope="session")
def tokenizer() -> Tokenizer:
    """A small vocabulary of English and Chinese."""
    return Tokenizer.train(SENTENCES, 120)


@pytest.fixture(scope="session")
def translator(tokenizer: Tokenizer) -> Translator:
    """An untrained encoder-decoder of two layers: it speaks gibberish, but computes for real."""
    return Translator(tiny_checkpoint(tokenizer, max_length=64))


@pytest.fixture(scope="session")
def continuer(tokenizer: Tokenizer) -> Translator:
    """An untrained decoder-only model."""
    return Translator(tiny_checkpoint(tokenizer, max_length=64, num_encoder_layers=0))


@pytest.fixture(scope="session")
def saved(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A Marian model of few weights, as the hub has them."""
    # Hugging Face's models take seconds to import, and few tests ask for one.
    from tests.checkpoint.marian import SHAPES, save_marian

    folder = tmp_path_factory.mktemp("saved")
    save_marian(folder, **SHAPES["2+2 tied swish"])
    return folder


@pytest.fixture
def hub(saved: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Hub]:
    """A hub of one model, which is asked in place of Hugging Face's."""
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", False)
    with running() as hub:
        hub.models[MODEL] = {"main": saved}
        monkeypatch.setenv("HF_ENDPOINT", hub.url)
        yield hub


@pytest.fixture
def shelf(models: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is fetched goes beside a copy of the room's `models`."""
    shutil.copytree(models, tmp_path / "shelf")
    monkeypatch.setenv("HEADLIGHT_CHECKPOINTS", str(tmp_path / "shelf"))
