"""Turns: pages share alike wherever they come from, and nobody takes more than an address may."""

from collections import Counter
from itertools import count

from transformer.serving.sharing.client import Client
from transformer.serving.sharing.turns import MOST_PAGES, Turns


def taken(turns: Turns[tuple[str, int]], many: int) -> Counter[str]:
    """Whose jobs are taken, one after the other."""
    whose = Counter[str]()
    for _ in range(many):
        job = turns.ordered()[0]
        turns.take([job])
        whose[job[0]] += 1
    return whose


def wait(turns: Turns[tuple[str, int]], who: str, clients: list[Client], each: int = 5) -> None:
    for client in clients:
        for _ in range(each):
            turns.add((who, next(NUMBERS)), client)


NUMBERS = count()


def test_sixty_pages_behind_one_router_get_as_many_turns_as_sixty_addresses() -> None:
    turns = Turns[tuple[str, int]]()
    wait(turns, "school", [Client("router", f"{i}") for i in range(60)])
    wait(turns, "town", [Client(f"{i}", "page") for i in range(60)])
    assert taken(turns, 240) == {"school": 120, "town": 120}


def test_an_address_that_makes_up_pages_gets_so_many_shares_at_most() -> None:
    turns = Turns[tuple[str, int]]()
    wait(turns, "maker", [Client("one", f"{i}") for i in range(300)], each=1)
    others = [Client(f"{i}") for i in range(6)]
    wait(turns, "others", others, each=20)
    met = taken(turns, 3 * (MOST_PAGES + 6))
    assert abs(met["maker"] - 3 * MOST_PAGES) <= MOST_PAGES
    assert abs(met["others"] - 18) <= 6
    # Whoever comes now is behind a round at most, and not behind all of them.
    assert len(turns) > 2 * MOST_PAGES
    turns.add(("late", 0), Client("late"))
    assert [job[0] for job in turns.ordered()].index("late") <= MOST_PAGES + len(others)


def test_what_is_short_passes_what_is_long_which_is_taken_in_its_time() -> None:
    turns = Turns[tuple[str, int]]()
    for i in range(20):
        turns.add(("long", i), Client("a", f"{i}"), cost=10)
    whose = list[str]()
    for i in range(60):
        turns.add(("short", i), Client("b", f"{i % 3}"))
        job = turns.ordered()[0]
        turns.take([job])
        whose.append(job[0])
    assert whose[:2] == ["short", "short"]
    assert whose.count("long") >= 10


def test_what_is_short_passes_what_is_long_also_if_it_comes_later() -> None:
    turns = Turns[tuple[str, int]]()
    for i in range(8):
        turns.add(("long", i), Client("maker", f"{i}"), cost=76)
    turns.take(turns.ordered()[:1])
    turns.add(("short", 0), Client("other"), cost=21)
    assert turns.ordered()[0] == ("short", 0)
    # However many come so, with a page for each, what is long has its part.
    for i in range(1, 200):
        turns.take(turns.ordered()[:1])
        turns.add(("short", i), Client(f"other {i}"), cost=21)
    left = [job for job in turns.ordered() if job[0] == "long"]
    assert not left, "as much as eight pages may have meanwhile"


def test_who_asks_often_waits_for_who_asks_once_and_gives_up_at_no_cost() -> None:
    turns = Turns[tuple[str, int]]()
    often, once = Client("often"), Client("once")
    for i in range(5):
        turns.add(("often", i), often)
    turns.add(("once", 0), once)
    assert [job[0] for job in turns.ordered()].index("once") == 1
    for i in range(4):
        turns.drop(("often", i))
    turns.add(("once", 1), once)
    assert turns.ordered() == [("often", 4), ("once", 0), ("once", 1)]


def test_what_was_paid_is_forgotten_once_nobody_waits() -> None:
    turns = Turns[tuple[str, int]]()
    for i in range(9):
        turns.add(("greedy", i), Client("greedy"))
    turns.take(turns.ordered())
    turns.add(("greedy", 9), Client("greedy"))
    turns.add(("other", 0), Client("other"))
    assert turns.ordered()[0] == ("greedy", 9)
