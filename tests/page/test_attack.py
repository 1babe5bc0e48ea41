"""A tenth of what `python -m benchmarks attack` sends, and a normal client beside it."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from benchmarks import attack, attacks_guests
from benchmarks.server import Server, serve
from tests.tiny import SENTENCES, tiny_checkpoint
from transformer import Tokenizer, checkpoint

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    folder = tmp_path_factory.mktemp("checkpoints")
    tokenizer = Tokenizer.train(SENTENCES, 120)
    checkpoint.save(folder / "en-zh", tiny_checkpoint(tokenizer, "en-zh", max_length=128))
    root = tmp_path_factory.mktemp("guests")
    with serve(folder, files=100, guests=[attack.OURS, *attacks_guests.folders(root)]) as server:
        yield server
    assert not (root / attacks_guests.RAN).exists()


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="Linux tells of its memory")
@pytest.mark.parametrize("one", attack.ATTACKS, ids=lambda one: one.__name__)
def test_a_normal_client_is_answered_and_the_server_gives_its_memory_back(
    server: Server, one: attack.Attack
) -> None:
    outcome = attack.suffer(server.url, server.pid, one, scale=0.1)
    assert outcome.requests
    assert outcome.failed == 0
    assert outcome.growth < attack.KEPT
