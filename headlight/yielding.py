"""Gradio's files wait for first pictures: a class that opens the page shares one line."""

import asyncio
from collections.abc import Callable
from typing import Any
from weakref import WeakKeyDictionary

from starlette.types import ASGIApp, Receive, Scope, Send

from .patient import LINE

LATER = ("/assets/", "/static/", "/svelte/")
"""Where Gradio's files lie. They are as many bytes as the viewer, and nothing of them is seen."""

MOST_SECONDS, LOOK_SECONDS = 10, 0.1
"""How long such a file waits at most, and how often it looks."""


class Yielding:
    """A server whose Gradio's files yield.

    Args:
        app: what is served.
        is_first: whether a path's file is of the first picture.
    """

    def __init__(self, app: ASGIApp, is_first: Callable[[str], bool]) -> None:
        self._app, self._is_first = app, is_first
        # By which first pictures go, the oldest first, and how many answers are still being made
        # for each; a connection that is gone is not kept.
        self._lines = WeakKeyDictionary[Any, int]()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answers, a file of Gradio's once no first picture is on its way to anybody."""
        path = scope["path"] if scope["type"] == "http" else ""
        if path.startswith(LATER):
            looks = round(MOST_SECONDS / LOOK_SECONDS)
            while looks and self._some_on_the_way():
                looks -= 1
                await asyncio.sleep(LOOK_SECONDS)
        elif (line := scope.get(LINE)) and self._is_first(path):
            self._some_on_the_way()  # forgets the others
            self._lines[line] = self._lines.get(line, 0) + 1
            try:
                await self._app(scope, receive, send)
            finally:
                self._lines[line] -= 1
            return
        await self._app(scope, receive, send)

    def _some_on_the_way(self) -> bool:
        for line, being_made in list(self._lines.items()):
            if being_made or line.unsent():
                return True
            del self._lines[line]
        return False
