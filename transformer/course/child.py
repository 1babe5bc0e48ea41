"""The process in which students' code runs: whatever it does, who asked is unharmed.

It is asked in lines of JSON and answers in lines of JSON, over the pipes that were its standard
input and output. What a student prints goes to its standard error; who reads input finds none.
"""

import json
import os
import sys
import threading
import time
import warnings
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path
from typing import Any, TextIO

import torch

from .exercises import EXERCISES
from .exercises.exercise import Remark
from .own_model import graduate
from .own_training import learn
from .process import PATIENCE
from .student_code import explain, inside, load, where

end_now = os._exit

Task = Callable[[Path, Mapping[str, Any], Callable[[object], None]], object]
"""A function of a folder, of what is asked, and of where to tell how far it is."""


def serve() -> None:
    """Answers until nobody asks any more."""
    requests, replies = _take_pipes()
    torch.set_num_threads(1)
    warnings.simplefilter("ignore")
    os._exit = sys.exit
    tell = _teller(replies)
    tell({"ready": True})
    for line in requests:
        _answer(json.loads(line), tell)


def _take_pipes() -> tuple[TextIO, TextIO]:
    requests = os.fdopen(os.dup(0), "r", encoding="utf-8")
    replies = os.fdopen(os.dup(1), "w", encoding="utf-8")
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.dup2(2, 1)
    return requests, replies


def _open_streams() -> None:
    """Anew for each task: `exit()`, for one, closes the standard input before it raises."""
    sys.stdin = os.fdopen(0, encoding="utf-8", closefd=False)
    sys.stdout = os.fdopen(1, "w", 1, encoding="utf-8", closefd=False)
    sys.stderr = os.fdopen(2, "w", 1, encoding="utf-8", closefd=False)


def _teller(replies: TextIO) -> Callable[[object], None]:
    def tell(value: object) -> None:
        replies.write(json.dumps(value, default=str) + "\n")
        replies.flush()

    return tell


def _answer(request: Mapping[str, Any], tell: Callable[[object], None]) -> None:
    """One task, within its time; after that the process ends, whatever a student's code does."""
    folder, name, limit = Path(request["folder"]).resolve(), request["name"], request["limit"]
    if name == "training":
        # PyTorch imports much for the first optimizer: seconds that are not the student's.
        torch.optim.SGD([torch.zeros(1, requires_grad=True)], lr=1)
    main, lock, over = threading.get_ident(), threading.Lock(), threading.Event()
    busy, since = time.process_time(), time.monotonic()

    def watch() -> None:
        # Its own seconds count, so that a busy machine does not; but who sleeps has none.
        while time.process_time() - busy < limit and time.monotonic() - since < PATIENCE * limit:
            if over.wait(0.05):
                return
        with lock:
            if over.is_set():
                return
            frame = sys._current_frames().get(main)  # pyright: ignore[reportPrivateUsage]
            place = where(frame, folder)
            values = {"file": f"{name}.py", "limit": f"{limit:g}", **place}
            remark = Remark("too_long" if place else "too_long_somewhere", values)
            tell({"remarks": [asdict(remark)], "over": True})
            end_now(0)

    threading.Thread(target=watch, daemon=True).start()
    remarks: list[Remark] = []
    result: object = None
    _open_streams()
    try:
        with inside(folder):
            if request["task"] == "judge":
                remarks.extend(_judge(name, folder))  # those before an error, too
            else:
                result = TASKS[request["task"]](folder, request, lambda it: tell({"far": it}))
    except BaseException as error:  # a student's code may raise anything, and end anything
        remarks.append(explain(error, name, folder))
    for stream in (sys.stdout, sys.stderr):
        with suppress(Exception):
            stream.flush()
    with lock:
        over.set()
        with suppress(OSError):
            os.write(2, request["mark"].encode())
        tell({"remarks": [asdict(remark) for remark in remarks], "result": result})


def _judge(name: str, folder: Path) -> Iterator[Remark]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield from EXERCISES[name].judge(load(folder, name))


TASKS: dict[str, Task] = {"graduate": graduate, "learn": learn}
