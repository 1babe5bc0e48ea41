"""By which names the page's server is asked: no page of the web leads its own name here."""

import http.client
import json
from urllib.parse import urlsplit

import pytest

from headlight.answer_route import ADDRESS
from headlight.hosts import HOSTS, is_host, named_hosts
from headlight.page import VERSION, demo

JSON = {"Content-Type": "application/json"}
ASKED = json.dumps({"ask": "trace", "source": "I love you.", "model": "en-zh"})
LISTED = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/list"})
CALLED = json.dumps({"data": ["I love you.", "en-zh"]})
ROUTES = [
    ("GET", "/", ""),
    ("GET", "/config", ""),
    ("GET", f"/headlight/{VERSION}/first.json", ""),
    ("GET", "/gradio_api/info", ""),
    ("GET", "/gradio_api/queue/data?session_hash=x", ""),
    ("POST", f"/{ADDRESS}", ASKED),
    ("POST", "/gradio_api/run/translate", CALLED),
    ("POST", "/gradio_api/call/translate", CALLED),
    ("POST", "/gradio_api/mcp/", LISTED),
]


def status(address: str, host: str, method: str, path: str, body: str = "") -> int:
    """What a browser gets that was led here by a name; to it, all is the same site."""
    connection = http.client.HTTPConnection(urlsplit(address).netloc, timeout=30)
    try:
        connection.putrequest(method, path, skip_host=True)
        led = {"Host": host, "Origin": f"http://{host}", **JSON}
        led |= {"Accept": "application/json, text/event-stream"} if body == LISTED else {}
        for name, value in led.items():
            connection.putheader(name, value)
        connection.putheader("Content-Length", str(len(body)))
        connection.endheaders(body.encode())
        return connection.getresponse().status
    finally:
        connection.close()


@pytest.mark.parametrize(("method", "path", "body"), ROUTES, ids=lambda each: str(each)[:40])
def test_a_name_that_was_led_here_gets_nothing(
    address: str, method: str, path: str, body: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv(HOSTS)
    port = urlsplit(address).port
    assert status(address, f"evil.example:{port}", method, path, body) == 403
    assert status(address, f"127.0.0.1:{port}", method, path, body) == 200


def test_where_others_reach_it_any_name_may_be_its_own(
    address: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv(HOSTS)
    monkeypatch.setattr(demo, "root_path", "/lab")
    assert status(address, "hub.example.org", "GET", "/config") == 200
    monkeypatch.setattr(demo, "root_path", "")
    assert status(address, "hub.example.org", "GET", "/config") == 403
    monkeypatch.setattr(demo, "share", True)
    assert status(address, "1234.gradio.live", "GET", "/config") == 200


@pytest.mark.parametrize(
    ("host", "here", "named", "is_open"),
    [
        *(
            (name, True, True, True)
            for name in ("localhost", "LOCALHOST:1", "127.9.9.9", "[::1]:2")
        ),
        ("school.example", False, True, True),
        ("School.Example:8443", False, True, True),
        ("other.example", False, False, True),
        ("school.example.evil.example", False, False, True),
        ("localhost.evil.example", False, False, True),
        ("192.0.2.7:7860", False, False, True),
        ("[2001:db8::1]:7860", False, False, True),
        *((wrong, False, False, False) for wrong in ("", "[::1", "localhost@", "a@localhost")),
        *((wrong, False, False, False) for wrong in ("localhost/x", ":80", "school.example\\x")),
    ],
)
def test_names(
    host: str, here: bool, named: bool, is_open: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv(HOSTS, raising=False)
    assert is_host(host, is_open=False) == here
    assert is_host(host, is_open=True) == is_open
    monkeypatch.setenv(HOSTS, "school.example  192.0.2.9")
    assert is_host(host, is_open=False) == named
    address = host.startswith(("192", "[2001"))
    assert is_host(host, is_open=True) == (named or address)


@pytest.mark.parametrize(
    "wrong", ["https://a.example", "a.example/lab", "a.example:80", "*", "a;b"]
)
def test_what_is_no_host_is_named(wrong: str) -> None:
    with pytest.raises(ValueError, match=HOSTS):
        named_hosts(f"school.example {wrong}")
