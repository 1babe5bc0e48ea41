"""Two replicas behind one address: one is killed under load, and every question is answered."""

import json
import os
import re
import signal
import socket
import subprocess
import sys
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from http.client import HTTPException
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

# Ray takes half a minute to start on a busy machine.
pytestmark = [pytest.mark.slow, pytest.mark.timeout(240)]
ROOT = Path(__file__).parents[2]
CLIENTS, QUESTIONS = 8, 200
TRIES = 20
LISTEN = "0A"
"""What /proc/net/tcp calls a socket that lets others in."""


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What the server takes for its user's folder."""
    return tmp_path_factory.mktemp("home")


@pytest.fixture(scope="module")
def server(
    tmp_path_factory: pytest.TempPathFactory, tokenizer: Tokenizer, home: Path
) -> "Iterator[tuple[str, subprocess.Popen[bytes]]]":
    folder = tmp_path_factory.mktemp("replicas")
    checkpoint.save(folder / "en-zh", tiny_checkpoint(tokenizer, "en-zh", max_length=64))
    port = free_port()
    command = [sys.executable, "app.py", "--no-browser", "--host", "0.0.0.0", "--port", str(port)]
    command += ["--replicas", "2"]
    environment = {
        **os.environ,
        "HEADLIGHT_CHECKPOINTS": str(folder),
        "HOME": str(home),
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


def started(server: int) -> dict[int, str]:
    """A server's process and all that it started, with the commands that they show."""
    parents: dict[int, int] = {}
    names: dict[int, str] = {}
    for folder in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):  # it has ended meanwhile
            _, _, state = (folder / "stat").read_text().rpartition(")")
            parents[int(folder.name)] = int(state.split()[1])
            names[int(folder.name)] = (folder / "cmdline").read_text()

    def below(process: int) -> bool:
        return process == server or (process in parents and below(parents[process]))

    return {process: name for process, name in names.items() if below(process)}


def replicas(server: int) -> list[int]:
    """The processes of a server's replicas."""
    return [p for p, name in started(server).items() if name.startswith("ray::ServeReplica")]


def listening(processes: Iterable[int]) -> dict[int, list[tuple[str, int]]]:
    """Address and port of each TCP socket where one of these processes lets others in."""
    addresses: dict[str, tuple[str, int]] = {}
    for table, family in (("tcp", socket.AF_INET), ("tcp6", socket.AF_INET6)):
        for line in Path("/proc/net", table).read_text().splitlines()[1:]:
            _, local, _, state, *_, inode = line.split()[:10]
            if state == LISTEN:
                host, port = local.split(":")
                words = [bytes.fromhex(host[i : i + 8])[::-1] for i in range(0, len(host), 8)]
                address = socket.inet_ntop(family, b"".join(words))
                addresses[f"socket:[{inode}]"] = (address, int(port, 16))
    sockets: dict[int, list[tuple[str, int]]] = {}
    for process in processes:
        for opened in Path(f"/proc/{process}/fd").glob("*"):
            with suppress(OSError):  # it has been closed meanwhile
                if address := addresses.get(str(opened.readlink())):
                    sockets.setdefault(process, []).append(address)
    return sockets


def ray_folders(server: int) -> set[Path]:
    """Where the processes that it started keep their files, as their commands say."""
    text = "\0".join(started(server).values())
    folders = {Path(path) for path in re.findall(r"--(?:temp|session|log)[-_]dir=([^\0 ]+)", text)}
    assert folders, "no command names a folder"
    return folders


def status(url: str) -> int | None:
    """HTTP's, or None where something else is spoken."""
    try:
        with urlopen(url, timeout=5) as response:
            return response.status
    except HTTPError as error:
        error.close()
        return error.code
    except (OSError, HTTPException):
        return None


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


def test_nothing_but_the_page_is_open_to_other_machines(
    server: "tuple[str, subprocess.Popen[bytes]]",
) -> None:
    url, process = server
    start = monotonic()
    while not all(len(sockets) == 2 for sockets in listening(replicas(process.pid)).values()):
        assert monotonic() - start < 60, "one that replaced another does not listen"
        sleep(0.2)
    commands = started(process.pid)
    listeners = listening(commands)
    assert listeners.keys() >= set(replicas(process.pid)) | {process.pid}
    open_to_all = [
        (port, address, commands[each])
        for each, sockets in listeners.items()
        for address, port in sockets
        if address.removeprefix("::ffff:") != "127.0.0.1"
    ]
    assert [port for port, *_ in open_to_all] == [int(url.rpartition(":")[2])], open_to_all


def test_others_on_this_machine_have_neither_the_key_nor_a_way_to_the_files(
    server: "tuple[str, subprocess.Popen[bytes]]", home: Path
) -> None:
    _, process = server
    ports = [port for sockets in listening(started(process.pid)).values() for _, port in sockets]
    refused = [
        port for port in ports if status(f"http://127.0.0.1:{port}/api/job_agent/jobs/") == 401
    ]
    assert refused, "nobody asked for a key"
    assert not [path for path in home.rglob("*") if "token" in path.name]
    for path in ray_folders(process.pid):
        assert any(not folder.stat().st_mode & 0o077 for folder in path.parents), path


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
    running = replicas(process.pid)
    process.terminate()
    assert process.wait(60) == 0
    assert not [each for each in running if Path(f"/proc/{each}").exists()]
