"""Traces for whoever asks: each is decoded once, many are at a time, and they are kept a while."""

from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import dataclass
from typing import TypeVar

from ..errors import HeadlightError
from ..teach.correction import Correction
from ..trace.trace import AttentionTrace
from ..translator import Translator
from .corrections import Corrections
from .models import Models
from .ready import Ready
from .sharing.batcher import Batcher
from .sharing.cache import Cache
from .sharing.client import NOBODY, Client
from .sharing.freeing import Freed
from .sharing.waiting import awaited, result_or_waiting
from .wire.answers import as_json
from .wire.requests import TraceAsked

Own = TypeVar("Own")

CACHE_BYTES = 24_000_000
"""Four hundred traces of ten words, or so."""

STEP_BYTES = 1_000
"""What the candidates of a step take, about."""

LONG_SECONDS = 10
"""Seconds of waiting beyond which a client is told its place."""

KEEP_SECONDS = 30
"""Seconds that a place in the queue is kept for a client that was told it and polls no more."""


@dataclass(frozen=True, eq=False)
class TraceAnswer:
    """A trace, for whatever is asked about it, and what the page gets of it."""

    trace: AttentionTrace
    answer: bytes

    def __len__(self) -> int:
        """Bytes of memory, about."""
        arrays = sum(weights.nbytes for _, weights in self.trace.present())
        return len(self.answer) + arrays + STEP_BYTES * len(self.trace.tgt_in)


class Traces:
    """Models in memory, what they were taught, and what they have said.

    Attributes:
        models: those in memory.
        corrections: what they were taught.
    """

    def __init__(self) -> None:
        self.models = Models()
        self._freed = Freed()
        self._batcher = Batcher[Ready, TraceAsked, TraceAnswer](self._make)
        self.corrections = Corrections(self._batcher.run)
        self._cache = Cache[tuple[str, TraceAsked], TraceAnswer](CACHE_BYTES)

    async def answer(self, asked: TraceAsked, client: Client = NOBODY) -> TraceAnswer:
        """A trace, however long it takes: decoded once, whoever asks about it.

        Raises:
            HeadlightError: no such model, or a source that it cannot translate.
        """
        begun = await self._begin(asked, client)
        try:
            # Others may wait for the same answer: whoever goes away leaves it to them.
            return await awaited(begun)
        finally:
            self._cache.leave(begun)

    async def trace_or_waiting(self, asked: TraceAsked, client: Client) -> bytes:
        """What the page gets of a trace; or, if that takes long, who is ahead: {"waiting": …}."""
        begun = await self._begin(asked, client)

        def waiting() -> dict[str, int] | None:
            ahead, seconds = self._batcher.place(begun)
            return {"ahead": ahead, "seconds": round(seconds)} if seconds > LONG_SECONDS else None

        outcome = await result_or_waiting(begun, waiting, self._cache.leave, KEEP_SECONDS)
        return outcome if isinstance(outcome, bytes) else outcome.answer

    async def loaded(self, model: str) -> Translator:
        """A model of this name, as it is.

        Raises:
            HeadlightError: no such model.
        """
        # Others may wait for it, too: whoever goes away leaves it to them.
        return await awaited(self.models.load(model))

    async def ready(
        self, model: str, taught: Correction | None = None, client: Client = NOBODY
    ) -> Ready:
        """A model of this name, after a correction if there is one.

        Raises:
            HeadlightError: no such model, or it cannot have the correction.
        """
        loaded = await self.loaded(model)
        return await self.corrections.taught(loaded, taught, client) if taught else Ready(loaded)

    def run(self, work: Callable[[], Own], client: Client = NOBODY) -> "Future[Own]":
        """Work other than a trace, done alone in its turn among the traces, on their thread."""
        return self._batcher.run(work, client)

    def close(self) -> None:
        """Ends once what is being computed is done."""
        self._batcher.close()

    async def _begin(self, asked: TraceAsked, client: Client) -> "Future[TraceAnswer]":
        loaded = await self.loaded(asked.model)
        # A model may be removed, and fetched again in another state.
        key = (loaded.checkpoint, asked)
        # What is known needs no correction.
        if asked.taught and (begun := self._cache.find(key)) is not None:
            return begun
        ready, size = await self.ready(asked.model, asked.taught, client), _size(loaded, asked)
        return self._cache.get(key, lambda: self._batcher.submit(ready, asked, client, size))

    def _make(self, ready: Ready, asked: list[TraceAsked]) -> list[TraceAnswer | Exception]:
        traces = ready.translator().traces([each.request for each in asked])
        answers: list[TraceAnswer | Exception] = [
            each
            if isinstance(each, HeadlightError)
            else TraceAnswer(each, as_json({"trace": each.to_dict("float16")}))
            for each in traces
        ]
        self._freed.add(sum(len(each) for each in answers if isinstance(each, TraceAnswer)))
        return answers


def _size(translator: Translator, asked: TraceAsked) -> int:
    """Tokens that are given; how many are said nobody knows yet."""
    return len(translator.tokenizer.encode(asked.request.source)) + len(asked.request.prefix)
