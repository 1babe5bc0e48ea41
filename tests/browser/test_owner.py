"""Who may download, over real HTTP: any page on the web can post to a port of this machine."""

import http.client
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import gradio as gr
import pytest
from starlette.requests import HTTPConnection

from headlight.answer_route import ADDRESS
from headlight.hosts import HOSTS
from headlight.owner import HEADER, SECRET, is_owner
from headlight.page import demo
from tests.page.serving import free_port, wait_for

ROOT = Path(__file__).parents[2]
OFFERS = {"ask": "downloads", "wish": "offers"}


def post(port: int, headers: dict[str, str]) -> dict[str, Any]:
    """The answer to a request for offers, with these headers and no others."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
    try:
        body = json.dumps(OFFERS).encode()
        connection.putrequest("POST", f"/{ADDRESS}", skip_host=True, skip_accept_encoding=True)
        for name, value in headers.items():
            connection.putheader(name, value)
        connection.putheader("Content-Type", "application/json")
        connection.putheader("Content-Length", str(len(body)))
        connection.endheaders(body)
        response = connection.getresponse()
        if response.status == 403:  # by whoever guards the door
            return {"error": {"code": "downloads_refused"}}
        return json.load(response)
    finally:
        connection.close()


@pytest.fixture
def port(address: str) -> int:
    number = urlsplit(address).port
    assert number
    return number


def page(name: str, **others: str) -> dict[str, str]:
    """The headers of this server's own page, opened under a name."""
    return {"Host": name, "Origin": f"http://{name}", **others}


OPENED = {HEADER: SECRET}
"""What the page sends that the command has opened."""


def may(answer: dict[str, Any]) -> bool:
    assert "offers" in answer or answer["error"]["code"] == "downloads_refused", answer
    return "offers" in answer


@pytest.mark.parametrize("name", ["127.0.0.1", "localhost", "[::1]", "127.8.0.1"])
def test_the_person_at_the_machine_may(port: int, name: str) -> None:
    assert may(post(port, page(f"{name}:{port}", **OPENED)))
    assert may(post(port, page(f"{name}:{port}", **OPENED, **{"Sec-Fetch-Site": "same-origin"})))


def test_behind_a_proxy_of_this_machine_a_stranger_may_not(port: int) -> None:
    # What nginx makes of a stranger's request where its `proxy_pass` stands alone.
    assert not may(post(port, page(f"127.0.0.1:{port}")))
    assert not may(post(port, page(f"127.0.0.1:{port}", **{HEADER: SECRET[:-1]})))
    assert not may(post(port, page(f"127.0.0.1:{port}", **{HEADER: ""})))


@pytest.mark.parametrize(
    "headers",
    [
        # Another page posts to this port.
        {"Host": "localhost:PORT", "Origin": "https://evil.example"},
        {"Host": "localhost:PORT", "Origin": "null"},
        {"Host": "localhost:PORT", "Origin": "http://localhost:3000"},
        {"Host": "localhost:PORT", "Origin": "http://localhost.evil.example:PORT"},
        {"Host": "localhost:PORT", "Origin": "http://[::1:PORT"},
        {"Host": "localhost:PORT", "Origin": ""},
        {"Host": "localhost:PORT"},
        page("localhost:PORT", **{"Sec-Fetch-Site": "cross-site"}),
        # Its own name leads here.
        page("evil.example:PORT"),
        page("evil.example:PORT", **{"Sec-Fetch-Site": "same-origin"}),
        page("localhost.evil.example:PORT"),
        page("192.168.0.7:PORT"),
        page("0.0.0.0:PORT"),
        page(""),
        # A proxy stands before us.
        page("localhost:PORT", **{"X-Forwarded-For": "203.0.113.9"}),
    ],
)
def test_no_other_page_may(port: int, headers: dict[str, str]) -> None:
    sent = {name: value.replace("PORT", str(port)) for name, value in headers.items()}
    assert not may(post(port, sent))


@pytest.mark.parametrize("site", ["cross-site", "same-site", "none"])
def test_not_even_with_the_secret_may_another_site(port: int, site: str) -> None:
    assert not may(post(port, page(f"localhost:{port}", **OPENED, **{"Sec-Fetch-Site": site})))


def test_on_a_space_nobody_may(port: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SPACE_ID", "somebody/headlight")
    assert not may(post(port, page(f"localhost:{port}", **OPENED)))


def test_with_a_tunnel_to_the_world_nobody_may(port: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(demo, "share", True)
    assert not may(post(port, page(f"localhost:{port}", **OPENED)))


def test_an_operator_decides(port: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HEADLIGHT_DOWNLOADS", "1")
    monkeypatch.setenv(HOSTS, "translate.example")
    assert may(post(port, page("translate.example")))
    proxied = {"Host": f"localhost:{port}", "Origin": "https://translate.example"}
    assert may(post(port, {**proxied, "Sec-Fetch-Site": "same-origin"}))
    assert not may(post(port, {**proxied, "Sec-Fetch-Site": "cross-site"}))
    assert not may(post(port, {**proxied, "Origin": "https://evil.example"}))
    monkeypatch.setenv("HEADLIGHT_DOWNLOADS", "0")
    assert not may(post(port, page(f"localhost:{port}")))


@pytest.mark.parametrize("setting", ["", "1"])
def test_of_replicas_nobody_may(setting: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HEADLIGHT_DOWNLOADS", setting)
    own = [(b"host", b"localhost:1"), (b"origin", b"http://localhost:1")]
    own += [(HEADER.lower().encode(), SECRET.encode())]
    asking = HTTPConnection({"type": "http", "headers": own, "client": ("127.0.0.1", 9)})
    assert not is_owner(asking, gr.Blocks())


@pytest.mark.slow
def test_where_other_machines_may_come_in_nobody_may(models: Path) -> None:
    port = free_port()
    command = [sys.executable, "app.py", "--no-browser", "--host", "0.0.0.0", "--port", str(port)]
    environment = {**os.environ, "PYTHONWARNINGS": "", "HEADLIGHT_CHECKPOINTS": str(models)}
    with subprocess.Popen(command, cwd=ROOT, env=environment, stdout=subprocess.PIPE) as process:
        try:
            wait_for(f"http://127.0.0.1:{port}")
            assert not may(post(port, page(f"localhost:{port}")))
        finally:
            process.terminate()
            process.wait(30)
