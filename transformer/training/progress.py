"""The line that tells how far a run is."""

import sys
import time
from collections.abc import Callable
from typing import Any

from tqdm import tqdm

SECONDS = 30
"""Seconds between two lines in a pipe, where each one stays."""


class ProgressLine:
    """A bar that is drawn over and over on a screen; in a pipe, a whole line now and then.

    Args:
        steps: of the whole run.
        done: of them, before this one goes on.
        file: by default, standard error.
        clock: in seconds.
    """

    def __init__(
        self,
        steps: int,
        done: int,
        file: Any = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._file: Any = file or sys.stderr
        self._steps, self._step, self._first = steps, done, done
        self._clock = clock
        self._began = self._reported = clock()
        on_screen = self._file.isatty()
        self._bar = (
            tqdm(total=steps, initial=done, unit="step", file=self._file, mininterval=0.2)
            if on_screen
            else None
        )

    def advance(self, how: str) -> None:
        """Tells that one step more is done, and how it went."""
        self._step += 1
        if self._bar is not None:
            self._bar.set_postfix_str(how, refresh=False)
            self._bar.update()
        elif (now := self._clock()) - self._reported >= SECONDS:
            self._reported = now
            seconds = (now - self._began) / (self._step - self._first)
            left = duration((self._steps - self._step) * seconds)
            self._file.write(f"step {self._step:,} of {self._steps:,}, {how}, {left} to go\n")
            self._file.flush()

    def close(self) -> None:
        """Leaves the bar as it is."""
        if self._bar is not None:
            self._bar.close()


def say(text: str) -> None:
    """Writes to standard output; a bar on the screen makes room."""
    if sys.stderr.isatty():
        tqdm.write(text)
    else:
        # tqdm would write its bar anew after each line.
        sys.stdout.write(f"{text}\n")
        sys.stdout.flush()


def duration(seconds: float) -> str:
    """A time as people say it."""
    minutes = seconds / 60
    if minutes < 1.5:
        return "less than a minute" if minutes < 1 else "a minute"
    return f"{minutes:.0f} minutes" if minutes < 90 else f"{minutes / 60:.1f} hours"
