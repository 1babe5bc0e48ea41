"""The server behind the page: one request in, one answer out, many of them at once.

Each kind of request is a method, which reads what it was sent before it does anything.
"""

import asyncio
import json
import logging
from collections.abc import Awaitable, Callable, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from functools import partial
from typing import Any, NamedTuple, TypeVar, cast

from ..ask.options import Sent, bad_request
from ..checkpoint import DEFAULT_MODEL
from ..errors import HeadlightError
from ..inside import ANALYSES
from ..inside.arithmetic import work_out
from ..show.bertviz import bertviz_html
from ..teach.keeping import keep
from ..trace.trace import AttentionTrace
from ..training.sharpening import moments_of
from ..training.toys import TOY_NAMES
from ..translator import TraceRequest
from .downloads import Downloads
from .guests.guests import Guests
from .models import SHOWN, at_hand, card_text, cards_in_short, describe_all, installed
from .noise import Noise
from .ready import Ready
from .sharing.client import NOBODY, Client
from .sharing.desk import Desk, left
from .sharing.kept import Kept
from .sharing.waiting import awaited
from .traces import Traces
from .wire.answers import Question, as_json, file_of, question
from .wire.requests import REQUESTS, TraceAsked, read_correction, read_taught, read_trace_asked

ANSWERS_BYTES = 24_000_000
"""Bytes of analyses: some hundreds of ten words."""

Result = TypeVar("Result")
logger = logging.getLogger("headlight")


class Asker(NamedTuple):
    """The client of a request, and whether it may change what is installed."""

    client: Client
    owner: bool


