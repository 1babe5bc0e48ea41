"""Models of Hugging Face's beside our own: which were named, and where each answers.

They are answered one at a time, in turns, by a process of their own (process.py): the small
models' batches never wait for one.
"""

import asyncio
import json
from collections.abc import Mapping
from concurrent.futures import Future
from contextlib import suppress
from pathlib import Path
from threading import Event
from typing import Any

from ...ask.options import Sent
from ...checkpoint.importing.as_it_is import fetched
from ...trace.trace import AttentionTrace
from ..sharing.batcher import Batcher
from ..sharing.cache import Cache
from ..sharing.client import Client
from ..sharing.waiting import awaited, result_or_waiting
from ..wire.answers import Question, question, trace_in
from ..wire.requests import fields_of_guest
from .answered import Answered
from .named import Named, config_of, described, form_of, place_of
from .process import GuestProcess

CACHE_BYTES = 384_000_000
"""Bytes of answers, heads of large traces among them: one that is kept waits for no guest."""

MOST_WHOLE = 4_000_000
"""Bytes of weights in parts that travel whole, before they are compressed."""

ONCE = ("file", "bertviz")
"""What nobody asks for twice, and takes too much room to be kept."""

KEEP_SECONDS = 8
"""Seconds that a question is worked on for a client that was told to wait and polls no more."""


class Guests:
    """The guests that were named, and their answers.

    Attributes:
        process: where they compute.
        dtype: what they compute in; "auto": as their weights are stored.
        open: whether whoever owns the machine may add others while the page is served.
        most_whole: bytes of weights that travel whole; of more, heads travel as they are asked for.
    """

    def __init__(self) -> None:
        self.most_whole = MOST_WHOLE
        self._named: dict[str, Named] = {}
        self.process = GuestProcess()
        self.dtype = "auto"
        self.open = False
        self._queue = Batcher[str, None, Answered](lambda _, items: [Answered(b"") for _ in items])
        self._answers = Cache[Question, Answered](CACHE_BYTES)
        self._jobs: dict[Future[Answered], Future[Answered]] = {}

    def __contains__(self, name: object) -> bool:
        """Whether a guest of this name was named."""
        return name in self._named

    def add(self, text: str, taken: frozenset[str] = frozenset()) -> str:
        """Names a guest, and returns what it is called here.

        Args:
            text: a folder, or a name on the Hub.
            taken: names that others have.
        Raises:
            HeadlightError: it is a folder without a model, or nothing at all.
        """
        if download := next((it for it in fetched() if it.origin == text), None):
            self._named[text] = Named(text, str(download.folder), revision=download.revision)
            return text
        place = place_of(text)
        for guest in self.named():
            if guest.place == place:
                return guest.name
        plain = Path(place).name if Path(place).is_absolute() else place
        name, number = plain, 2
        while name in taken or name in self._named:
            name, number = f"{plain}-{number}", number + 1
        self._named[name] = Named(name, place, plain != place)
        return name

    def look_at(self, text: str) -> Named:
        """A folder as it would be named, which it is not yet.

        Raises:
            HeadlightError: it is a folder without a model.
        """
        place = place_of(text)
        return Named(Path(place).name, place, own=True)

    def seems(self, named: Named) -> dict[str, Any]:
        """What a configuration tells of a guest: "family" and "form"."""
        config = config_of(named)
        return {"family": str(config.get("model_type", "")), "form": form_of(config)}

    def named(self) -> list[Named]:
        """The guests, in the order in which they were named."""
        return [*self._named.values()]

    def forget(self, name: str) -> None:
        """Lets go of one; what it has in memory goes with the process."""
        if self._named.pop(name, None) is not None:
            self.process.end()

    def described(self) -> list[dict[str, Any]]:
        """The guests for the page's picker, as far as it is known before they are loaded."""
        return [described(each) for each in self.named()]

    async def answer(self, name: str, values: Mapping[str, object], client: Client) -> bytes:
        """One of the viewer's requests, which names a guest, answered.

        Raises:
            HeadlightError: why there is no answer.
        """
        ask = str(values.get("ask"))
        rest = {key: it for key, it in values.items() if key not in ("ask", "heads")}
        if ask in ("trace", "weights"):
            heads: tuple[str, ...] = Sent(values, fields_of_guest(ask))("heads")
            answer = await self._traced(name, rest, client)
            if isinstance(answer, bytes):
                return answer
            # Compressing a layer takes as long as an answer of the small models.
            if ask == "trace":
                return await asyncio.to_thread(answer.trace, heads)
            return await asyncio.to_thread(answer.weights, heads)
        begun = self._begun(name, ask, rest, client)
        try:
            return (await awaited(begun)).body
        finally:
            self._answers.leave(begun)

    async def traced(
        self, name: str, values: Mapping[str, object], client: Client
    ) -> AttentionTrace:
        """A guest's trace, waited for as long as it takes; `values` as of a request for it.

        Raises:
            HeadlightError: why there is none.
        """
        # As a file its weights are as they were computed; a page is sent them rounded.
        request = {**values, "ask": "file", "format": "npz"}
        answer = json.loads(await self.answer(name, request, client))
        return trace_in(answer["file"])

    async def _traced(
        self, name: str, about: Mapping[str, object], client: Client
    ) -> Answered | bytes:
        begun = self._begun(name, "trace", about, client)
        waiting = lambda: self._waiting(begun)  # noqa: E731
        return await result_or_waiting(begun, waiting, self._answers.leave, KEEP_SECONDS)

    def _begun(
        self, name: str, ask: str, about: Mapping[str, object], client: Client
    ) -> "Future[Answered]":
        values, named = {"ask": ask, **about}, self._named[name]
        if ask in ONCE:
            return self._begin(named, values, client)
        # Another revision may have been fetched under the same name since.
        subject = f"{name} {named.revision} {ask}"
        key = question(subject, Sent(about, fields_of_guest(ask)))
        return self._answers.get(key, lambda: self._begin(named, values, client))

    def close(self) -> None:
        """Ends the process, whatever it does."""
        self.process.close()
        self._queue.close()

    def end(self) -> None:
        """Ends the process, and gives its memory back; the next question starts another."""
        self.process.end()

    def _waiting(self, begun: "Future[Answered]") -> dict[str, Any]:
        ahead, seconds = self._queue.place(self._jobs.get(begun, begun))
        return {
            "ahead": ahead,
            "seconds": round(seconds),
            "stage": self.process.stage,
            **self.process.far,
        }

    def _begin(
        self, named: Named, values: Mapping[str, object], client: Client
    ) -> "Future[Answered]":
        answer: Future[Answered] = Future()
        gone = Event()
        request = {
            "name": named.name,
            "place": named.place,
            "dtype": self.dtype,
            "values": dict(values),
            "most_whole": self.most_whole,
        }
        job = self._queue.run(lambda: self.process.ask(request, gone.is_set), client)
        self._jobs[answer] = job

        def ended(done: "Future[Answered]") -> None:
            self._jobs.pop(done, None)
            if done.cancelled():
                gone.set()
                job.cancel()

        def hand_on(done: "Future[Answered]") -> None:
            with suppress(Exception):  # whoever asked may have left at this moment
                if done.cancelled():
                    answer.cancel()
                elif error := done.exception():
                    answer.set_exception(error)
                else:
                    answer.set_result(done.result())

        answer.add_done_callback(ended)
        job.add_done_callback(hand_on)
        return answer
