"""What strangers may say: each value has a type and bounds, and is read by what declares it."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Generic, Protocol, TypeVar, cast

from ..errors import HeadlightError

T = TypeVar("T")
Read = TypeVar("Read", covariant=True)


class Option(Protocol[Read]):
    """A declared value."""

    def read(self, name: str, value: object) -> Read:
        """The value, as it was sent; None where nothing was.

        Raises:
            HeadlightError: it is another than was declared.
        """
        ...

    def declared(self) -> dict[str, Any]:
        """The option's type and bounds as JSON values, which the engine's reader is made from."""
        ...


def bad_request(sentence: str) -> HeadlightError:
    """The error for what no page of ours sends."""
    return HeadlightError("bad_request", sentence)


@dataclass(frozen=True)
class WholeNumber:
    """An integer."""

    least: int = 0
    most: int = 2**31 - 1

    def read(self, name: str, value: object) -> int:
        """The number; True and False are none."""
        if type(value) is not int or not self.least <= value <= self.most:
            raise bad_request(f"{name} is a whole number from {self.least} to {self.most}.")
        return value

    def declared(self) -> dict[str, Any]:
        """As `Option.declared`."""
        return {"type": "whole_number", "least": self.least, "most": self.most}


@dataclass(frozen=True)
class Text:
    """A string.

    Attributes:
        most: characters that it may have; None where what is made of it bounds it.
    """

    most: int | None = None

    def read(self, name: str, value: object) -> str:
        """The text."""
        if not isinstance(value, str):
            raise bad_request(f"{name} is a text.")
        if self.most is not None and len(value) > self.most:
            raise bad_request(f"{name} has {self.most} characters at most.")
        return value

    def declared(self) -> dict[str, Any]:
        """As `Option.declared`."""
        return {"type": "text", "most": self.most}


@dataclass(frozen=True)
class Perhaps(Generic[T]):
    """An option that may be left out: None then."""

    of: Option[T]

    def read(self, name: str, value: object) -> T | None:
        """The value, if there is one."""
        return None if value is None else self.of.read(name, value)

    def declared(self) -> dict[str, Any]:
        """As `Option.declared`."""
        return {"type": "perhaps", "of": self.of.declared()}


@dataclass(frozen=True)
class OneOf(Generic[T]):
    """An option whose value is one of a few."""

    values: tuple[T, ...]

    def read(self, name: str, value: object) -> T:
        """The value that is the same."""
        for each in self.values:
            if each == value:
                return each
        raise bad_request(f"{name} is one of {', '.join(map(str, self.values))}.")

    def declared(self) -> dict[str, Any]:
        """As `Option.declared`."""
        return {"type": "one_of", "values": list(self.values)}


@dataclass(frozen=True)
class Many(Generic[T]):
    """A list.

    Attributes:
        of: what each item is.
        most: how many there may be.
        least: how many there must be.
        absent: what it is where nothing was sent.
    """

    of: Option[T]
    most: int
    least: int = 0
    absent: tuple[T, ...] = ()

    def read(self, name: str, value: object) -> tuple[T, ...]:
        """The items."""
        if value is None and not self.least:
            return self.absent
        items = cast(list[object], value) if isinstance(value, list) else None
        if items is None or not self.least <= len(items) <= self.most:
            raise bad_request(f"{name} is a list of {self.least} to {self.most} items.")
        return tuple(self.of.read(f"each of {name}", item) for item in items)

    def declared(self) -> dict[str, Any]:
        """As `Option.declared`."""
        bounds = {"least": self.least, "most": self.most, "absent": list(self.absent)}
        return {"type": "list", "of": self.of.declared(), **bounds}


class Sent:
    """What a stranger sent, read name by name as it is declared.

    Args:
        values: by name.
        fields: what each of them must be.
    """

    def __init__(self, values: Mapping[str, object], fields: Mapping[str, Option[Any]]) -> None:
        self.values = values
        self.fields = fields

    def get(self, name: str) -> object:
        """One value as it is; None where nothing was sent."""
        return self.values.get(name)

    def __call__(self, name: str) -> Any:
        """One value, as its option reads it.

        Raises:
            HeadlightError: it is another than was declared.
        """
        return self.fields[name].read(name, self.get(name))


INTERVENTIONS = Many(Text(), most=500)
"""Interventions in text form: every head of twelve layers of twelve, of all three kinds, and some.
Whether they fit the model is for the model to say."""
