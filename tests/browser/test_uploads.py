"""Large bodies: whoever is silent or slow holds up nobody, from one address or from many."""

import json
import socket
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager

import pytest

from headlight import bodies
from headlight.guard import UPLOAD
from tests.browser.lines import connect, head, read
from transformer.serving.sharing.client import Client

pytestmark = pytest.mark.slow

LARGE = json.dumps({"ask": "nothing", "trace": "x" * 3 * bodies.SMALL}).encode()
"""It needs a place, and costs nobody anything else."""

CLASS = {
    "sixty addresses": [Client(f"192.0.2.{i}", "page") for i in range(60)],
    "one address": [Client("192.0.2.1", f"pupil-{i}") for i in range(60)],
}


def upload(address: str, client: Client) -> bytes:
    """What a client gets that sends a large body."""
    with connect(address) as line:
        line.sendall(head(f"/{UPLOAD}", len(LARGE), client) + LARGE)
        return read(line)


def is_answered(answer: bytes) -> bool:
    return answer.startswith(b"HTTP/1.1 200") and b"bad_request" in answer


@contextmanager
def begun(address: str, clients: list[Client], sent: int) -> Iterator[list[socket.socket]]:
    """Uploads that end after so many bytes, and stay."""
    with ExitStack() as stack:
        lines = [stack.enter_context(connect(address)) for _ in clients]
        for line, client in zip(lines, clients, strict=True):
            line.sendall(head(f"/{UPLOAD}", len(LARGE), client) + LARGE[:sent])
        yield lines


@pytest.mark.parametrize("place", CLASS)
def test_a_class_that_drops_its_files_at_once_gets_all_its_answers(
    address: str, place: str
) -> None:
    with ThreadPoolExecutor(60) as people:
        answers = [*people.map(lambda client: upload(address, client), CLASS[place])]
    assert all(map(is_answered, answers))


@pytest.mark.parametrize("place", CLASS)
def test_uploads_that_send_nothing_hold_no_place(address: str, place: str) -> None:
    with begun(address, CLASS[place], 10):
        assert is_answered(upload(address, CLASS[place][7]))
        assert is_answered(upload(address, Client("198.51.100.1")))


@pytest.mark.parametrize("place", CLASS)
def test_uploads_that_stop_lose_their_places_to_whoever_sends(
    address: str, place: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bodies, "GRACE_SECONDS", 0.5)
    monkeypatch.setattr(bodies, "LOOK_SECONDS", 0.05)
    with begun(address, CLASS[place][:8], 2 * bodies.SMALL) as lines:
        assert is_answered(upload(address, CLASS[place][9]))
        assert read(lines[0]).startswith(b"HTTP/1.1 408")


def test_an_upload_that_is_slow_is_waited_for_while_nobody_wants_its_place(
    address: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bodies, "GRACE_SECONDS", 0)
    monkeypatch.setattr(bodies, "LOOK_SECONDS", 0.01)
    with begun(address, [Client("192.0.2.1", "slow")], 2 * bodies.SMALL) as [slow]:
        # Its place is one of four: three others come and go meanwhile.
        for i in range(3):
            assert is_answered(upload(address, Client(f"192.0.2.{i}", "quick")))
        slow.sendall(LARGE[2 * bodies.SMALL :])
        assert is_answered(read(slow))


def test_an_upload_that_pauses_too_long_is_told_so(
    address: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bodies, "SILENT_SECONDS", 0.1)
    monkeypatch.setattr(bodies, "LOOK_SECONDS", 0.05)
    with begun(address, [Client("192.0.2.1")], 2 * bodies.SMALL) as [silent]:
        assert read(silent).startswith(b"HTTP/1.1 408")
