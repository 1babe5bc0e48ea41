"""Strangers: what they send is bounded, whoever sends it, and costs nobody else an answer."""

import http.client
import json
import re
import socket
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from gradio_client import Client

from headlight import bodies, guard, patient
from headlight.answer_route import ADDRESS
from headlight.hosts import HOSTS
from headlight.page import demo

JSON = {"Content-Type": "application/json"}
ASKED = json.dumps({"ask": "trace", "source": "I love you.", "model": "en-zh"}).encode()
CALL = json.dumps({"data": ["I love you.", "en-zh"]}).encode()


def send(
    address: str, path: str, body: bytes = ASKED, method: str = "POST", **headers: str
) -> tuple[int, bytes]:
    """Status and body of an answer."""
    connection = http.client.HTTPConnection(urlsplit(address).netloc, timeout=30)
    try:
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        connection.request(method, path, body, JSON | named)
        response = connection.getresponse()
        return response.status, response.read()
    finally:
        connection.close()


def connect(address: str) -> socket.socket:
    url = urlsplit(address)
    return socket.create_connection((url.hostname or "", url.port or 0), timeout=30)


def answers(address: str) -> bool:
    """Whether a normal client gets its trace."""
    status, body = send(address, f"/{ADDRESS}")
    return status == 200 and b'"trace"' in body


@pytest.mark.parametrize("path", [f"/{ADDRESS}", "/gradio_api/run/translate"])
@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"Origin": "https://evil.example"}, 403),
        ({"Origin": "null"}, 403),
        ({"Sec_Fetch_Site": "cross-site"}, 403),
        ({"Sec_Fetch_Site": "same-site", "Origin": "http://127.0.0.1:1"}, 403),
        ({"Content_Type": "text/plain"}, 415),
        ({"Content_Type": "multipart/form-data; boundary=x"}, 415),
        ({"Sec_Fetch_Site": "same-origin", "Origin": "https://proxied.example"}, 200),
        ({"Content_Type": "application/json; charset=utf-8"}, 200),
        ({}, 200),
    ],
    ids=str,
)
def test_another_sites_page_gets_no_answer(
    address: str, path: str, headers: dict[str, str], status: int
) -> None:
    body = ASKED if path == f"/{ADDRESS}" else CALL
    assert send(address, path, body, **headers)[0] == status


@pytest.mark.parametrize(
    "path", ["run/translate", "call/translate", "queue/join", "cancel", "mcp/"]
)
def test_no_address_takes_more_than_a_question(address: str, path: str) -> None:
    with connect(address) as line:
        size = bodies.SMALL + 1
        head = f"POST /gradio_api/{path} HTTP/1.1\r\nHost: localhost\r\n"
        head += "Content-Type: application/json\r\n"
        line.sendall(f"{head}Content-Length: {size}\r\n\r\n".encode() + b"x" * size)
        assert line.recv(100).startswith(b"HTTP/1.1 413")
    assert answers(address)


@pytest.mark.parametrize("path", [ADDRESS, guard.UPLOAD])
def test_json_of_too_many_parts_is_refused_while_it_comes(address: str, path: str) -> None:
    bomb = b"[" + b"{}," * (bodies.MOST_PARTS // 2 + 1)
    with connect(address) as line:
        head = f"POST /{path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
        line.sendall(f"{head}Content-Length: {len(bomb) + 1_000_000}\r\n\r\n".encode())
        with suppress(OSError):  # who is refused is not listened to any more
            line.sendall(bomb)
        assert line.recv(100).startswith(b"HTTP/1.1 413")


@pytest.mark.parametrize("path", [ADDRESS, "gradio_api/run/translate", "gradio_api/mcp/"])
def test_json_of_any_depth_is_a_refusal(address: str, path: str) -> None:
    deep = b'{"data": ' + b"[" * 100 + b"]" * 100 + b"}"
    assert send(address, f"/{path}", deep)[0] == 400
    shallow = json.dumps({"data": ["[" * 200 + '\\"']}).encode()
    assert send(address, f"/{path}", shallow)[1] != send(address, f"/{path}", deep)[1]
    status, body = send(address, f"/{guard.UPLOAD}", b"[" * 100_000)
    assert (status, json.loads(body)["error"]["code"]) == (200, "bad_request")


def test_nobody_listens_where_nothing_is_said(address: str) -> None:
    """Language models may listen to a server that speaks unasked, which costs as much as a call."""
    for path in ("/gradio_api/mcp/", "/gradio_api/mcp/http/"):
        assert send(address, path, b"", "GET", Accept="text/event-stream")[0] == 405


def test_a_body_does_not_wait_until_its_head_is_acknowledged(address: str) -> None:
    door: Any = demo.server.servers[0]
    with connect(address) as line:
        line.sendall(b"GET /manifest.json HTTP/1.1\r\nHost: localhost\r\n\r\n")
        assert line.recv(100).startswith(b"HTTP/1.1 200")
        transports = [each.transport for each in door._crowd.lines]
        [ours] = [t for t in transports if t.get_extra_info("peername") == line.getsockname()]
        accepted = ours.get_extra_info("socket")
        assert accepted.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)


