"""A chat's template rendered in a process of its own, which is stopped when it takes too much.

A template is a stranger's program. The sandbox of transformers keeps it from files, but not from
time (a power of a power) or memory (a letter, ten billion times), and no thread could stop it.
This file is that process, too, run as a script.
"""

import sys

if __name__ == "__main__":
    del sys.path[0]  # the folder's modules are called as libraries may be

import faulthandler
import json
import subprocess
import weakref
from collections.abc import Callable, Sequence
from contextlib import suppress
from threading import Lock, Timer
from typing import Any, cast

MOST_MEMORY = 512_000_000
"""Bytes that a template may ask for, where the system can refuse more."""

STARTING = 60.0
"""Seconds for a process to start and to bring the library along, on a busy machine."""


class RenderingError(Exception):
    """A template that was not rendered; the message goes on from its name."""


class Renderer:
    """A process that renders one tokenizer's templates, kept from the first to `close`.

    It takes ten times as long to start as to render. What is refused ends it, and with it
    whatever a template has left behind; the next template starts another.
    """

    def __init__(self) -> None:
        self._lock = Lock()
        self._child: subprocess.Popen[str] | None = None
        self._end: Callable[[], object] = lambda: None

    @property
    def pid(self) -> int | None:
        """The process; None while there is none."""
        child = self._child
        return None if child is None or child.poll() is not None else child.pid

    def rendered(
        self, tokenizer: object, turns: Sequence[dict[str, str]], seconds: float, most: int
    ) -> list[str]:
        """Conversations of a turn each, as a template of a tokenizer's writes them.

        Args:
            tokenizer: of transformers.
            turns: the conversations.
            seconds: that all may take.
            most: characters that one may write.
        Raises:
            RenderingError: it fails, or takes too much.
        """
        writer = cast(Any, tokenizer)
        try:
            template = writer.get_chat_template()
        except ValueError as error:
            raise RenderingError(f"cannot be used: {error}") from error
        request = {
            "seconds": seconds,
            "most": most,
            "template": template,
            "conversations": [[it] for it in turns],
            "special": {name: str(token) for name, token in writer.special_tokens_map.items()},
        }
        with self._lock:
            answer = self._answer(json.dumps(request), seconds)
            if answer is None or "refused" in answer:
                self._end()
        if answer is None:
            raise RenderingError(f"took longer than {seconds:g} seconds")
        if "refused" in answer:
            raise RenderingError(answer["refused"])
        return answer["texts"]

    def close(self) -> None:
        """Ends the process; a later template starts another."""
        with self._lock:
            self._end()

    def _answer(self, request: str, seconds: float) -> dict[str, Any] | None:
        child = self._child
        if child is None or child.poll() is not None:
            child = self._start()
        assert child.stdin is not None
        assert child.stdout is not None
        # The process stops what takes too long by itself, once it runs.
        timer = Timer(STARTING + seconds, child.kill)
        timer.start()
        try:
            child.stdin.write(f"{request}\n")
            child.stdin.flush()
            return json.loads(child.stdout.readline() or "null")
        except OSError:
            return None
        finally:
            timer.cancel()

    def _start(self) -> "subprocess.Popen[str]":
        self._end()
        child = self._child = subprocess.Popen(
            [sys.executable, __file__, json.dumps(sys.path)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            encoding="utf-8",
        )
        self._end = weakref.finalize(self, _ended, child)
        return child


def _ended(child: "subprocess.Popen[str]") -> None:
    child.kill()
    with suppress(OSError), child:  # what it did not read
        pass


def main() -> None:
    """Reads what is asked from the standard input, and writes the texts, or why there are none."""
    sys.path[:] = json.loads(sys.argv[1])
    from transformers.utils import chat_template_utils

    render: Any = chat_template_utils.render_jinja_template  # pyright: ignore[reportUnknownVariableType]
    _limit_memory()
    for line in sys.stdin:
        request = json.loads(line)
        # Beside the interpreter, which one long multiplication keeps from all else.
        faulthandler.dump_traceback_later(request["seconds"], exit=True)
        answer = _answer(render, request)
        faulthandler.cancel_dump_traceback_later()
        sys.stdout.write(json.dumps(answer) + "\n")
        sys.stdout.flush()


def _answer(render: Any, request: dict[str, Any]) -> dict[str, Any]:
    try:
        texts, _ = render(
            conversations=request["conversations"],
            chat_template=request["template"],
            add_generation_prompt=True,
            **request["special"],
        )
        length = max(map(len, texts))
        if length > request["most"]:
            return {"refused": f"writes {length} characters, more than {request['most']}"}
        return {"texts": texts}
    except MemoryError:
        return {"refused": f"asks for more than {MOST_MEMORY // 10**6} MB of memory"}
    except Exception as error:
        return {"refused": f"cannot be used: {error}"}


def _limit_memory() -> None:
    try:
        import resource
        from pathlib import Path

        pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[0])
        size = pages * resource.getpagesize() + MOST_MEMORY
        resource.setrlimit(resource.RLIMIT_AS, (size, size))
    except (ImportError, OSError, ValueError):
        return  # not on Linux: what it asks for it can have, for as long as it may take


if __name__ == "__main__":
    main()
