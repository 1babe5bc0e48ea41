"""A few places that many want: nobody holds them all, and who waits takes turns."""

import asyncio
from collections import Counter
from concurrent.futures import Future
from dataclasses import dataclass, field
from threading import Lock

from .client import Client
from .turns import Turns


@dataclass(frozen=True, eq=False)
class Place:
    """A place that a client holds."""

    client: Client


@dataclass(frozen=True, eq=False)
class _Wish:
    """For a place, by who waits."""

    client: Client
    coming: "Future[Place]" = field(default_factory=Future[Place])


class Shares:
    """Places at threads, in memory, or wherever else there are few.

    A page never holds more than its share, and an address never all of them, however many pages it
    makes up: one is left for everybody else.

    Args:
        most: how many places there are.
        share: how many of them one page may hold.
    """

    def __init__(self, most: int, share: int) -> None:
        self._most, self._share = most, share
        self._of_address = max(1, most - 1)
        self._lock = Lock()
        self._held: dict[Place, None] = {}
        self._waiting: dict[_Wish, None] = {}
        self._turns = Turns[_Wish]()

    async def take(self, client: Client) -> Place:
        """A place, once it is the client's turn, to be given back; who leaves before gets none."""
        wish = _Wish(client)
        with self._lock:
            # Whoever waits already could have nothing of what is free: there is no need to look.
            if self._may(client, [*self._held]):
                self._give(wish)
            else:
                self._waiting[wish] = None
                self._turns.add(wish, client)
        try:
            return await asyncio.wrap_future(wish.coming)
        except asyncio.CancelledError:
            with self._lock:
                if wish.coming.done() and not wish.coming.cancelled():
                    del self._held[wish.coming.result()]
                    self._hand_out()
                else:
                    del self._waiting[wish]
                    self._turns.drop(wish)
            raise

    def give_back(self, place: Place) -> None:
        """Lets the next one have a place, from whichever thread; once more changes nothing."""
        with self._lock:
            self._held.pop(place, None)
            self._hand_out()

    def is_wanted(self, place: Place) -> bool:
        """Whether somebody waits who would get it."""
        with self._lock:
            others = [each for each in self._held if each is not place]
            return any(self._may(wish.client, others) for wish in self._waiting)

    def _hand_out(self) -> None:
        """Gives what is free to those whose turn it is; the lock is held."""
        for wish in self._turns.ordered():
            if len(self._held) == self._most:
                return
            free = self._may(wish.client, [*self._held])
            if free and wish.coming.set_running_or_notify_cancel():  # has not just gone
                del self._waiting[wish]
                self._turns.take([wish])
                self._give(wish)

    def _give(self, wish: _Wish) -> None:
        place = Place(wish.client)
        self._held[place] = None
        wish.coming.set_result(place)

    def _may(self, client: Client, held: list[Place]) -> bool:
        own = Counter(place.client for place in held)[client]
        of_address = sum(place.client.address == client.address for place in held)
        return len(held) < self._most and own < self._share and of_address < self._of_address
