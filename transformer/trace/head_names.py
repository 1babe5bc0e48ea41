"""Heads by name: `L2H4` wherever people read or type one, counted from 1; integers count from 0."""

import re
from collections.abc import Iterator, Mapping
from itertools import product
from typing import Any, Literal, NamedTuple, cast, get_args

import numpy.typing as npt

from .kinds import Kind

Row = Literal["reads", "predicts"]
"""Which row is a target word's: the one that reads it, or the one before, which predicts it."""

ROWS: tuple[Row, ...] = get_args(Row)

Aggregate = Literal["mean", "max"]
Choice = tuple[int | Aggregate, int | Aggregate]
"""A layer and a head, from 0, or what is taken over all of them."""

NAME = r"L([1-9]\d{0,2})H([1-9]\d{0,2})"
CHOICE = NAME + r"|([LH])([1-9]\d{0,2})\.(mean|max)|(mean|max)(?:\.(mean|max))?"


def head_name(layer: int, head: int) -> str:
    """The name of a head whose layer and number count from 0: (1, 3) is `L2H4`."""
    return f"L{layer + 1}H{head + 1}"


def every_head(numbers: npt.NDArray[Any]) -> Iterator[tuple[int, int]]:
    """The layer and the number, from 0, of every head that `numbers` [layer, head] has one for."""
    layers, heads = numbers.shape
    return product(range(layers), range(heads))


def parse_head(name: str) -> tuple[int, int]:
    """The layer and the number, from 0, of a head's name.

    Raises:
        ValueError: it is no such name.
    """
    match = re.fullmatch(NAME, name, re.ASCII)
    if match is None:
        raise ValueError(f"{name!r} is no head: one is written L2H4, both counted from 1")
    return int(match[1]) - 1, int(match[2]) - 1


def parse_choice(name: str) -> Choice:
    """A head or an aggregate by the name that pages use.

    "L2.mean" is over the heads of a layer, "H4.max" over the layers, "mean" over all; "mean.max" is
    the mean over the layers of the maximum over their heads.

    Raises:
        ValueError: it is no such name.
    """
    match = re.fullmatch(CHOICE, name, re.ASCII)
    if match is None:
        raise ValueError(f"{name!r} is no head and no aggregate: they are L2H4, L2.mean, H4.max")
    layer, head, axis, number, how, over_layers, over_heads = match.groups()
    if layer is not None:
        return int(layer) - 1, int(head) - 1
    if axis is not None:
        at, joined = int(number) - 1, cast(Aggregate, how)
        return (at, joined) if axis == "L" else (joined, at)
    return cast(Aggregate, over_layers), cast(Aggregate, over_heads or over_layers)


def layer_name(layer: int) -> str:
    """The name of the mean of a layer's heads, counted from 0: 1 is `L2.mean`."""
    return f"L{layer + 1}.mean"


class Opening(NamedTuple):
    """The weights that a picture begins with: those whose strongest cell the eye agrees with.

    Attributes:
        head: its name; or a layer's mean, "L3.mean".
        row: whether it looks at the word to be written ("predicts") or at the one just read
            ("reads").
        meets: at what share of words its strongest cell is where a lexicon says, 0 to 1.
        other: at what share the best one for the other row does so.
    """

    head: str
    row: str
    meets: float
    other: float


class RepresentativeHead(NamedTuple):
    """A head that is worth looking at first.

    Attributes:
        head: its name.
        role: what it does, such as "aligns" or "previous"; a key of the page's locale files.
        row: of a head that aligns: whether a target word's row is the one that "reads" it or the
            one that "predicts" it; None for others.
        opening: what a picture of the kind begins with, if it is not this head.
    """

    head: str
    role: str
    row: str | None = None
    opening: Opening | None = None

    def payload(self) -> dict[str, Any]:
        """The head as JSON values: what `read_representative_heads` reads."""
        return {**self._asdict(), "opening": self.opening and self.opening._asdict()}


def read_representative_heads(
    value: object, sizes: Mapping[Kind, tuple[int, ...]]
) -> dict[Kind, RepresentativeHead]:
    """The representative head of each kind, as a checkpoint's card or a saved trace names it.

    Args:
        value: {kind: {"head", "role", "row", "opening"}}, as JSON has it.
        sizes: by kind, how many layers and heads there are.
    Raises:
        ValueError: it is of another form, or names a head that is not there.
    """
    if not isinstance(value, dict) or cast(dict[object, object], value).keys() - sizes.keys():
        raise ValueError(f"representative heads are an object with keys {', '.join(sizes)}")
    heads: dict[Kind, RepresentativeHead] = {}
    for kind, entry in cast(dict[Kind, object], value).items():
        match entry:
            case {"head": str(head), "role": str(role)}:
                rest = cast(dict[str, object], entry)
            case _:
                raise ValueError(f"{entry!r} is no representative head: it has a head and a role")
        _check_size(kind, head, parse_head(head), sizes[kind])
        row, opening = rest.get("row"), _read_opening(kind, rest.get("opening"), sizes[kind])
        heads[kind] = RepresentativeHead(head, role, row if isinstance(row, str) else None, opening)
    return heads


def _read_opening(kind: Kind, value: object, size: tuple[int, ...]) -> Opening | None:
    match value:
        case None:
            return None
        case {"head": str(head), "row": str(row), "meets": float() | int() as meets} if isinstance(
            other := cast(dict[str, object], value).get("other"), float | int
        ):
            if not (0 <= meets <= 1 and 0 <= other <= 1):
                raise ValueError(f"{value!r} is no opening: meets and other are shares, 0 to 1")
            mean = re.fullmatch(r"L([1-9]\d{0,2})\.mean", head, re.ASCII)
            _check_size(kind, head, (int(mean[1]) - 1,) if mean else parse_head(head), size)
            return Opening(head, row, float(meets), float(other))
        case _:
            raise ValueError(f"{value!r} is no opening: it has a head, a row, meets and other")


def _check_size(kind: Kind, name: str, place: tuple[int, ...], size: tuple[int, ...]) -> None:
    if any(number >= most for number, most in zip(place, size, strict=False)):
        raise ValueError(f"there is no {kind} head {name}")
