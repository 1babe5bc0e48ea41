"""The engine in a Node.js process, asked as the page asks."""

import json
import subprocess
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tests.node import node

SCRIPT = Path(__file__).with_name("answering.js")


class Engine:
    """Answers requests, one after the other."""

    def __init__(self, process: "subprocess.Popen[str]") -> None:
        self._process = process

    def ask(self, request: object) -> dict[str, Any]:
        """The answer to one request."""
        assert self._process.stdin
        assert self._process.stdout
        self._process.stdin.write(json.dumps(request) + "\n")
        self._process.stdin.flush()
        answer = json.loads(self._process.stdout.readline())
        assert "thrown" not in answer, answer["thrown"]
        return answer


@contextmanager
def running(
    checkpoints: Mapping[str, tuple[Path, str]], *, compiled: bool = True
) -> Iterator[Engine]:
    """An engine while the block runs.

    Args:
        checkpoints: by name, the folder and the hash of its files.
        compiled: whether it has WebAssembly.
    """
    values = {name: {"folder": str(f), "hash": own} for name, (f, own) in checkpoints.items()}
    process = subprocess.Popen(
        [node(), SCRIPT, json.dumps(values), *([] if compiled else ["plain"])],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        encoding="utf-8",
    )
    with process:
        try:
            yield Engine(process)
        finally:
            process.kill()
