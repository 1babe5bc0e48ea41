"""Told to stop, by a signal: once to finish what has been begun, twice to end at once."""

import os
import signal
import socket
import sys
from types import FrameType

SIGNALS = (signal.SIGTERM, signal.SIGINT)


class Stop:
    """A counter, from its making on, of the signals that stop a process.

    The handler takes no lock: it may run in the middle of anything, itself included. What wakes
    `wait` is the byte that Python writes as soon as a signal comes, to whichever thread.
    """

    def __init__(self) -> None:
        self._signals = 0
        self._woken, waking = socket.socketpair()
        waking.setblocking(False)
        self._waking = waking  # as long as this lives
        signal.set_wakeup_fd(waking.fileno(), warn_on_full_buffer=False)
        for number in SIGNALS:
            signal.signal(number, self._handle)

    def wait(self) -> None:
        """Returns once the process was told to stop; for the main thread alone."""
        while not self._signals:
            self._woken.recv(1)

    def end_at_once(self) -> None:
        """Ends the process, whatever its threads are doing."""
        sys.stdout.flush()
        os._exit(0)

    def _handle(self, number: int, _frame: FrameType | None) -> None:
        self._signals += 1
        if self._signals > 1:
            os._exit(128 + number)
