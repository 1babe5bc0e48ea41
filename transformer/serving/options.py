"""Reading the options of an analysis, as a stranger sent them."""

from collections.abc import Mapping

from ..errors import HeadlightError

Options = Mapping[str, object]
"""As a stranger sent them."""


def whole_number(options: Options, name: str) -> int:
    """One that is at least 0.

    Raises:
        HeadlightError: it is missing, or is none.
    """
    value = options.get(name)
    if type(value) is not int or not 0 <= value < 2**31:
        raise HeadlightError("bad_request", f"{name} is a whole number.")
    return value
