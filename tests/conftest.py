"""What holds for every test: no network of anybody else's, and one thread for small models."""

import os
from pathlib import Path

# Set before torch, gradio or transformers is imported anywhere.
os.environ["OMP_NUM_THREADS"] = "1"
os.environ["GRADIO_ANALYTICS_ENABLED"] = "False"
os.environ["HF_HUB_OFFLINE"] = "1"
# What the person at this machine has downloaded is no part of the tests.
os.environ["HEADLIGHT_DATA"] = str(Path(__file__).parent / "nothing downloaded")

import pytest

from tests.tiny import SENTENCES, tiny_checkpoint
from transformer import Tokenizer, Translator


def pytest_xdist_auto_num_workers(config: pytest.Config) -> int:
    """How many processes share the work: one a core, up to four, if all tests are to run.

    None for a part of them: to start the processes would take longer.
    """
    chosen = any(config.getoption(name, False) for name in ("keyword", "markexpr", "lf"))
    whole = config.args_source != pytest.Config.ArgsSource.ARGS and not chosen
    return min(os.cpu_count() or 1, 4) if whole else 0


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
