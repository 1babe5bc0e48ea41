"""The toys that learn from noise while people watch: each trained once, the same for all."""

import asyncio
import logging
from collections.abc import Iterator
from concurrent.futures import CancelledError, Future
from itertools import islice
from threading import Lock, Thread
from time import monotonic
from typing import Any

import numpy as np

from ..trace.packing import pack
from ..training.from_noise import Moment, from_noise
from ..training.history import LEVELS
from ..training.toys import TOYS, ToyName
from .sharing.batcher import Run
from .sharing.client import Client

STEPS_A_JOB = 2
"""About 20 ms: so long does a trace wait for it at most."""

ASK_SECONDS = 10
"""Seconds within which a watching page polls again; with no page polling, training pauses."""

REST_SECONDS = 1
"""So long whoever asks waits where nothing will come any more: asked in a loop, it costs as much
as all else that is served."""

NOISE = Client("", "noise")
"""The client of all trainings from noise, which have turns of their own."""

logger = logging.getLogger("headlight")


class Noise:
    """One run, begun by who asks first, and kept.

    Args:
        in_turn: does a few steps in their turn among the traces.
        run: what is run, if not the toy's training.
        toy: which one learns.
    """

    def __init__(
        self,
        in_turn: Run,
        run: Iterator[Moment | None] | None = None,
        toy: ToyName = "reverse",
    ) -> None:
        self._in_turn = in_turn
        self._toy = TOYS[toy]
        self._run = from_noise(toy=self._toy) if run is None else run
        self._moments: list[Moment] = []
        self._lock = Lock()
        self._learning = self._done = False
        self._asked = 0.0
        # Done once there are more moments than so many, or never will be.
        self._coming: dict[int, Future[None]] = {}

    async def come(self, after: int, seconds: float = 5) -> bool:
        """Waits a while for moments that whoever asks has not seen.

        Args:
            after: how many moments are known already.
            seconds: to wait at most.
        Returns:
            Whether there are any.
        """
        self._ask()
        # Neither a thread that waits nor a look now and then, for each of a class that watches.
        if coming := self._more_than(min(after, self._toy.steps)):
            await asyncio.wait([asyncio.wrap_future(coming)], timeout=seconds)
        elif len(self._moments) <= after:
            await asyncio.sleep(min(seconds, REST_SECONDS))
        return len(self._moments) > after

    def payload(self, after: int) -> dict[str, Any]:
        """The moments after so many.

        Returns:
            {"steps": of the whole run, "done": whether it has ended, "pairs": [one, as in a
            history], "moments": [{"step", "loss", "output", "right"}], "weights": {kind: uint8
            [moment, layer, head, query, key]}}. Moments may be none.
        """
        with self._lock:
            done, moments = self._done, self._moments[after:]
        return {
            "done": done,
            "steps": self._toy.steps,
            "pairs": [self._toy.pair()],
            **_columns(moments),
        }

    def _more_than(self, count: int) -> "Future[None] | None":
        """What is done with more moments than so many; None where there are, or never will be."""
        with self._lock:
            if self._done or len(self._moments) > count:
                return None
            return self._coming.setdefault(count, Future())

    def _ask(self) -> None:
        with self._lock:
            self._asked = monotonic()
            if not self._learning and not self._done:
                self._learning = True
                Thread(target=self._learn, name="noise", daemon=True).start()

    def _learn(self) -> None:
        try:
            while monotonic() - self._asked < ASK_SECONDS:
                some = self._in_turn(lambda: list(islice(self._run, STEPS_A_JOB)), NOISE)
                moments = some.result()
                with self._lock:
                    self._moments += [moment for moment in moments if moment]
                    self._done = len(moments) < STEPS_A_JOB
                    there = len(self._moments)
                    due = [count for count in self._coming if self._done or count < there]
                    come = [self._coming.pop(count) for count in due]
                for each in come:
                    each.set_result(None)
                if self._done:
                    return
        except (CancelledError, RuntimeError):
            logger.info("the toy stops learning: the server does")
        finally:
            with self._lock:
                self._learning = False


def _columns(moments: list[Moment]) -> dict[str, Any]:
    kinds = moments[0].weights if moments else ()
    return {
        "moments": [
            {"step": m.step, "loss": m.loss, "output": m.output, "right": m.right} for m in moments
        ],
        "weights": {
            kind: pack(np.rint(np.stack([m.weights[kind] for m in moments]) * LEVELS), "uint8")
            for kind in kinds
        },
    }
