"""Places of which there are few: nobody holds them all, whether they come from one door or many."""

import asyncio

import pytest

from tests.serving.asking import run
from transformer.serving.sharing.client import Client
from transformer.serving.sharing.shares import Place, Shares

MOST, SHARE = 4, 2
SIXTY = {
    "sixty addresses": [Client(f"192.0.2.{i}", "page") for i in range(60)],
    "one address": [Client("192.0.2.1", f"pupil {i}") for i in range(60)],
}
"""A class, in a town and behind a school's router."""


async def waiting(shares: Shares, clients: list[Client]) -> "list[asyncio.Task[Place]]":
    """Those who ask, after as many as may have their places."""
    asked = [asyncio.create_task(shares.take(client)) for client in clients]
    await settle()
    return asked


async def settle() -> None:
    """Until what is handed out has been told to the loop, and by it to who waits."""
    for _ in range(5):
        await asyncio.sleep(0)


def held(asked: "list[asyncio.Task[Place]]") -> list[Place]:
    return [each.result() for each in asked if each.done() and not each.cancelled()]


@pytest.mark.parametrize("place", SIXTY)
def test_whoever_asks_once_is_not_behind_whoever_asks_a_hundred_times(place: str) -> None:
    async def ask() -> None:
        shares = Shares(MOST, SHARE)
        greedy = SIXTY[place][0]
        taken = held(await waiting(shares, [greedy] * 100))
        assert len(taken) == SHARE
        # Each of the class gets a place as soon as one is free, and gives it back.
        asked = await waiting(shares, SIXTY[place][1:])
        for _ in range(len(asked)):
            for each in held(asked):
                shares.give_back(each)
            await settle()
        assert all(each.done() for each in asked)

    run(ask())


def test_one_address_never_has_all_however_many_pages_it_makes_up() -> None:
    async def ask() -> None:
        shares = Shares(MOST, SHARE)
        made_up = [Client("one", f"{i}") for i in range(1_000)]
        assert len(held(await waiting(shares, made_up))) == MOST - 1
        [other] = held(await waiting(shares, [Client("other")]))
        # Nor does it take in turn what somebody else gives back.
        shares.give_back(other)
        assert held(await waiting(shares, [Client("third")]))

    run(ask())


def test_whoever_leaves_while_it_waits_leaves_nothing() -> None:
    async def ask() -> None:
        shares = Shares(1, 1)
        first = await shares.take(Client("a"))
        leaving = await waiting(shares, [Client("b"), Client("c")])
        assert shares.is_wanted(first)
        leaving[0].cancel()
        # Given at the very moment when it goes.
        shares.give_back(first)
        leaving[1].cancel()
        await asyncio.wait(leaving)
        assert (await shares.take(Client("d"))).client == Client("d")

    run(ask())


def test_a_place_is_wanted_only_by_who_could_have_it() -> None:
    async def ask() -> None:
        shares = Shares(MOST, SHARE)
        of_one, of_other = Client("one"), Client("other")
        [mine, *_] = held(await waiting(shares, [of_one] * 3))
        other = await shares.take(of_other)
        assert shares.is_wanted(mine)  # by the third of its own
        assert not shares.is_wanted(other)

    run(ask())
