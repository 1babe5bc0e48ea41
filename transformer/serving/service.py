"""The server behind the page: one request in, one answer out, many of them at once."""

import asyncio
import base64
import json
import logging
from collections.abc import Awaitable, Callable
from concurrent.futures import Future
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from ..checkpoint import DEFAULT_MODEL
from ..errors import HeadlightError
from ..inside.arithmetic import work_out
from ..inside.keeping import keep
from ..inside.lesson import Lesson
from ..inside.sharpening import learning_told
from ..inside.telling import telling_heads
from ..recording.trace import AttentionTrace
from ..show.bertviz import bertviz_html, bertviz_installed
from ..translator import TraceRequest, Translator
from .batcher import Batcher
from .cache import Cache
from .desk import Desk, left
from .downloads import Downloads
from .lessons import Lessons
from .models import Models, card_text, describe_all, installed
from .noise import Noise
from .requests import (
    BertVizAsked,
    CardAsked,
    DownloadsAsked,
    FileAsked,
    Format,
    HistoryAsked,
    InsideAsked,
    KeepAsked,
    NoiseAsked,
    PageAsked,
    TeachAsked,
    TraceAsked,
    Uploaded,
    WorkedOutAsked,
    read,
    read_trace,
)

CACHE_BYTES = 24_000_000
"""Four hundred traces of ten words, or so."""

STEP_BYTES = 1_000
"""What the candidates of a step take, about."""

LONG_SECONDS = 10
"""Whoever has to wait longer is told so."""

TELL_SECONDS = 3
"""How often."""

KEEP_SECONDS = 30
"""How long a place in the queue is kept for someone who was told it and does not ask again."""
logger = logging.getLogger("headlight")


@dataclass(frozen=True, eq=False)
class Made:
    """A trace, for whatever is asked about it, and what the page gets of it."""

    trace: AttentionTrace
    answer: bytes

    def __len__(self) -> int:
        """Bytes of memory, about."""
        arrays = sum(weights.nbytes for _, weights in self.trace.present())
        return len(self.answer) + arrays + STEP_BYTES * len(self.trace.tgt_in)


