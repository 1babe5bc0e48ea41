"""The process in which guests compute, seen from outside: it is asked, left, ended and begun anew.

Threads would share the interpreter with the small models' batches, and a process that ends gives
all of its memory back.
"""

import json
import os
import subprocess
import sys
from collections.abc import Callable
from contextlib import suppress
from queue import Empty, SimpleQueue
from threading import Lock, Thread
from time import monotonic
from typing import IO, Any, NamedTuple

from ...errors import HeadlightError
from .answered import Answered

MOST_SECONDS = 300.0
"""Seconds of an answer, once its model is there."""

MOST_LOADING = 1800.0
"""Seconds of loading: the largest models from slow disks take some minutes."""

GRACE = 5.0
"""Seconds until a process is ended that goes on for somebody who has left."""

LOOK = 0.1
"""Seconds between two looks whether whoever asked has left."""

START = (
    "import sys; sys.path[:] = sys.argv[1].split('\\n'); "
    "from transformer.serving.guests.worker import main; main()"
)
"""Nothing of the folder that it is started in is imported, whatever its files are called."""

QUIET = {
    "HF_HUB_DISABLE_PROGRESS_BARS": "1",
    "HF_HUB_DISABLE_TELEMETRY": "1",
    "TOKENIZERS_PARALLELISM": "false",
    "TRANSFORMERS_VERBOSITY": "error",
}


class Message(NamedTuple):
    """A message of the process: its progress, or an answer.

    Attributes:
        head: {"stage"} while it works, {"code", "message", "details"} of a refusal.
        answer: None while there is none.
    """

    head: dict[str, Any]
    answer: Answered | None


class GuestProcess:
    """One process, started when it is first asked.

    Args:
        seconds: that an answer may take at most.

    Attributes:
        far: how far the answer is that is waited for: its stage, and of how many bytes how many
            were received.
    """

    def __init__(self, seconds: float = MOST_SECONDS) -> None:
        self._seconds = seconds
        self._lock = Lock()  # for whoever ends it, while somebody waits for an answer
        self._child: subprocess.Popen[bytes] | None = None
        self._messages: SimpleQueue[Message | None] = SimpleQueue()
        self._closed = False
        self.far: dict[str, Any] = {}

    @property
    def stage(self) -> str:
        """What is being done: "asking", "fetching", "loading", "computing"; empty: nothing."""
        return self.far.get("stage", "")

    @property
    def pid(self) -> int | None:
        """The process; None while there is none."""
        child = self._child
        return None if child is None or child.poll() is not None else child.pid

    def ask(self, request: dict[str, Any], left: Callable[[], bool]) -> Answered:
        """An answer; one thread asks at a time.

        Args:
            request: as JSON values.
            left: whether nobody waits any more; then what was begun ends between two layers.
        Raises:
            HeadlightError: as the process says, or because it took too long, or ended.
        """
        self._write({"request": request})
        try:
            return self._answer(left)
        finally:
            self.far = {}

    def close(self) -> None:
        """Ends the process, whatever it does, for good."""
        self._closed = True
        self.end()

    def end(self) -> None:
        """Ends the process; the next question starts another."""
        with self._lock:
            child, self._child = self._child, None
        if child is not None:
            child.kill()
            child.wait()
            assert child.stdin is not None
            with suppress(OSError):  # what was not read of it
                child.stdin.close()

    def _write(self, message: dict[str, Any]) -> None:
        line = json.dumps(message).encode() + b"\n"
        for _ in range(2):  # one that ended since it last answered is found out by writing
            with self._lock:
                if self._closed:
                    raise _ended()
                if self._child is None or self._child.poll() is not None:
                    self._start()
                child = self._child
            assert child is not None
            assert child.stdin is not None
            with suppress(OSError):
                child.stdin.write(line)
                child.stdin.flush()
                return
            self.end()
        raise _ended()

    def _start(self) -> None:
        self._messages = SimpleQueue()
        command = [sys.executable, "-c", START, "\n".join(sys.path)]
        self._child = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env={**os.environ, **QUIET},
        )
        assert self._child.stdout is not None
        reader = Thread(target=_read, args=(self._child.stdout, self._messages), daemon=True)
        reader.start()

    def _answer(self, left: Callable[[], bool]) -> Answered:
        begun, gone = monotonic(), 0.0
        while True:
            try:
                message = self._messages.get(timeout=LOOK)
            except Empty:
                now = monotonic()
                if not gone and left():
                    gone = now
                    self._leave()
                elif gone and now - gone > GRACE:
                    self.end()
                    raise _left() from None
                elif self.stage == "computing" and now - begun > self._seconds:
                    self.end()
                    raise _slow("guest_slow", "This", self._seconds) from None
                elif self.stage == "loading" and now - begun > MOST_LOADING:
                    self.end()
                    raise _slow("guest_loading", "Loading", MOST_LOADING) from None
                continue
            if message is None:
                self.end()
                raise _left() if gone else _ended()
            if message.answer is not None:
                return message.answer
            if "stage" in message.head:
                self.far, begun = message.head, monotonic()
            else:
                refusal = message.head
                raise HeadlightError(refusal["code"], refusal["message"], **refusal["details"])

    def _leave(self) -> None:
        child = self._child
        if child is not None and child.stdin is not None:
            with suppress(OSError):
                child.stdin.write(b'{"leave": true}\n')
                child.stdin.flush()


def _read(stdout: IO[bytes], messages: "SimpleQueue[Message | None]") -> None:
    """Hands on what a process says, and None at its end."""
    with suppress(OSError, ValueError), stdout:
        while line := stdout.readline():
            head = json.loads(line)
            answer = Answered.read(head, stdout.read) if "size" in head else None
            messages.put(Message(head, answer))
    messages.put(None)


def _left() -> HeadlightError:
    return HeadlightError("cancelled", "This was cancelled before it was done.")


def _slow(code: str, what: str, seconds: float) -> HeadlightError:
    sentence = f"{what} took longer than {seconds:.0f} seconds, and was ended."
    return HeadlightError(code, sentence, seconds=round(seconds))


def _ended() -> HeadlightError:
    return HeadlightError(
        "guest_ended",
        "The process in which this model computes has ended. The next question starts it anew.",
    )
