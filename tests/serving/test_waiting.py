"""Waiting for an answer that may take long."""

import asyncio
import gc
from concurrent.futures import Future
from threading import Event
from typing import NoReturn

import pytest

from tests.serving.asking import run
from transformer.errors import HeadlightError
from transformer.serving import Service
from transformer.serving.sharing import waiting


def test_what_fails_after_whoever_asked_was_told_to_wait_is_no_line_of_the_log(
    caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(waiting, "TELL_SECONDS", 0.001)

    async def ask() -> None:
        begun: Future[bytes] = Future()
        begun.set_running_or_notify_cancel()
        answer = await waiting.result_or_waiting(begun, lambda: {"stage": "x"}, lambda _: None, 0)
        assert answer == b'{"waiting":{"stage":"x"}}'
        begun.set_exception(HeadlightError("guest", "It cannot be loaded."))
        await asyncio.sleep(0.01)

    run(ask())
    gc.collect()  # only then it is known that nobody will ask
    assert "never retrieved" not in caplog.text


@pytest.mark.parametrize(
    ("ask", "fails"),
    [
        ("page", "transformer.serving.models.describe_all"),
        ("trace", "transformer.serving.models.Translator.load"),
        ("file", "transformer.serving.models.Translator.traces"),
    ],
)
def test_what_fails_after_whoever_asked_has_left_is_no_line_of_the_log(
    ask: str, fails: str, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun, left = Event(), Event()
    asked = {"ask": ask, "model": "en-zh", "source": "I love you.", "prefix": [], "format": "npz"}

    def fail(*_: object) -> NoReturn:
        begun.set()
        assert left.wait(10)
        raise HeadlightError("guest", "It cannot be read.")

    async def leave() -> None:
        service = Service()
        leaving = asyncio.ensure_future(service.answer(asked))
        assert await asyncio.to_thread(begun.wait, 10)
        staying = asyncio.ensure_future(service.answer(asked))
        await asyncio.sleep(0)  # it waits for the same
        leaving.cancel()
        await asyncio.wait([leaving])
        left.set()
        assert b"error" in await staying

    monkeypatch.setattr(fails, fail)
    run(leave())
    gc.collect()
    assert "never retrieved" not in caplog.text
