"""What a stranger's code may take while it runs: time, and the terminal."""

import ctypes
import io
import threading
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stderr, redirect_stdout, suppress


class TookTooLong(BaseException):
    """Raised inside code that ran past its time; no `except Exception` of its own keeps it."""


@contextmanager
def time_limit(seconds: float) -> Iterator[None]:
    """Interrupts the Python code of this thread after some seconds, wherever it stands.

    Raises:
        TookTooLong: the time was up.
    """
    thread, lock = ctypes.c_ulong(threading.get_ident()), threading.Lock()
    running, rung = True, False

    def ring() -> None:
        nonlocal rung
        with lock:
            if running:
                rung = True
                ctypes.pythonapi.PyThreadState_SetAsyncExc(thread, ctypes.py_object(TookTooLong))

    timer = threading.Timer(seconds, ring)
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        with lock:
            running = False
        timer.cancel()
        if rung:
            # What has rung too late is raised here. Taking it back would leave the interpreter
            # waiting for it, which under a profiler never ends.
            with suppress(TookTooLong):
                for _ in range(1_000):
                    pass


class Printed(io.TextIOBase):
    """Stands in for the terminal: counts lines, and keeps the first."""

    def __init__(self) -> None:
        self.lines = 0
        self.first = ""
        self._whole = False

    def write(self, text: str) -> int:
        """Counts; a line counts when it ends."""
        if not self._whole and text:
            line, end, _ = text.partition("\n")
            self.first = (self.first + line)[:100]
            self._whole = bool(end)
        self.lines += text.count("\n")
        return len(text)

    @contextmanager
    def listening(self) -> Iterator[None]:
        """Whatever is printed meanwhile comes here."""
        with redirect_stdout(self), redirect_stderr(self):
            yield
