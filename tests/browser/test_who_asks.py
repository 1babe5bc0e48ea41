"""Who asks, as turns and shares count it: the page's own token within its address."""

import json
import logging

import pytest
from playwright.sync_api import Request
from starlette.types import Scope

from headlight.answer_route import ADDRESS
from headlight.clients import PAGE
from headlight.guard import who_asks
from headlight.programs import service
from tests.browser.conftest import Open
from tests.browser.helpers import translate
from tests.browser.lines import connect, head, read
from transformer.serving.sharing.client import Client
from transformer.serving.wire.requests import TraceAsked

PUPIL = Client("2001:db8:1:2::7", "pupil-7")
COUNTED = Client("2001:db8:1:2::/64", "pupil-7")
MCP = {"jsonrpc": "2.0", "id": 1, "method": "tools/call"}
CALL = {"data": ["I love you.", "en-zh"]}


def post(address: str, path: str, sent: object, client: Client = PUPIL) -> bytes:
    body = json.dumps(sent).encode()
    with connect(address) as line:
        accepted = b"Accept: application/json, text/event-stream\r\n\r\n"
        line.sendall(head(path, len(body), client)[:-2] + accepted + body)
        return read(line)


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[Client]:
    """Who asked for traces."""
    clients: list[Client] = []
    begin = service.traces._begin

    async def listened(asked: TraceAsked, client: Client) -> object:
        clients.append(client)
        return await begin(asked, client)

    monkeypatch.setattr(service.traces, "_begin", listened)
    return clients


def test_a_page_a_program_and_a_language_model_count_alike(
    address: str, asked: list[Client]
) -> None:
    pytest.importorskip("mcp", reason="pip install mcp")
    post(address, f"/{ADDRESS}", {"ask": "trace", "source": "I love you.", "model": "en-zh"})
    post(address, "/gradio_api/run/translate", CALL)
    values = {"name": "translate", "arguments": {"source": "I love you."}}
    assert b'isError":false' in post(address, "/gradio_api/mcp/", {**MCP, "params": values})
    assert asked == [COUNTED] * 3


def test_each_of_gradios_clients_counts_by_its_session(address: str, asked: list[Client]) -> None:
    for session in ("one", "two"):
        call = {**CALL, "fn_index": 0, "session_hash": session}
        post(address, "/gradio_api/queue/join", call)
        with connect(address) as line:
            path = f"/gradio_api/queue/data?session_hash={session}"
            line.sendall(
                f"GET {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n".encode()
            )
            assert b"process_completed" in read(line)
    assert asked == [Client(COUNTED.address, "one"), Client(COUNTED.address, "two")]


@pytest.mark.parametrize(
    ("token", "page"),
    [("pupil-7", "pupil-7"), ("", ""), ("x" * 65, ""), ("a b", ""), ("\xe9", ""), ("\x1b[1m", "")],
)
def test_a_token_is_short_and_plain_or_none(token: str, page: str) -> None:
    headers = [(PAGE.lower().encode(), token.encode("latin1"))]
    scope: Scope = {"type": "http", "headers": headers, "client": ("192.0.2.1", 9)}
    assert who_asks(scope) == Client("192.0.2.1", page)


def test_one_host_is_one_address_whatever_it_makes_of_its_64_bits() -> None:
    scopes = [
        {"type": "http", "headers": [], "client": (f"2001:db8:1:2:{i:x}::{i:x}", 9)}
        for i in range(1, 100)
    ]
    assert len(set(map(who_asks, scopes))) == 1


def test_each_page_calls_itself_something_of_its_own(open_page: Open) -> None:
    tokens: list[set[str]] = []
    for _ in range(2):
        messages: set[str] = set()
        page = open_page()

        def note(request: Request, messages: set[str] = messages) -> None:
            if request.method == "POST":
                messages.add(request.headers.get(PAGE.lower(), ""))

        page.on("request", note)
        translate(page, "Good morning")
        assert not page.context.cookies()
        tokens.append(messages)
    [one], [other] = tokens
    assert one
    assert other
    assert one != other


def test_names_that_strangers_call_do_not_reach_the_log_as_they_are(
    address: str, caplog: pytest.LogCaptureFixture
) -> None:
    pytest.importorskip("mcp", reason="pip install mcp")
    with caplog.at_level(logging.WARNING):
        for name in ("\x1b[2J\x1b]0;owned\x07\nforged line", "x" * 100_000):
            call = {**MCP, "params": {"name": name, "arguments": {}}}
            assert b'isError":true' in post(address, "/gradio_api/mcp/", call)
            wrong = {**MCP, "params": {name: name}, "method": name}
            assert post(address, "/gradio_api/mcp/", wrong)
    assert "x" * 100 in caplog.text  # it is logged,
    assert max(map(len, caplog.messages)) < 1_000  # in short,
    shown = "".join(record.getMessage() for record in caplog.records)
    assert "\x1b" not in shown
    assert "\nforged" not in shown
