"""`python app.py`: how it is started, and how it ends."""

import json
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from importlib.metadata import PackageNotFoundError
from pathlib import Path
from typing import Any

import pytest

from headlight.__main__ import main
from headlight.answer_route import ADDRESS
from tests.page.serving import free_port, wait_for

ROOT = Path(__file__).parents[2]


@pytest.fixture
def busy() -> Iterator[int]:
    """A port that somebody serves at."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        yield server.getsockname()[1]


def run(*arguments: str, **options: Any) -> "subprocess.CompletedProcess[str]":
    command = [sys.executable, *arguments]
    return subprocess.run(
        command, cwd=ROOT, capture_output=True, text=True, timeout=60, check=False, **options
    )


@pytest.mark.parametrize("release", [None, "2.49.0", "2.600.0"])
def test_replicas_without_the_release_that_is_known_to_listen_here_alone_are_refused(
    release: str | None, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def version(name: str) -> str:
        if release is None:
            raise PackageNotFoundError(name)
        return release

    monkeypatch.setattr("headlight.__main__.version", version)
    with pytest.raises(SystemExit) as ended:
        main(["--replicas", "2", "--port", str(free_port())])
    assert ended.value.code == 2
    assert 'pip install "ray[serve]~=2.60.0"' in capsys.readouterr().err


def test_help_starts_no_server(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def serve(**_: object) -> None:
        raise AssertionError("a server was started")

    monkeypatch.setattr("headlight.__main__.launch", serve)
    with pytest.raises(SystemExit) as ended:
        main(["--help"])
    assert ended.value.code == 0
    output = capsys.readouterr().out
    for option in ("--host", "--port", "--no-browser"):
        assert option in output


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["--prot", "8000"], "unrecognized arguments: --prot"),
        (["--port", "http"], "'http' is no port: a number from 1 to 65535"),
        (["--port", "70000"], "'70000' is no port"),
        (["--host", "no.such.host.invalid"], "cannot serve at no.such.host.invalid"),
        (["--host", "no..host"], "cannot serve at no..host"),
        (["--host", "192.0.2.1"], "cannot serve at 192.0.2.1"),  # of a network for examples
    ],
)
def test_wrong_usage_is_a_sentence_and_2(
    arguments: list[str], sentence: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as ended:
        main(arguments)
    assert ended.value.code == 2
    assert sentence in capsys.readouterr().err


def test_a_busy_port_is_named_and_the_next_one_offered(
    busy: int, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["--port", str(busy), "--no-browser"])
    assert ended.value.code == 2
    output = capsys.readouterr().err
    assert f"port {busy} is busy; the next free one is " in output
    offered = int(output.strip().rsplit(" ", 1)[1])
    assert busy < offered < busy + 100
    socket.create_server(("127.0.0.1", offered)).close()


IMPORTED_AND_STARTED = """
import os, sys
import transformer.checkpoint, transformer.translator.translator
def refuse(*_): raise SystemExit("a model was read")
transformer.checkpoint.load = transformer.translator.translator.decode = refuse
import app
print(app.demo.get_config_file()["space_id"], flush=True)
del os.environ["SYSTEM"], os.environ["SPACE_ID"]
import headlight.__main__ as command
command.free_port = lambda _host, wanted: wanted
command.main(["--port", sys.argv[1], "--no-browser"])
"""


@pytest.mark.slow
def test_importing_it_reads_no_model_and_of_two_on_one_port_the_second_is_told_so(
    busy: int,
) -> None:
    # On a Space, too, whose header the browser would ask Hugging Face for.
    environment = {**os.environ, "SYSTEM": "spaces", "SPACE_ID": "someone/headlight"}
    # Between the look at the port and its use, somebody else has taken it.
    done = run("-W", "ignore", "-c", IMPORTED_AND_STARTED, str(busy), env=environment)
    assert done.stdout.startswith("None\n")
    assert done.returncode == 2
    assert f"port {busy} is busy" in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.slow
def test_told_to_stop_it_finishes_what_it_has_begun_and_exits_0() -> None:
    port = free_port()
    command = [sys.executable, "app.py", "--no-browser", "--port", str(port)]
    environment = {**os.environ, "PYTHONWARNINGS": ""}
    url = f"http://127.0.0.1:{port}"
    asked = json.dumps({"ask": "trace", "source": "Good morning.", "model": "zh-en"}).encode()
    head = [f"POST /{ADDRESS} HTTP/1.1", f"Host: 127.0.0.1:{port}", f"Content-Length: {len(asked)}"]
    head += ["Content-Type: application/json", "Expect: 100-continue", "Connection: close", "", ""]
    with subprocess.Popen(command, cwd=ROOT, env=environment, stdout=subprocess.PIPE) as process:
        try:
            wait_for(url)
            with (
                socket.create_connection(("127.0.0.1", port), timeout=60) as asking,
                asking.makefile("rb") as answer,
            ):
                asking.sendall("\r\n".join(head).encode())
                # Told so once the answer is begun; its model is read after the signal.
                assert answer.readline() == b"HTTP/1.1 100 Continue\r\n"
                process.send_signal(signal.SIGTERM)
                asking.sendall(asked)
                answered = answer.read()
                assert process.wait(30) == 0
        finally:
            process.kill()
    assert b'"tgt_out"' in answered


@pytest.mark.slow
def test_a_second_signal_ends_it_at_once() -> None:
    port = free_port()
    command = [sys.executable, "app.py", "--no-browser", "--port", str(port)]
    environment = {**os.environ, "PYTHONWARNINGS": ""}
    with subprocess.Popen(command, cwd=ROOT, env=environment, stdout=subprocess.PIPE) as process:
        try:
            wait_for(f"http://127.0.0.1:{port}")
            # Half a request keeps the first one waiting.
            with socket.create_connection(("127.0.0.1", port), timeout=60) as asking:
                head = [f"POST /{ADDRESS} HTTP/1.1", f"Host: 127.0.0.1:{port}"]
                head += ["Content-Type: application/json", "Content-Length: 9"]
                head += ["Expect: 100-continue", "", ""]
                asking.sendall("\r\n".join(head).encode())
                assert asking.recv(100).startswith(b"HTTP/1.1 100 Continue")
                process.send_signal(signal.SIGTERM)
                process.send_signal(signal.SIGINT)
                assert process.wait(30) in (128 + signal.SIGINT, 128 + signal.SIGTERM)
        finally:
            process.kill()


COUNTING = """
import os, signal, sys
from headlight.stopping import Stop
stop = Stop()
print("ready", flush=True)
stop.wait()
stop.end_at_once()
"""


def test_signals_at_the_same_moment_never_lock_it() -> None:
    for _ in range(20):
        with subprocess.Popen(
            [sys.executable, "-c", COUNTING], cwd=ROOT, stdout=subprocess.PIPE
        ) as process:
            assert process.stdout
            process.stdout.readline()
            process.send_signal(signal.SIGTERM)
            process.send_signal(signal.SIGINT)
            # Both were counted, or the first had ended it before the second came.
            assert process.wait(30) in (0, 128 + signal.SIGINT, 128 + signal.SIGTERM)
