"""Whose turn it is, where many wait: who asks a hundred times waits for those who ask once.

Fair queueing by a clock of its own (Golestani 1994, "A self-clocked fair queueing scheme for
broadband applications"): what is asked is due once its page has paid for it, and the clock stands
where the last of what was taken was due. So short work passes by long work, which still is taken
in its time.
"""

from collections.abc import Hashable, Sequence
from typing import Generic, TypeVar

from .client import Client

MOST_PAGES = 64
"""Shares of an address at most: a school's router is one address, and so is whoever makes pages up.
Up to so many pages behind one router get what they would get from an address each."""

Job = TypeVar("Job", bound=Hashable)
Due = tuple[float, float]
"""By the clock: the page's turn; among equals that of the address."""


class Turns(Generic[Job]):
    """What waits, in the order in which it is to be taken. It has no lock of its own."""

    def __init__(self) -> None:
        self._waiting: dict[Job, tuple[Client, float, float]] = {}  # with its cost, and since when
        self._clock = 0.0
        self._paid: dict[Hashable, float] = {}  # by page and by address: up to when

    def __len__(self) -> int:
        """How much waits."""
        return len(self._waiting)

    def add(self, job: Job, client: Client, cost: float = 1) -> None:
        """Lets something wait.

        Args:
            job: what.
            client: whose.
            cost: what it takes, in any unit.
        """
        self._waiting[job] = client, cost, self._clock

    def drop(self, job: Job) -> None:
        """Forgets what somebody no longer wants; it costs nothing."""
        del self._waiting[job]
        self._forget()

    def ordered(self) -> list[Job]:
        """What waits, the next one first."""
        paid = dict(self._paid)
        due = {job: _pay(paid, *asked) for job, asked in self._waiting.items()}
        return sorted(due, key=due.__getitem__)

    def take(self, jobs: Sequence[Job]) -> None:
        """Takes these out, the first of which was the next one: their turn has come."""
        due = [_pay(self._paid, *self._waiting.pop(job)) for job in jobs]
        self._clock = max(self._clock, due[0][0])
        self._forget()

    def share(self) -> float:
        """Of what is done together, the part of one client while others wait."""
        return 1 / max(1, len({client for client, _, _ in self._waiting.values()}))

    def _forget(self) -> None:
        """Whoever has had no more than a share owes nothing; alone, nobody does."""
        if not self._waiting:
            self._clock = 0
        left = self._paid.items() if self._waiting else ()
        self._paid = {payer: until for payer, until in left if until > self._clock}


def _pay(paid: dict[Hashable, float], client: Client, cost: float, since: float) -> Due:
    """When it is due: after what its page has asked before, and no more than an address may."""
    address = max(since, paid.get(client.address, 0)) + cost / MOST_PAGES
    page = max(max(since, paid.get(client, 0)) + cost, address)
    paid[client.address], paid[client] = address, page
    return page, address
