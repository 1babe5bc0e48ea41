"""Downloads go through the proxy that the environment names, and nothing of this machine does."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from huggingface_hub import close_session

from tests.checkpoint.hub import MODEL, running
from tests.page.proxies import counting
from transformer import HeadlightError
from transformer.checkpoint.hub.listing import look_up

FAMILIES = {"marian": ("config.json",)}


@pytest.fixture(autouse=True)
def environment(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """No proxy is named yet, and the hub's client looks anew."""
    for name in [name for name in os.environ if name.lower().endswith("_proxy")]:
        monkeypatch.delenv(name)
    # What the mended process adds to its own environment goes with the test.
    for name in ("no_proxy", "NO_PROXY", "http_proxy", "https_proxy", "all_proxy"):
        monkeypatch.setenv(name, "")
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", False)
    close_session()
    yield
    close_session()


def refusal() -> str:
    with pytest.raises(HeadlightError) as refused:
        look_up(MODEL, FAMILIES)
    assert refused.value.code == "hub_unreachable"
    return str(refused.value)


def test_the_hub_is_asked_through_the_proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    with counting() as (proxy, asked):
        monkeypatch.setenv("http_proxy", f"http://{proxy}")
        monkeypatch.setenv("HF_ENDPOINT", "http://hub.invalid")
        assert "502" in refusal()
        assert asked
        assert all(" http://hub.invalid/api/models/" in each for each in asked)


def test_a_mirror_on_this_machine_is_asked_without(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("config.json", "model.safetensors"):
        (tmp_path / name).write_text("{}")
    with running() as hub, counting() as (proxy, asked):
        hub.models[MODEL] = {"main": tmp_path}
        monkeypatch.setenv("HF_ENDPOINT", hub.url)
        monkeypatch.setenv("http_proxy", f"http://{proxy}")
        monkeypatch.setenv("no_proxy", "school.test")
        assert look_up(MODEL, FAMILIES).name == MODEL
        assert asked == []
        assert hub.asked
        assert "school.test" in os.environ["no_proxy"]


@pytest.mark.parametrize(
    ("proxy", "sentence"),
    [
        ("socks5://me:secret@127.0.0.1:9", "socks5://127.0.0.1:9 needs the package socksio"),
        ("socks://127.0.0.1:9/", "socks5://127.0.0.1:9/ needs the package socksio"),
        ("socks4://127.0.0.1:9", "socks4://127.0.0.1:9 is of no known kind"),
        ("http://[::1", "the proxy http://[::1 is no address"),
        ("http://127.0.0.1:port", "the proxy http://127.0.0.1:port is no address"),
    ],
)
def test_a_proxy_that_cannot_be_used_is_a_sentence(
    proxy: str, sentence: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def find_none(_name: str) -> None:
        return None

    monkeypatch.setattr("transformer.checkpoint.hub.proxies.find_spec", find_none)
    monkeypatch.setenv("all_proxy", proxy)
    text = refusal()
    assert sentence in text
    assert "secret" not in text
