"""Turns of clients that wait: one with a hundred requests waits for those with one.

Fair queueing (Demers, Keshav and Shenker 1989, "Analysis and simulation of a fair queueing
algorithm"): what is asked is due once its page has paid for it, and the clock goes on as if all who
wait were served at once, each a little. So short work passes by long work, also by what has waited
before it, and long work still is taken in its time.
"""

from collections import Counter
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from operator import itemgetter
from typing import Generic, TypeVar

from .client import Client

MOST_PAGES = 64
"""Shares of an address at most: a school's router is one address, and so is whoever makes pages up.
Up to so many pages behind one router get what they would get from an address each."""

Job = TypeVar("Job", bound=Hashable)


@dataclass(frozen=True)
class _Entry:
    """A job's client, its cost, and the clock's time when it came."""

    client: Client
    cost: float
    since: float


@dataclass
class _Paid:
    """Up to when pages and addresses have had their share."""

    pages: dict[Client, float]
    addresses: dict[str, float]

    def page(self, entry: _Entry) -> float:
        """The time at which a job is due, after its page's earlier ones."""
        start = max(entry.since, self.pages.get(entry.client, 0))
        self.pages[entry.client] = due = start + entry.cost
        return due

    def address(self, entry: _Entry) -> float:
        """The time at which the job's address may have it."""
        address = entry.client.address
        start = max(entry.since, self.addresses.get(address, 0))
        self.addresses[address] = may = start + entry.cost / MOST_PAGES
        return may


class Turns(Generic[Job]):
    """What waits, in the order in which it is to be taken. It has no lock of its own."""

    def __init__(self) -> None:
        self._waiting: dict[Job, _Entry] = {}
        self._clock = 0.0
        self._paid = _Paid({}, {})
        self._order: list[tuple[float, float, Job]] | None = None  # until something changes

    def __len__(self) -> int:
        """The number of jobs that wait."""
        return len(self._waiting)

    def add(self, job: Job, client: Client, cost: float = 1) -> None:
        """Lets something wait.

        Args:
            job: what.
            client: whose.
            cost: what it takes, in any unit.
        """
        self._waiting[job] = _Entry(client, cost, self._clock)
        self._order = None

    def drop(self, job: Job) -> None:
        """Forgets what somebody no longer wants; it costs nothing."""
        del self._waiting[job]
        self._forget()

    def ordered(self) -> list[Job]:
        """What waits, the next one first."""
        return [job for _, _, job in self._due()]

    def take(self, jobs: Sequence[Job]) -> None:
        """Takes these out: their turn has come."""
        self._clock += sum(self._waiting[job].cost for job in jobs) / self._waiting_shares()
        for job in jobs:
            entry = self._waiting.pop(job)
            self._paid.page(entry)
            self._paid.address(entry)
        self._forget()

    def share(self) -> float:
        """The part of a batch that one client has while others wait, 0 to 1."""
        return 1 / max(1, len({entry.client for entry in self._waiting.values()}))

    def _waiting_shares(self) -> int:
        """The number of pages that the clock serves at once."""
        clients = {entry.client for entry in self._waiting.values()}
        pages = Counter(client.address for client in clients)
        return sum(min(MOST_PAGES, count) for count in pages.values())

    def _due(self) -> list[tuple[float, float, Job]]:
        """The jobs by when they are due; of those that are due together, addresses take turns."""
        if self._order is None:
            self._order = self._reckoned()
        return self._order

    def _reckoned(self) -> list[tuple[float, float, Job]]:
        paid = _Paid(dict(self._paid.pages), dict(self._paid.addresses))
        by_page = [(paid.page(entry), job) for job, entry in self._waiting.items()]
        due: list[tuple[float, float, Job]] = []
        for page, job in sorted(by_page, key=itemgetter(0)):
            address = paid.address(self._waiting[job])
            due.append((max(page, address), address, job))
        return sorted(due, key=itemgetter(0, 1))

    def _forget(self) -> None:
        """Clients that wait for nothing, and had no more than a share, are forgotten."""
        self._order = None
        if not self._waiting:
            self._clock, self._paid = 0.0, _Paid({}, {})
            return
        clients = {entry.client for entry in self._waiting.values()}
        addresses = {client.address for client in clients}
        pages, of = self._paid.pages, self._paid.addresses
        self._paid = _Paid(
            {
                page: until
                for page, until in pages.items()
                if page in clients or until > self._clock
            },
            {each: until for each, until in of.items() if each in addresses or until > self._clock},
        )
