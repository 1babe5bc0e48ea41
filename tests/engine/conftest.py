"""The shipped models, in Python and in the engine."""

from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from tests.engine.engine import Engine, running
from transformer import checkpoint
from transformer.checkpoint import CONFIG
from transformer.checkpoint.checksums import check_files
from transformer.serving import Service

PATIENT = "_patient"


Places = Mapping[str, tuple[Path, str]]
"""By a model's name, its folder and the hash of its files."""


@pytest.fixture(scope="session")
def places() -> Places:
    """The shipped models'."""
    folders = {name: checkpoint.find(name) for name in (*checkpoint.available(), PATIENT)}
    return {name: (folder, check_files(folder, CONFIG)) for name, folder in folders.items()}


@pytest.fixture(scope="session")
def engine(places: Places) -> Iterator[Engine]:
    """Asked in place of the server."""
    with running(places) as it:
        yield it


@pytest.fixture(scope="session")
def server() -> Iterator[Service]:
    """Asked as the page asks it."""
    service = Service()
    yield service
    service.close()


@pytest.fixture(scope="session")
def sentences() -> dict[str, list[str]]:
    """Twenty texts for each model: its card's examples, then what it may never have read."""
    everyday = Path(__file__).parents[2] / "corpora" / "everyday.tsv"
    pairs = [line.split("\t") for line in everyday.read_text(encoding="utf-8").splitlines()]
    english, chinese = ([pair[side] for pair in pairs[::40]] for side in (0, 1))
    words = [text.split()[0].strip(".,!?") + str(i) for i, text in enumerate(english)]
    more = {"zh-en": chinese, "tang": chinese, "reverse": words, "repeat": words}
    more |= {PATIENT: words}
    by_model: dict[str, list[str]] = {}
    for name in (*checkpoint.available(), PATIENT):
        examples: list[str] = checkpoint.read_card(checkpoint.find(name)).get("examples", [])
        by_model[name] = [*examples, *more.get(name, english)][:20]
    return by_model
