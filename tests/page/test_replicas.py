"""Two replicas behind one address: one is killed under load, and every question is answered."""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from threading import Event
from time import monotonic, sleep
from urllib.error import HTTPError, URLError
from urllib.request import urlopen

import pytest

from tests.page.serving import ask, free_port, wait_for
from tests.tiny import SENTENCES, tiny_checkpoint
from transformer import Tokenizer, checkpoint

pytest.importorskip("ray", reason="make replicas installs it")
if sys.platform != "linux":
    pytest.skip("finds the replicas' processes in /proc", allow_module_level=True)

pytestmark = pytest.mark.timeout(240)  # Ray takes half a minute to start on a busy machine
ROOT = Path(__file__).parents[2]
CLIENTS, QUESTIONS = 8, 200
TRIES = 20


@pytest.fixture(scope="module")
def server(
    tmp_path_factory: pytest.TempPathFactory, tokenizer: Tokenizer
) -> "Iterator[tuple[str, subprocess.Popen[bytes]]]":
    folder = tmp_path_factory.mktemp("replicas")
    checkpoint.save(folder / "en-zh", tiny_checkpoint(tokenizer, "en-zh", max_length=64))
    port = free_port()
    command = [sys.executable, "app.py", "--no-browser", "--port", str(port), "--replicas", "2"]
    environment = {
        **os.environ,
        "HEADLIGHT_CHECKPOINTS": str(folder),
        "HOME": str(folder),  # where Ray keeps the key of its cluster
        "PYTHONWARNINGS": "",
        "RAY_TMPDIR": "/tmp",  # sockets, whose paths must be short
    }
    url = f"http://127.0.0.1:{port}"
    with subprocess.Popen(command, cwd=ROOT, env=environment) as process:
        try:
            wait_for(f"{url}/manifest.json", seconds=180)
            yield url, process
        finally:
            process.kill()


def replicas(server: int) -> list[int]:
    """The processes of a server's replicas."""
    parents: dict[int, int] = {}
    names: dict[int, str] = {}
    for folder in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):  # it has ended meanwhile
            _, _, state = (folder / "stat").read_text().rpartition(")")
            parents[int(folder.name)] = int(state.split()[1])
            names[int(folder.name)] = (folder / "cmdline").read_text()

    def below(process: int) -> bool:
        return process == server or (process in parents and below(parents[process]))

    return [p for p, name in names.items() if name.startswith("ray::ServeReplica") and below(p)]


def test_a_killed_replica_costs_no_answer(server: "tuple[str, subprocess.Popen[bytes]]") -> None:
    url, process = server
    answered, half = [0], Event()
    again: list[str] = []

    def answer(number: int) -> bool:
        source = f"{SENTENCES[number % len(SENTENCES)]} {number}"
        asked = {"ask": "trace", "source": source, "model": "en-zh"}
        for _ in range(TRIES):
            try:
                trace = json.loads(ask(url, asked))["trace"]
            except HTTPError as error:
                again.append(str(error.code))
                error.close()
            except (URLError, OSError) as error:
                again.append(str(error))
            else:
                answered[0] += 1
                if answered[0] > QUESTIONS // 4:
                    half.set()
                return trace["source"] == source
            sleep(0.1)
        return False

    before = replicas(process.pid)
    assert len(before) == 2
    with ThreadPoolExecutor(CLIENTS) as clients:
        asking = [clients.submit(answer, number) for number in range(QUESTIONS)]
        assert half.wait(60)
        os.kill(before[0], signal.SIGKILL)
        assert all(future.result() for future in asking)
    assert len(again) <= CLIENTS, again

    start = monotonic()
    while len(now := replicas(process.pid)) < 2 or before[0] in now:
        assert monotonic() - start < 60, "it was not replaced"
        sleep(0.2)


def test_nothing_is_queued_where_another_replica_would_be_asked_for_it(
    server: "tuple[str, subprocess.Popen[bytes]]",
) -> None:
    for path in ("queue/join", "queue/data", "call/translate", "upload"):
        with pytest.raises(HTTPError) as error:
            urlopen(f"{server[0]}/gradio_api/{path}", b"{}", timeout=30)
        assert error.value.code == 404
        error.value.close()


def test_told_to_stop_all_end_and_it_exits_0(
    server: "tuple[str, subprocess.Popen[bytes]]",
) -> None:
    _, process = server
    started = replicas(process.pid)
    process.terminate()
    assert process.wait(60) == 0
    assert not [each for each in started if Path(f"/proc/{each}").exists()]
