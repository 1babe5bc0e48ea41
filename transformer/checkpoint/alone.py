"""A lock that ends with whoever holds it, killed or not."""

import errno
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

HELD = (errno.EAGAIN, errno.EACCES, errno.EDEADLK)
"""What systems say of a lock that somebody else has; all else says that there are no locks."""


@contextmanager
def alone(path: Path) -> Iterator[None]:
    """Holds a lock file that is there for this alone, and takes it away again.

    Where a disk knows no locks (a share in a network, say), nobody is kept out.

    Raises:
        BlockingIOError: somebody holds it, in this process or in another.
        OSError: the file cannot be made.
    """
    while True:
        handle = os.open(path, os.O_RDWR | os.O_CREAT)
        try:
            _lock(handle, path)
            # Whoever held it may have taken the file away after it was opened here.
            if _is_there(handle, path):
                break
        except BaseException:
            os.close(handle)
            raise
        os.close(handle)
    try:
        yield
    finally:
        with suppress(OSError):  # Windows keeps an open file; it stays, and does no harm
            path.unlink()
        os.close(handle)


def _lock(handle: int, path: Path) -> None:
    try:
        if sys.platform == "win32":
            import msvcrt

            msvcrt.locking(handle, msvcrt.LK_NBLCK, 1)
        else:
            import fcntl

            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        if error.errno in HELD:
            reason = "another process is writing there now"
            raise BlockingIOError(errno.EAGAIN, reason, str(path)) from error


def _is_there(handle: int, path: Path) -> bool:
    try:
        return os.path.samestat(os.fstat(handle), path.stat())
    except FileNotFoundError:
        return False
