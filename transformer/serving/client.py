"""Who asks: the unit of every share and turn."""

from typing import NamedTuple


class Client(NamedTuple):
    """An open page, or a program.

    Attributes:
        address: where it comes from; a school's pages come from one.
        page: the random token that the page calls itself; empty where it has none.
    """

    address: str = ""
    page: str = ""


NOBODY = Client()
"""Who asks where nobody is named: this program itself."""
