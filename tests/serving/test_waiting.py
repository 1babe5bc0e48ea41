"""Waiting for an answer that may take long."""

import asyncio
import gc
from concurrent.futures import Future

import pytest

from tests.serving.asking import run
from transformer.errors import HeadlightError
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
