"""Downloads that the page asks for: begun, watched, ended, removed; the hub is our own."""

import json
from collections.abc import Callable
from pathlib import Path
from time import monotonic, sleep
from typing import Any

import pytest

from tests.checkpoint.hub import LARGE, MODEL, Hub
from tests.serving.asking import run
from transformer import checkpoint
from transformer.checkpoint.importing.download import OFFERED
from transformer.serving import Service

pytestmark = [
    # Hugging Face asks for a normaliser that it then never calls.
    pytest.mark.filterwarnings("ignore:Recommended. pip install sacremoses"),
    pytest.mark.usefixtures("shelf"),
]

NAME = "opus-mt-en-zh"
"""What a model is called here."""

Wish = Callable[..., dict[str, Any]]


@pytest.fixture
def wish(service: Service) -> Wish:
    """Asks as the owner of the machine does."""

    def wish(what: str, model: str = "") -> dict[str, Any]:
        request = {"ask": "downloads", "wish": what, "model": model}
        return json.loads(run(service.answer(request, owner=True)))

    return wish


def until(wish: Wish, *stages: str) -> dict[str, Any]:
    """The first answer in one of these stages."""
    start = monotonic()
    while (answer := wish("progress"))["download"]["stage"] not in stages:
        assert monotonic() - start < 60, answer
        sleep(0.02)
    return answer


@pytest.mark.usefixtures("hub")
def test_a_model_is_looked_up_fetched_measured_and_removed(service: Service, wish: Wish) -> None:
    offers = wish("offers")["offers"]
    assert offers == {"models": [*OFFERED], "here": [], "download": None}
    listing = wish("look_up", MODEL)["listing"]
    assert (listing["name"], listing["license"]) == (MODEL, "cc-by-4.0")
    assert wish("start", MODEL)["download"]["model"] == MODEL
    answer = until(wish, "done", "failed")
    assert answer["download"]["name"] == NAME
    assert answer["download"]["received"] == answer["download"]["total"] == listing["size"]
    assert NAME in [model["name"] for model in answer["models"]]
    [here] = wish("offers")["offers"]["here"]
    assert (here["name"], here["origin"], here["license"]) == (NAME, MODEL, "cc-by-4.0")
    assert here["size"] > 10_000
    heads = checkpoint.read_card(checkpoint.find(NAME))["heads"]
    assert set(heads) == {"encoder_self", "decoder_self", "cross"}

    traced = {"ask": "trace", "source": "I love you.", "model": NAME}
    assert "trace" in json.loads(run(service.answer(traced)))
    left = wish("remove", NAME)["models"]
    assert NAME not in [model["name"] for model in left]
    assert wish("offers")["offers"]["here"] == []
    assert json.loads(run(service.answer(traced)))["error"]["code"] == "unknown_model"
    assert wish("remove", "en-zh")["error"]["code"] == "not_downloaded"


def test_one_at_a_time_ended_and_taken_up_again(hub: Hub, saved: Path, wish: Wish) -> None:
    hub.models["me/other"] = {"main": saved}
    hub.hold.clear()
    wish("start", MODEL)
    until(wish, "fetching")
    start = monotonic()
    # The weights come last, so the rest is here once they are asked for.
    while not (any("vocab.json" in path for path in hub.asked) and hub.asked[-1].endswith(LARGE)):
        assert monotonic() - start < 60, hub.asked
        sleep(0.02)
    fetching = wish("start", MODEL)["download"]
    assert fetching["model"] == MODEL, "asked twice is asked once"
    refused = wish("start", "me/other")["error"]
    assert (refused["code"], refused["details"]) == ("download_running", {"model": MODEL})
    assert "models" not in wish("cancel")
    hub.hold.set()
    ended = until(wish, "failed")["download"]
    assert ended["error"]["code"] == "download_cancelled"
    assert NAME not in checkpoint.available()
    hub.asked.clear()
    wish("start", MODEL)
    assert until(wish, "done", "failed")["download"]["received"] >= fetching["received"]
    assert not any("vocab.json" in path for path in hub.asked), "what is here is not fetched again"
    assert NAME in checkpoint.available()


def test_what_goes_wrong_has_a_code(hub: Hub, wish: Wish, monkeypatch: pytest.MonkeyPatch) -> None:
    wish("start", "me/nothing")
    assert until(wish, "failed")["download"]["error"]["code"] == "no_such_model"
    assert wish("look_up", "../../etc/passwd")["error"]["code"] == "no_such_model"
    monkeypatch.setenv("HF_ENDPOINT", "http://127.0.0.1:9")
    assert wish("look_up", MODEL)["error"]["code"] == "hub_unreachable"
    wish("start", MODEL)
    assert until(wish, "failed")["download"]["error"]["code"] == "hub_unreachable"
    assert hub.models
    for strange in ("", "everything", "progres"):
        assert wish(strange)["error"]["code"] == "bad_request"


@pytest.mark.parametrize("what", ["offers", "progress", "cancel", "look_up", "start", "remove"])
def test_nobody_else_may(hub: Hub, service: Service, what: str) -> None:
    request = {"ask": "downloads", "wish": what, "model": MODEL}
    answer = json.loads(run(service.answer(request)))
    assert answer == {"error": {"code": "downloads_refused", "details": {}}}
    assert hub.asked == []


def test_a_server_that_ends_ends_its_download(hub: Hub, service: Service, wish: Wish) -> None:
    hub.hold.clear()
    wish("start", MODEL)
    until(wish, "fetching")
    service.close()
    hub.hold.set()
    start = monotonic()
    while service._downloads._last and not service._downloads._last.ended:
        assert monotonic() - start < 30
        sleep(0.02)
    assert NAME not in checkpoint.available()
