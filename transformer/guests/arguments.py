"""Numbers and switches that callers name, checked, and values as a sentence names them."""

from collections.abc import Sequence
from operator import index
from typing import Any, cast

import numpy as np


def check_numbers(name: str, numbers: object, most: int, what: str) -> None:
    """Refuses what is no list of numbers from 0 to `most` - 1."""
    if isinstance(numbers, str) or not isinstance(numbers, Sequence | np.ndarray):
        raise ValueError(f"{name} is {shortly(numbers)}; expected a list of {what}, such as [0]")
    listed = list(cast(Sequence[Any], numbers))
    if not listed:
        raise ValueError(f"{name} is empty: name one of the {most} {what} at least")
    if wrong := [it for it in listed if not is_whole(it)]:
        raise ValueError(
            f"{name} has {shortly(wrong[0])} in it; expected whole numbers, counted from 0"
        )
    there = f"are {most} {what}" if most > 1 else f"is 1 {what[:-1]}"
    for number in listed:
        if not 0 <= number < most:
            raise ValueError(f"{name} has {number}, but there {there}, counted from 0")


def is_whole(value: object) -> bool:
    """Whether something counts: an int, or what NumPy and PyTorch have for one."""
    try:
        index(cast(Any, value))
    except TypeError:
        return False
    return True


def is_flag(value: object) -> bool:
    """Whether something is True or False, or counts as one of them."""
    return isinstance(value, bool | np.bool_) or (is_whole(value) and value in (0, 1))


def shortly(value: object) -> str:
    """What a value looks like, on one line of a sentence."""
    text = " ".join(repr(value).split())
    return text if len(text) <= MOST_SIGNS else f"{text[: MOST_SIGNS - 1]}…"


MOST_SIGNS = 60
