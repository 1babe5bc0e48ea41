"""The client of a request: what every share, turn and limit counts by."""

from typing import NamedTuple


class Client(NamedTuple):
    """A page behind an address.

    A school's router gives sixty pupils one address, so that an address alone is a class; what a
    page calls itself is made up by whoever asks, so that it counts within its address alone.

    Attributes:
        address: a computer, or the router before many.
        page: the page's own random token; empty for a program's.
    """

    address: str = ""
    page: str = ""


NOBODY = Client()
"""Asks from inside."""
