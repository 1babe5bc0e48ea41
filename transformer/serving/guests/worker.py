"""The process in which guests compute, from inside: a line asks, a line and some bytes answer."""

import json
import logging
import os
import signal
import sys
from contextlib import suppress
from functools import partial
from pathlib import Path
from queue import SimpleQueue
from threading import Event, Thread
from typing import IO, Any

from ...errors import HeadlightError

NICE = 10
"""The process's niceness: requests of small models go first."""

QUOTA = Path("/sys/fs/cgroup/cpu.max")
"""A container's quota and period of processor time, microseconds; "max" without a bound."""

logger = logging.getLogger("headlight")


def main() -> None:
    """Answers until nobody asks any more: until standard input ends."""
    answers = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    # What a library prints is no answer.
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # it is for who started this
    if hasattr(os, "nice"):
        with suppress(OSError):
            os.nice(NICE)
    requests: SimpleQueue[dict[str, Any]] = SimpleQueue()
    left = Event()
    Thread(target=_read, args=(requests, left), daemon=True).start()

    import torch

    from .answers import GuestAnswers

    torch.set_num_threads(threads())
    guests = GuestAnswers(partial(_tell, answers), left.is_set)
    while True:
        request = requests.get()
        try:
            answer = guests.answer(request)
            _say(answers, answer.header(), *answer.buffers())
        except HeadlightError as error:
            _say(answers, _refusal(error.code, str(error), error.details))
        except MemoryError:
            _say(answers, _refusal("guest_memory", "There was not enough memory for this."))
        except Exception:
            logger.exception("a guest's request failed")
            _say(answers, _refusal("server_error", "Something went wrong."))


def threads() -> int:
    """The number of threads: one core is left to the page and the small models."""
    its_own = getattr(os, "sched_getaffinity", None)
    cores = (os.cpu_count() or 1) if its_own is None else len(its_own(0))
    with suppress(OSError, ValueError):
        time, period = map(int, QUOTA.read_text(encoding="ascii").split())
        cores = min(cores, time // period)
    return max(1, cores - 1)


def _read(requests: "SimpleQueue[dict[str, Any]]", left: Event) -> None:
    """Hands on what is asked; a thread of its own, since who leaves says so while one computes."""
    for line in sys.stdin.buffer:
        message = json.loads(line)
        if "leave" in message:
            left.set()
        else:
            left.clear()
            requests.put(message["request"])
    os._exit(0)  # whoever started this has gone, whatever is being computed


def _tell(answers: IO[bytes], stage: str, **far: int) -> None:
    _say(answers, {"stage": stage, **far})


def _refusal(
    code: str, message: str, details: dict[str, str | int] | None = None
) -> dict[str, Any]:
    return {"code": code, "message": message, "details": details or {}}


def _say(answers: IO[bytes], head: dict[str, Any], *buffers: Any) -> None:
    answers.write(json.dumps(head).encode() + b"\n")
    for each in buffers:
        answers.write(each)
    answers.flush()
