"""What most runs here are made of."""

from pathlib import Path

import pytest

from tests.training.runs import tiny_recipe, write_corpus
from transformer.training.recipe import Recipe


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_corpus(tmp_path_factory.mktemp("corpus"))


@pytest.fixture
def recipe(corpus: Path) -> Recipe:
    return tiny_recipe(corpus)