class Service:
    """Answers requests. It keeps models and answers in memory, and nothing of who asked.

    Attributes:
        traces: what it asks for them: whoever has a service may ask there, too.
        guests: models of Hugging Face's that were named.
        lacking: what cannot be had of it, beside what its packages do not bring: "guests".
        chosen: the model that the page opens with; empty: the one that came along.
    """

    def __init__(self) -> None:
        self.traces = Traces()
        self.guests = Guests()
        self.lacking: tuple[str, ...] = ()
        self.chosen = ""
        self._corrections = self.traces.corrections
        self._downloads = Downloads(self.traces.models, self.guests)
        self._noise = {toy: Noise(self.traces.run, toy=toy) for toy in TOY_NAMES}
        self._desk = Desk()
        self._looking = ThreadPoolExecutor(1, thread_name_prefix="page")
        self._looked_up: Future[dict[str, Any]] | None = None
        self._answers = Kept[Question, bytes](ANSWERS_BYTES)
        self._forms: Mapping[str, Callable[[Sent, Asker], Awaitable[bytes]]] = {
            "page": self._page,
            "card": self._card,
            "history": self._history,
            "trace": self._trace,
            "weights": self._weights,
            "inside": self._inside,
            "worked_out": self._worked_out,
            "teach": self._teach,
            "keep": self._keep,
            "noise": self._watch_noise,
            "downloads": self._download,
            "file": self._file,
            "bertviz": self._bertviz,
        }

    async def answer(self, request: object, client: Client = NOBODY, owner: bool = False) -> bytes:
        """Answers one of the viewer's requests, as JSON: what was asked for, or an error's code.

        Args:
            request: what a stranger sent, parsed from JSON; nothing about it is certain.
            client: who asks, so that nobody keeps all others waiting.
            owner: whether who asks may change what is installed.
        Returns:
            Also {"waiting": {"ahead", "seconds"}} instead of a trace that takes long: whoever asks
            for it again does not lose the place in the queue.
        """
        return await _safely(self._answer(request, Asker(client, owner)))

    async def at_desk(self, work: Callable[[], Result], client: Client = NOBODY) -> Result:
        """What some work returns, done when it is the client's turn, beside the traces."""
        return await self._desk.run(work, client)

    def warm_up(self) -> None:
        """Answers what every visitor asks first, so that the first one does not wait for it."""
        asyncio.run(self.answer({"ask": "page"}))

    def close(self) -> None:
        """Ends once what is being computed is done; what is being fetched stays as it is."""
        self._downloads.close()
        self.guests.close()
        self.traces.close()

    async def _answer(self, request: object, asker: Asker) -> bytes:
        values = cast(dict[str, object], request) if isinstance(request, dict) else {}
        ask = values.get("ask")
        if not isinstance(ask, str) or ask not in self._forms:
            raise bad_request("No such request is known here.")
        model = values.get("model")
        if isinstance(model, str) and model in self.guests and ask != "downloads":
            return await self.guests.answer(model, values, asker.client)
        return await self._forms[ask](Sent(values, REQUESTS[ask].fields), asker)

    async def _at_desk(self, work: Callable[[], Result], asker: Asker) -> Result:
        return await self.at_desk(work, asker.client)

    async def _page(self, _: Sent, __: Asker) -> bytes:
        """The models, and a trace of an example: what the viewer shows before anyone types."""
        # Whoever asks while it is looked up waits for the same: nobody can keep others waiting.
        if self._looked_up is None or self._looked_up.done():
            self._looked_up = self._looking.submit(at_hand)
        has = await awaited(self._looked_up)
        models: list[dict[str, Any]] = self._with_guests(has["models"])
        has = {**has, "models": models, "lacking": [*has["lacking"], *self.lacking]}
        if self.chosen in self.guests:  # which may first have to be loaded
            return as_json({**has, "model": self.chosen})
        if not models:
            return as_json({**has, "model": "", "error": {"code": "no_models", "details": {}}})
        wished = self.chosen or DEFAULT_MODEL
        model = next((model for model in models if model["name"] == wished), models[0])
        source, name = next(iter(model["examples"]), ""), model["name"]
        first = await _safely(self._first(TraceAsked(name, TraceRequest(source))))
        return as_json({**has, "model": name, **json.loads(first)})

    def _with_guests(self, models: list[dict[str, Any]]) -> list[dict[str, Any]]:
        """The models for the page's picker, guests first."""
        every = [*(SHOWN | it for it in self.guests.described()), *models]
        return [it | {"chosen": True} if it["name"] == self.chosen else it for it in every]

    async def _first(self, asked: TraceAsked) -> bytes:
        return (await self.traces.answer(asked)).answer

    async def _card(self, sent: Sent, asker: Asker) -> bytes:
        """What a model's makers say of it."""
        model = sent("model")
        card = await self._at_desk(lambda: card_text(model), asker)
        in_short = await self._at_desk(lambda: cards_in_short(model), asker)
        return as_json({"card": card, **({"in_short": in_short} if in_short else {})})

    async def _history(self, sent: Sent, asker: Asker) -> bytes:
        """The film of a training, on one of the sentence pairs of its history."""
        model, pair = sent("model"), sent("pair")
        folder = installed(model)
        return as_json({"history": await self._at_desk(lambda: moments_of(folder, pair), asker)})

    async def _trace(self, sent: Sent, asker: Asker) -> bytes:
        """A translation and its attention."""
        return await self.traces.trace_or_waiting(read_trace_asked(sent), asker.client)

    async def _weights(self, _: Sent, __: Asker) -> bytes:
        """Heads of a large trace, which guests alone have."""
        raise bad_request("The traces of our own models travel whole.")

    async def _inside(self, sent: Sent, asker: Asker) -> bytes:
        """An analysis of a trace."""
        analysis, options = ANALYSES.get(sent("name")), sent.get("options")
        if analysis is None or not isinstance(options, dict | None):
            raise bad_request("No such analysis is known here.")
        chosen = analysis.read(cast(dict[str, object], options or {}))
        about = read_trace_asked(sent)
        ask = partial(analysis.answer, chosen, cancelled=left)

        async def work() -> dict[str, Any]:
            trace = (await self.traces.answer(about, asker.client)).trace
            model = await self.traces.ready(about.model, about.taught, asker.client)
            return {"inside": await self._at_desk(lambda: ask(model.translator(), trace), asker)}

        return await self._once(sent, about.model, work)

    async def _worked_out(self, sent: Sent, asker: Asker) -> bytes:
        """The arithmetic behind one head's weights; layer and head count from 0."""
        model = sent("model")
        head = (
            sent("source"),
            sent("target"),
            sent("kind"),
            sent("layer"),
            sent("head"),
            sent("interventions"),
        )
        taught = read_taught(sent)

        def numbers(ready: Ready) -> dict[str, Any]:
            return work_out(ready.translator(), *head).payload()

        async def work() -> dict[str, Any]:
            ready = await self.traces.ready(model, taught, asker.client)
            return {"worked_out": await self._at_desk(lambda: numbers(ready), asker)}

        return await self._once(sent, model, work)

    async def _once(
        self, sent: Sent, model: str, work: Callable[[], Awaitable[dict[str, Any]]]
    ) -> bytes:
        """An answer that is kept for whoever asks the same, so that a model that was taught is not
        put together for it.
        """
        key = question((await self.traces.loaded(model)).checkpoint, sent)
        if (answer := self._answers.get(key)) is None:
            answer = as_json(await work())
            self._answers.put(key, answer)
        return answer

    async def _teach(self, sent: Sent, asker: Asker) -> bytes:
        """The run of a correction, moment by moment."""
        correction, loaded = read_correction(sent), await self.traces.loaded(sent("model"))
        return await self._corrections.payload(loaded, correction, asker.client)

    async def _keep(self, sent: Sent, asker: Asker) -> bytes:
        """What the owner of the machine wants kept of a correction: a checkpoint."""
        model, correction = sent("model"), read_correction(sent)
        name = sent("name")
        if not asker.owner:
            raise HeadlightError(
                "keeping_refused", "Models are kept by who owns this machine alone."
            )
        taught = await self.traces.ready(model, correction, asker.client)
        await self._at_desk(lambda: keep(taught.translator(), correction, name), asker)
        return as_json(
            {"kept": name, "models": self._with_guests(await self._at_desk(describe_all, asker))}
        )

    async def _watch_noise(self, sent: Sent, asker: Asker) -> bytes:
        """The moments of a toy's training from noise, after so many."""
        after = sent("after")
        noise = self._noise[sent("toy") or "reverse"]
        if await noise.come(after):
            return as_json({"noise": await self._at_desk(lambda: noise.payload(after), asker)})
        # A class that has seen them all asks in one moment: threads would take as long again.
        return as_json({"noise": noise.payload(after)})

    async def _download(self, sent: Sent, asker: Asker) -> bytes:
        """What the owner of the machine wants to know of downloads, or wants done."""
        wish = sent("wish")
        named = wish in ("look_up", "start", "remove")
        model = sent("model") if named else ""
        if not asker.owner:
            raise HeadlightError(
                "downloads_refused", "Models are downloaded by who owns this machine alone."
            )
        state = await asyncio.wrap_future(self._downloads.answer(wish, model))
        if "models" in state:
            state = {**state, "models": self._with_guests(state["models"])}
        return as_json(state)

    async def _file(self, sent: Sent, asker: Asker) -> bytes:
        """A trace as a file."""
        suffix, trace = sent("format"), await self._named(sent, asker)
        return as_json({"file": await self._at_desk(lambda: file_of(trace(), suffix), asker)})

    async def _bertviz(self, sent: Sent, asker: Asker) -> bytes:
        """BertViz's view of a trace."""
        view, theme = sent("view"), sent("theme")
        trace = await self._named(sent, asker)
        page = await self._at_desk(lambda: bertviz_html(trace(), view, theme), asker)
        return as_json({"bertviz": page})

    async def _named(self, sent: Sent, asker: Asker) -> Callable[[], AttentionTrace]:
        """A trace by what it is made of, or itself, to be had at the desk: it may be large."""
        if "trace" in sent.values:
            return partial(sent, "trace")
        named = await self.traces.answer(read_trace_asked(sent), asker.client)
        return lambda: named.trace


async def _safely(answering: Awaitable[bytes]) -> bytes:
    """The answer; or for whatever goes wrong, its code."""
    try:
        return await answering
    except HeadlightError as error:
        return as_json({"error": {"code": error.code, "details": error.details}})
    except Exception:
        logger.exception("a request failed")
        return as_json({"error": {"code": "server_error", "details": {}}})
