"""A disk without room."""

import signal
from collections.abc import Iterator
from contextlib import contextmanager

import pytest


@contextmanager
def no_room_for_files_over(size: int) -> Iterator[None]:
    """The system refuses to write more, as on a full disk."""
    resource = pytest.importorskip("resource")
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
