"""The one child process in which all of a session's student code runs.

PyTorch is imported once in it. It is started anew after a student's code has hung or ended it.
"""

import atexit
import json
import os
import queue
import secrets
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

from .exercises.exercise import Remark

START_LIMIT = 300.0
"""Seconds in which PyTorch is imported, on a busy machine too."""

GRACE = 5.0
"""Seconds more than its own limit that the child gets, to say where it was."""

PATIENCE = 3
"""Times the limit, which counts seconds of computing, that a task may take on the clock."""

MOST_PRINTED = 4000
"""Characters that are kept of what a student prints."""


@dataclass(frozen=True)
class Answer:
    """What came of one task.

    Attributes:
        remarks: what is wrong.
        printed: what the student's code printed, the beginning of it.
        result: the task's own; None if something was wrong.
    """

    remarks: tuple[Remark, ...]
    printed: str = ""
    result: Any = None


class _Printed:
    """Reads all that is printed, so that nothing ever waits; keeps the beginning."""

    def __init__(self, stream: IO[bytes], mark: str) -> None:
        self._mark = mark.encode()
        self._stream = stream
        self._output, self._last = b"", b""
        self._lock, self._over = threading.Lock(), threading.Event()
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self) -> None:
        with suppress(OSError, ValueError):
            while chunk := os.read(self._stream.fileno(), 1 << 16):
                with self._lock:
                    if len(self._output) < 4 * MOST_PRINTED:
                        self._output += chunk
                    self._last = (self._last + chunk)[-len(self._mark) :]
                    if self._last == self._mark:
                        self._over.set()
        self._over.set()

    def take(self) -> str:
        """What was printed since the last time, once the child has said that this is all."""
        self._over.wait(1)
        with self._lock:
            output, self._output, self._last = self._output, b"", b""
            self._over.clear()
        text = output.split(self._mark)[0].decode("utf-8", "replace").replace("\r\n", "\n")
        return text if len(text) <= MOST_PRINTED else text[:MOST_PRINTED] + " …"


class _Child:
    def __init__(self) -> None:
        self._mark = f"\0{secrets.token_hex(8)}\0"
        # Where this package is, wherever the student's folder is.
        root = str(Path(__file__).parents[2])
        paths = os.pathsep.join(filter(None, (root, os.environ.get("PYTHONPATH"))))
        self._process = subprocess.Popen(
            [sys.executable, "-c", "from transformer.course.child import serve; serve()"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            cwd=root,
            env={**os.environ, "PYTHONPATH": paths, "PYTHONIOENCODING": "utf-8"},
            start_new_session=True,
        )
        assert self._process.stdin
        assert self._process.stdout
        assert self._process.stderr
        self._stdin, self._stdout, self._stderr = (
            self._process.stdin,
            self._process.stdout,
            self._process.stderr,
        )
        self._replies: queue.SimpleQueue[dict[str, Any] | None] = queue.SimpleQueue()
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()
        self._printed = _Printed(self._stderr, self._mark)
        self.ready = False

    def _read(self) -> None:
        with suppress(OSError, ValueError):
            for line in self._stdout:
                self._replies.put(json.loads(line))
        self._replies.put(None)

    def ask(self, request: dict[str, Any], limit: float) -> Iterator[dict[str, Any] | None]:
        """The child's replies, and None if it ended; nothing more if none comes in time."""
        if not self.ready:
            if self._replies.get(timeout=START_LIMIT) is None:
                raise RuntimeError(f"no Python for students' code: {self._printed.take()}")
            self.ready = True
        line = json.dumps({**request, "limit": limit, "mark": self._mark}) + "\n"
        with suppress(OSError):
            self._stdin.write(line.encode())
            self._stdin.flush()
        while True:
            try:
                reply = self._replies.get(timeout=PATIENCE * limit + GRACE)
            except queue.Empty:
                return
            yield reply
            if reply is None or "far" not in reply:
                return

    def printed(self) -> str:
        return self._printed.take()

    @property
    def is_alive(self) -> bool:
        return self._process.poll() is None

    def status(self) -> int:
        """The process's exit status, once it has ended."""
        return self._process.wait()

    def end(self) -> None:
        with suppress(OSError, AttributeError):
            os.killpg(self._process.pid, 9)  # with whatever a student's code has started
        self._process.kill()
        self._process.wait()
        for stream in (self._stdin, self._stdout, self._stderr):
            with suppress(OSError):
                stream.close()


_shared: list[_Child] = []
_one_at_a_time = threading.Lock()


def run(
    task: str,
    folder: Path,
    name: str,
    limit: float,
    far: Callable[[Any], None] = lambda _: None,
    **request: Any,
) -> Answer:
    """Has one task done in the child, which is started if need be.

    Args:
        task: "judge", or another of `child.TASKS`.
        folder: the student's.
        name: the file that it is about, without ".py".
        limit: seconds; imports of PyTorch are not counted.
        far: is told how far it is, where the task tells.
        request: what else the task wants to know.
    """
    whole = {"task": task, "folder": str(folder.resolve()), "name": name, **request}
    with _one_at_a_time, _child() as child:
        reply: dict[str, Any] | None = {}
        for reply in child.ask(whole, limit):
            if reply and "far" in reply:
                far(reply["far"])
        values = {"file": f"{name}.py", "limit": f"{limit:g}"}
        if reply is None:
            values["status"] = str(child.status())
            return Answer((Remark("ends_abruptly", values),), child.printed())
        if "remarks" not in reply:
            child.end()
            return Answer((Remark("too_long_somewhere", values),), child.printed())
        remarks = tuple(Remark(remark["code"], remark["values"]) for remark in reply["remarks"])
        answer = Answer(remarks, child.printed(), reply.get("result"))
        if reply.get("over"):
            child.end()
        return answer


@contextmanager
def _child() -> Iterator[_Child]:
    if _shared and not _shared[0].is_alive:
        end()
    if not _shared:
        _shared.append(_Child())
    try:
        yield _shared[0]
    except BaseException:  # Ctrl-C, too: nobody waits for its answer any more
        end()
        raise


def end() -> None:
    """Ends the child; the next task starts another."""
    while _shared:
        _shared.pop().end()


atexit.register(end)
