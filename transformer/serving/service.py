"""The server behind the page: one request in, one answer out, many of them at once."""

import asyncio
import json
import logging
from collections.abc import Awaitable
from concurrent.futures import Future
from dataclasses import replace
from functools import partial
from typing import Any

from ..checkpoint import DEFAULT_MODEL
from ..errors import HeadlightError
from ..inside.telling import telling_heads
from ..recording.trace import AttentionTrace
from ..translator import Translator
from . import analyses, answers, learning
from .batcher import Batcher
from .cache import Cache
from .desk import Desk
from .downloads import Downloads
from .models import Models, card_text, describe_all
from .requests import (
    BertVizAsked,
    CardAsked,
    DownloadsAsked,
    FileAsked,
    HistoryAsked,
    InsideAsked,
    PageAsked,
    TraceAsked,
    WorkedOutAsked,
    read,
    read_trace_asked,
)

CACHE_BYTES = 24_000_000
"""Seven hundred traces of ten words, or so."""

LONG_SECONDS = 10
"""Whoever has to wait longer is told so."""

TELL_SECONDS = 3
"""How often."""

KEEP_SECONDS = 30
"""How long a place in the queue is kept for someone who was told it and does not ask again."""
logger = logging.getLogger("headlight")


class Service:
    """Answers requests. It keeps models and answers in memory, and nothing of who asked."""

    def __init__(self) -> None:
        self.models = Models()
        self._downloads = Downloads(self.models)
        self._traces = Batcher[Translator, TraceAsked, bytes](_trace)
        self._cache = Cache[tuple[str, TraceAsked]](CACHE_BYTES)
        self._desk = Desk()

    async def answer(self, request: object, client: str = "", owner: bool = False) -> bytes:
        """One of the viewer's requests, answered, as JSON: what was asked for, or an error's code.

        Args:
            request: what a stranger sent, parsed from JSON; nothing about it is certain.
            client: who asks, so that nobody keeps all others waiting.
            owner: whether who asks may change what is installed.
        Returns:
            Also {"waiting": {"ahead", "seconds"}} instead of a trace that takes long: whoever asks
            for it again does not lose the place in the queue.
        """
        return await _safely(self._answer(request, client, owner))

    async def trace(self, asked: TraceAsked, client: str = "") -> bytes:
        """{"trace": what the page draws}, as JSON, however long it takes.

        Raises:
            HeadlightError: no such model, or a source that it cannot translate.
        """
        begun = await self._begin(asked, client)
        try:
            # Others may wait for the same answer: whoever goes away leaves it to them.
            return await asyncio.shield(asyncio.wrap_future(begun))
        finally:
            self._cache.leave(begun)

    async def _begin(self, asked: TraceAsked, client: str) -> "Future[bytes]":
        translator = await self._translator(asked.model)
        # A model may be removed, and fetched again in another state.
        key = (translator.checkpoint, asked)
        return self._cache.get(key, lambda: self._traces.submit(translator, asked, client))

    async def _trace_or_place(self, asked: TraceAsked, client: str) -> bytes:
        begun = await self._begin(asked, client)
        told = False
        done = asyncio.shield(asyncio.wrap_future(begun))
        try:
            while not (await asyncio.wait([done], timeout=TELL_SECONDS))[0]:
                ahead, seconds = self._traces.place(begun)
                if told := seconds > LONG_SECONDS:
                    return _json({"waiting": {"ahead": ahead, "seconds": round(seconds)}})
            return done.result()
        finally:
            done.cancel()
            if told:  # has a while to ask again
                asyncio.get_running_loop().call_later(KEEP_SECONDS, self._cache.leave, begun)
            else:
                self._cache.leave(begun)

    def warm_up(self) -> None:
        """Answers what every visitor asks first, so that the first one does not wait for it."""
        asyncio.run(self.answer({"ask": "page"}))

    def close(self) -> None:
        """Ends once what is being computed is done; what is being fetched stays as it is."""
        self._downloads.close()
        self._traces.close()

    async def _answer(self, request: object, client: str, owner: bool) -> bytes:
        at_desk = partial(self._desk.run, client=client)
        match read(request):
            case TraceAsked() as asked:
                return await self._trace_or_place(asked, client)
            case InsideAsked() as asked:
                translator = await self._translator(asked.trace.model)
                return _json({"inside": await at_desk(lambda: analyses.inside(asked, translator))})
            case PageAsked():
                return _json(await self._page())
            case CardAsked() as asked:
                return _json({"card": await at_desk(lambda: card_text(asked.model))})
            case HistoryAsked() as asked:
                return _json(await at_desk(lambda: learning.history(asked)))
            case DownloadsAsked() as asked:
                if not owner:
                    raise HeadlightError(
                        "downloads_refused", "Models are downloaded by who owns this machine alone."
                    )
                return _json(await asyncio.wrap_future(self._downloads.answer(asked)))
            case FileAsked() as asked:
                return _json(await at_desk(lambda: answers.file(asked)))
            case BertVizAsked() as asked:
                return _json(await at_desk(lambda: answers.bertviz(asked)))
            case WorkedOutAsked() as asked:
                translator = await self._translator(asked.model)
                return _json(await at_desk(lambda: answers.worked_out(asked, translator)))

    async def _translator(self, model: str) -> Translator:
        # Others may wait for it, too: whoever goes away leaves it to them.
        return await asyncio.shield(asyncio.wrap_future(self.models.load(model)))

    async def _page(self) -> dict[str, Any]:
        """The models, and a trace of an example: what the viewer shows before anyone types."""
        models = describe_all()
        has = {"models": models, "lacking": answers.lacking()}
        if not models:
            return {**has, "model": "", "error": {"code": "no_models", "details": {}}}
        model = next((model for model in models if model["name"] == DEFAULT_MODEL), models[0])
        source, name = next(iter(model["examples"]), ""), model["name"]
        first = await _safely(self.trace(read_trace_asked(source, name)))
        return {**has, "model": name, **json.loads(first)}


async def _safely(answering: Awaitable[bytes]) -> bytes:
    """The answer; or for whatever goes wrong, its code."""
    try:
        return await answering
    except HeadlightError as error:
        return _json({"error": {"code": error.code, "details": error.details}})
    except Exception:
        logger.exception("a request failed")
        return _json({"error": {"code": "server_error", "details": {}}})


def _trace(translator: Translator, asked: list[TraceAsked]) -> list[bytes | Exception]:
    made = translator.traces([each.request for each in asked])
    return [
        each
        if isinstance(each, HeadlightError)
        else _json({"trace": _told(each).to_dict("float16")})
        for each in made
    ]


def _told(trace: AttentionTrace) -> AttentionTrace:
    """A trace that names its telling heads: its own, if its checkpoint names none."""
    return trace if trace.heads else replace(trace, heads=telling_heads(trace))


def _json(value: dict[str, Any]) -> bytes:
    return json.dumps(value, separators=(",", ":")).encode()
