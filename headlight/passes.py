"""Requests begin by turns: one of each client, and a few in all, in a pass of the event loop.

What waits in a loop is first in, first out: five hundred requests of one client would all be worked
on before another client's one, and whatever is worked on waits for all else that is.
"""

import asyncio
from collections import deque
from itertools import islice

MOST = 4
"""Requests that begin in one pass. A pass in which nothing else is to do takes 0.1 ms."""


class Passes:
    """The turns of all clients; for one event loop alone."""

    def __init__(self) -> None:
        self._waiting: dict[
            str, deque[asyncio.Future[None]]
        ] = {}  # whose turn is next stands first
        self._begun = set[str]()  # clients of whom one has begun in this pass

    async def turn(self, client: str) -> None:
        """Returns once a client's request may begin: in this pass, or in a later one."""
        if client in self._waiting or client in self._begun or len(self._begun) >= MOST:
            turn = asyncio.get_running_loop().create_future()
            self._waiting.setdefault(client, deque()).append(turn)
            await turn
        else:
            self._begin(client)

    def _begin(self, client: str) -> None:
        if not self._begun:
            asyncio.get_running_loop().call_soon(self._next)
        self._begun.add(client)

    def _next(self) -> None:
        self._begun.clear()
        for client in list(islice(self._waiting, MOST)):
            waiting = self._waiting.pop(client)
            turn = waiting.popleft()
            if waiting:
                self._waiting[client] = waiting
            if not turn.done():  # its request was given up
                turn.set_result(None)
            self._begin(client)
