"""Gradio's files wait for first pictures: a class that opens the page shares one line."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any
from weakref import WeakKeyDictionary

from starlette.types import ASGIApp, Receive, Scope, Send

from .patient import LINE

LATER = ("/assets/", "/static/", "/svelte/")
"""Where Gradio's files lie. They are as many bytes as the viewer, and nothing of them is seen."""

MOST_SECONDS, LOOK_SECONDS = 10, 0.1
"""How long such a file waits at most, and for one picture; and how often is looked."""


@dataclass
class _Picture:
    """The first picture that goes by a connection.

    Attributes:
        since: when it was asked for.
        being_made: how many of its answers are.
    """

    since: float
    being_made: int = 0


class Yielding:
    """A server whose Gradio's files yield.

    Args:
        app: what is served.
        is_first: whether a path's file is of the first picture.
    """

    def __init__(self, app: ASGIApp, is_first: Callable[[str], bool]) -> None:
        self._app, self._is_first = app, is_first
        # By connection, the oldest first; one that is gone is not kept.
        self._pictures = WeakKeyDictionary[Any, _Picture]()
        self._looking: asyncio.Task[None] | None = None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answers, a file of Gradio's once no first picture is on its way to anybody."""
        path = scope["path"] if scope["type"] == "http" else ""
        if path.startswith(LATER):
            await self._until_all_are_drawn()
        elif (line := scope.get(LINE)) and self._is_first(path):
            self._some_on_the_way()  # forgets the others
            now = asyncio.get_running_loop().time()
            picture = self._pictures.setdefault(line, _Picture(now))
            picture.being_made += 1
            try:
                await self._app(scope, receive, send)
            finally:
                picture.being_made -= 1
            return
        await self._app(scope, receive, send)

    async def _until_all_are_drawn(self) -> None:
        """One looks for all who wait: hundreds that look would keep the server busy."""
        if self._looking is None or self._looking.done():
            if not self._some_on_the_way():
                return
            self._looking = asyncio.get_running_loop().create_task(self._look())
        await asyncio.wait([self._looking], timeout=MOST_SECONDS)

    async def _look(self) -> None:
        while self._some_on_the_way():
            await asyncio.sleep(LOOK_SECONDS)

    def _some_on_the_way(self) -> bool:
        too_old = asyncio.get_running_loop().time() - MOST_SECONDS
        for line, picture in list(self._pictures.items()):
            if picture.since > too_old and (picture.being_made or line.unsent()):
                return True
            del self._pictures[line]
        return False