class Service:
    """Answers requests. It keeps models and answers in memory, and nothing of who asked."""

    def __init__(self) -> None:
        self.models = Models()
        self._downloads = Downloads(self.models)
        self._traces = Batcher[Translator, TraceAsked, Made](_make)
        self._lessons = Lessons(self._traces)
        self._noise = Noise(self._traces)
        self._cache = Cache[tuple[str, TraceAsked], Made](CACHE_BYTES)
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

    async def made(self, asked: TraceAsked, client: str = "") -> Made:
        """A trace, however long it takes: decoded once, whoever asks about it.

        Raises:
            HeadlightError: no such model, or a source that it cannot translate.
        """
        begun = await self._begin(asked, client)
        try:
            # Others may wait for the same answer: whoever goes away leaves it to them.
            return await asyncio.shield(asyncio.wrap_future(begun))
        finally:
            self._cache.leave(begun)

    async def _begin(self, asked: TraceAsked, client: str) -> "Future[Made]":
        translator = await self._translator(asked.model)
        # A model may be removed, and fetched again in another state.
        key = (translator.checkpoint, asked)
        if asked.taught:
            if (known := self._cache.known(key)) is not None:
                return known  # without a lesson
            translator = await self._lessons.taught(translator, asked.taught, client)
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
            return done.result().answer
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
            case InsideAsked(analysis, about, options):
                ask = partial(analysis.answer, options, cancelled=left)
                trace = (await self.made(about, client)).trace
                translator = await self._translator(about.model, about.taught, client)
                told = await at_desk(lambda: ask(translator, trace))
                return _json({"inside": told})
            case TeachAsked() as asked:
                translator = await self._translator(asked.model)
                return _json({"taught": await self._lessons.told(translator, asked.lesson, client)})
            case NoiseAsked(after):
                return _json({"noise": await self._noise.news(after)})
            case KeepAsked() as asked:
                if not owner:
                    raise HeadlightError(
                        "keeping_refused", "Models are kept by who owns this machine alone."
                    )
                taught = await self._translator(asked.model, asked.lesson, client)
                await at_desk(lambda: keep(taught, asked.lesson, asked.name))
                return _json({"kept": asked.name, "models": await at_desk(describe_all)})
            case PageAsked():
                return _json(await self._page())
            case CardAsked() as asked:
                return _json({"card": await at_desk(lambda: card_text(asked.model))})
            case HistoryAsked() as asked:
                folder = installed(asked.model)
                told = await at_desk(lambda: learning_told(folder, asked.pair))
                return _json({"history": told})
            case DownloadsAsked() as asked:
                if not owner:
                    raise HeadlightError(
                        "downloads_refused", "Models are downloaded by who owns this machine alone."
                    )
                return _json(await asyncio.wrap_future(self._downloads.answer(asked)))
            case FileAsked() as asked:
                trace = await self._trace_of(asked.trace, client)
                return _json({"file": await at_desk(lambda: _file(trace(), asked.format))})
            case BertVizAsked() as asked:
                trace = await self._trace_of(asked.trace, client)
                view, theme = asked.view, asked.theme
                page = await at_desk(lambda: bertviz_html(trace(), view, theme))
                return _json({"bertviz": page})
            case WorkedOutAsked() as a:
                translator = await self._translator(a.model, a.taught, client)
                head = (a.source, a.target, a.kind, a.layer, a.head, a.interventions)
                told = await at_desk(lambda: work_out(translator, *head).payload())
                return _json({"worked_out": told})

    async def _trace_of(
        self, asked: TraceAsked | Uploaded, client: str
    ) -> Callable[[], AttentionTrace]:
        """A trace, to be had at the desk: what was sent may be large, and is read there."""
        if isinstance(asked, Uploaded):
            return partial(read_trace, asked)
        made = await self.made(asked, client)
        return lambda: made.trace

    async def _translator(
        self, model: str, taught: Lesson | None = None, client: str = ""
    ) -> Translator:
        # Others may wait for it, too: whoever goes away leaves it to them.
        loaded = await asyncio.shield(asyncio.wrap_future(self.models.load(model)))
        return await self._lessons.taught(loaded, taught, client) if taught else loaded

    async def _page(self) -> dict[str, Any]:
        """The models, and a trace of an example: what the viewer shows before anyone types."""
        has = await asyncio.to_thread(_has)
        models: list[dict[str, Any]] = has["models"]
        if not models:
            return {**has, "model": "", "error": {"code": "no_models", "details": {}}}
        model = next((model for model in models if model["name"] == DEFAULT_MODEL), models[0])
        source, name = next(iter(model["examples"]), ""), model["name"]
        first = await _safely(self._first(TraceAsked(name, TraceRequest(source))))
        return {**has, "model": name, **json.loads(first)}

    async def _first(self, asked: TraceAsked) -> bytes:
        return (await self.made(asked)).answer


async def _safely(answering: Awaitable[bytes]) -> bytes:
    """The answer; or for whatever goes wrong, its code."""
    try:
        return await answering
    except HeadlightError as error:
        return _json({"error": {"code": error.code, "details": error.details}})
    except Exception:
        logger.exception("a request failed")
        return _json({"error": {"code": "server_error", "details": {}}})


def _make(translator: Translator, asked: list[TraceAsked]) -> list[Made | Exception]:
    made = translator.traces([each.request for each in asked])
    return [each if isinstance(each, HeadlightError) else _made(each) for each in made]


def _made(trace: AttentionTrace) -> Made:
    """A trace that names a telling head of each kind: its own, where its checkpoint names none."""
    if any(kind not in trace.heads for kind, _ in trace.present()):
        trace = replace(trace, heads={**telling_heads(trace), **trace.heads})
    return Made(trace, _json({"trace": trace.to_dict("float16")}))


def _file(trace: AttentionTrace, suffix: Format) -> str:
    """What `AttentionTrace.save` writes, as base64."""
    with TemporaryDirectory() as folder:
        path = Path(folder, f"trace.{suffix}")
        trace.save(path)
        return base64.b64encode(path.read_bytes()).decode()


def _has() -> dict[str, Any]:
    """The models, and the page's tabs that cannot be filled here; reads files."""
    return {"models": describe_all(), "lacking": [] if bertviz_installed() else ["bertviz"]}


def _json(value: dict[str, Any]) -> bytes:
    return json.dumps(value, separators=(",", ":")).encode()