def test_who_sends_half_a_request_is_not_waited_for(
    address: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(patient, "HEAD_SECONDS", 1.5)
    monkeypatch.setattr(bodies, "SMALL_SECONDS", 1.5)
    with connect(address) as head, connect(address) as body, connect(address) as rested:
        head.sendall(b"POST /headlight/answer HTTP/1.1\r\nHost: localhost\r\n")
        body.sendall(b"POST /headlight/answer HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9\r\n")
        body.sendall(b"Content-Type: application/json\r\n\r\n{")
        rested.sendall(b"GET /manifest.json HTTP/1.1\r\nHost: localhost\r\n\r\n")
        assert rested.recv(100).startswith(b"HTTP/1.1 200")
        rested.sendall(b"GET /")  # and no more
        assert head.recv(1) == b""
        assert body.recv(100).startswith(b"HTTP/1.1 408")
        while rested.recv(1 << 16):
            pass


def test_whoever_takes_all_places_loses_them_to_newcomers(
    address: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    door: Any = demo.server.servers[0]
    monkeypatch.setattr(door._crowd, "most", 8)
    lines = [connect(address) for _ in range(30)]
    try:
        for line in lines:
            line.sendall(b"GET / HTTP/1.1\r\n")
        for _ in range(5):
            assert answers(address)
        assert not lines[0].recv(1)
    finally:
        for line in lines:
            line.close()


def test_a_call_cannot_be_fetched_twice(address: str) -> None:
    id = json.loads(send(address, "/gradio_api/call/translate", CALL)[1])["event_id"]
    path = f"/gradio_api/call/translate/{id}"
    assert [send(address, path, b"", "GET")[0] for _ in range(2)] == [200, 404]


def test_a_call_is_computed_once_somebody_listens(address: str) -> None:
    _, joined = send(address, "/gradio_api/call/translate", CALL)
    id = json.loads(joined)["event_id"]
    status, body = send(address, f"/gradio_api/call/translate/{id}", b"", "GET")
    assert (status, body.split(b"\n")[0]) == (200, b"event: complete")
    wrong = json.dumps({"data": ["x", "nobody"]}).encode()
    id = json.loads(send(address, "/gradio_api/call/translate", wrong)[1])["event_id"]
    _, body = send(address, f"/gradio_api/call/translate/{id}", b"", "GET")
    assert body.startswith(b"event: error")
    assert b"There is no model" in body


@pytest.mark.parametrize(
    ("path", "body"),
    [
        ("queue/join", {"data": [], "fn_index": 99, "session_hash": "x"}),
        ("queue/join", {"data": [], "fn_index": 0}),
        ("queue/join", []),
        ("call/translate", {}),
        ("call/translate", None),
    ],
)
def test_a_call_of_another_form_is_refused(address: str, path: str, body: Any) -> None:
    assert send(address, f"/gradio_api/{path}", json.dumps(body).encode())[0] == 422


def test_many_of_gradios_clients_are_answered_at_once(address: str) -> None:
    def use(_: int) -> list[str]:
        client = Client(address, verbose=False)
        try:
            jobs = [client.submit("I love you.", api_name="/translate") for _ in range(4)]
            return [job.result(30) for job in jobs]
        finally:
            client.close()

    with ThreadPoolExecutor(5) as people:
        translations = [text for texts in people.map(use, range(5)) for text in texts]
    assert len(translations) == 20
    assert len({*translations}) == 1


def test_a_listener_of_nothing_is_sent_away(address: str) -> None:
    status, body = send(address, "/gradio_api/queue/data?session_hash=nobody", b"", "GET")
    assert (status, body) == (200, b'data: {"msg": "close_stream"}\n\n')


SERVING = Path(__file__).parents[2].joinpath("docs", "serving.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("scheme", ["http", "https"])
def test_behind_the_documented_proxy_a_browser_is_answered(
    address: str, scheme: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    named = re.findall(rf"{HOSTS}=(\S+) headlight", SERVING)[0]
    monkeypatch.setenv(HOSTS, named)
    example = re.findall("```nginx\n(.*?)```", SERVING, re.DOTALL)[0]
    name = re.findall(r"server_name (\S+);", example)[0]
    stranger = {"$host": name, "$remote_addr": "203.0.113.9", "$scheme": scheme}
    set_by_it = {
        header: stranger[value]
        for header, value in re.findall(r"proxy_set_header (\S+) (\S+);", example)
    }
    asked = {"Origin": f"{scheme}://{name}", "Content-Type": "application/json"}
    # Over plain HTTP, browsers do not say what site they are at.
    asked |= {"Sec-Fetch-Site": "same-origin"} if scheme == "https" else {}
    connection = http.client.HTTPConnection(urlsplit(address).netloc, timeout=30)
    try:
        connection.putrequest("POST", f"/{ADDRESS}", skip_host=True)
        for header, value in {**asked, **set_by_it}.items():
            connection.putheader(header, value)
        connection.putheader("Content-Length", str(len(ASKED)))
        connection.endheaders(ASKED)
        response = connection.getresponse()
        assert (response.status, b'"trace"' in response.read()) == (200, True)
    finally:
        connection.close()
