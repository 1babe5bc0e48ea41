"""Waiting for an answer that may take long: whoever waits is told, and asks again for the rest."""

import asyncio
from collections.abc import Callable
from concurrent.futures import Future
from typing import Any, TypeVar

from ..wire.answers import as_json

Result = TypeVar("Result")

TELL_SECONDS = 3
"""Seconds after which a client that waits is told its place."""


def awaited(begun: "Future[Result]") -> "asyncio.Future[Result]":
    """What is being made, for one who may leave: it goes on, and its error is then nobody's.

    What is made already is there at once, without a turn of the event loop.
    """
    if begun.done() and not (begun.cancelled() or begun.exception()):
        future = asyncio.get_running_loop().create_future()
        future.set_result(begun.result())
        return future
    inner = asyncio.wrap_future(begun)
    # A shield that is left looks at it no more, and asyncio logs an error that nobody looked at.
    inner.add_done_callback(lambda it: it.cancelled() or it.exception())
    return asyncio.shield(inner)


async def result_or_waiting(
    begun: "Future[Result]",
    waiting: Callable[[], dict[str, Any] | None],
    leave: Callable[["Future[Result]"], None],
    keep_seconds: float,
) -> Result | bytes:
    """The result; or, if that takes long, an answer that says so: {"waiting": …}.

    Args:
        begun: what is being made.
        waiting: how long it takes, as JSON values; None: no time worth telling.
        leave: called once whoever asked wants it no more.
        keep_seconds: how long a place is kept for who was told of it and does not ask again.
    """
    report = None
    done = awaited(begun)
    try:
        while not (done.done() or (await asyncio.wait([done], timeout=TELL_SECONDS))[0]):
            if report := waiting():
                return as_json({"waiting": report})
        return done.result()
    finally:
        done.cancel()
        if report:  # has a while to ask again
            asyncio.get_running_loop().call_later(keep_seconds, leave, begun)
        else:
            leave(begun)
