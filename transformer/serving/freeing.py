"""Memory that was freed goes back to the system."""

import ctypes
import sys
from contextlib import suppress


def give_back() -> None:
    """Has the C library hand back what it keeps for itself, which after large answers is most.

    Its free memory lies between what is still used, so that it would keep it for ever. Other
    libraries than GNU's have no such call.
    """
    if sys.platform == "linux":
        with suppress(AttributeError):
            ctypes.CDLL(None).malloc_trim(0)
