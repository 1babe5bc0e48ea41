"""What guests answer, in the process where they compute: a request of the page's in, JSON out."""

import gc
from collections import OrderedDict
from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass
from inspect import signature
from typing import Any, cast

from ... import inside
from ...ask.cost import passes
from ...ask.options import Sent, bad_request
from ...checkpoint.hub.progress import Progress
from ...errors import HeadlightError
from ...guests.hugging_face.guest import HuggingFaceModel
from ...guests.hugging_face.loading import load
from ...inside import ANALYSES
from ...recording.hooks import attached
from ...show.bertviz import bertviz_html
from ...trace.guest import Form
from ...trace.trace import AttentionTrace
from ..sharing.freeing import give_back
from ..sharing.kept import Kept
from ..wire.answers import as_json, file_of, question
from ..wire.requests import TRACE, fields_of_guest
from .answered import Answered
from .card import Card, card_of
from .files import check_fits, files_of
from .kept_trace import KeptTrace
from .large import in_layers, large, room, size_of

MOST_MODELS = 2
"""In memory."""

MOST_STEPS: dict[Form, int] = {"decoder": 32, "encoder-decoder": 64, "encoder": 1}
"""Tokens that are written: what a page can show of a text that need not end."""

TRACES_BYTES = 128_000_000
"""Bytes of traces that were asked for lately, and may be asked about; a larger one is alone."""

MOST_HTML = 20_000_000
"""Bytes of weights in parts in a page in one file; of more, it holds the chosen layers."""

MOST_BERTVIZ = 4_000_000
"""Bytes of weights in BertViz's view, which writes each as ten letters."""

MOST_WORK = 3e12
"""Parameters times tokens times passes: a minute or two of a core."""


@dataclass(frozen=True)
class _Guest:
    """A model in memory, and what its card says."""

    model: HuggingFaceModel
    card: Card


class GuestAnswers:
    """The guests in memory, and what is asked of them, one thing after the other.

    Args:
        tell: how far an answer is: "fetching", of how many bytes how many; "loading", "computing".
        left: whether nobody waits for the answer any more.
    """

    def __init__(self, tell: Callable[..., None], left: Callable[[], bool]) -> None:
        self._tell = tell
        self._left = left
        self._guests: OrderedDict[str, _Guest] = OrderedDict()
        self._traces = Kept[tuple[str, bytes], KeptTrace](TRACES_BYTES, alone=True)
        self._forms: dict[str, Callable[[_Guest, Sent], dict[str, Any]]] = {
            "card": lambda guest, _: {"guest": guest.card.payload()},
            "inside": self._inside,
            "file": self._file,
            "bertviz": self._bertviz,
        }

    def answer(self, request: dict[str, Any]) -> Answered:
        """One of the viewer's requests, answered.

        Args:
            request: {"name", "place", "dtype", "values", "most_whole"}: what the model is called,
                where it lies, what it computes in, what a stranger sent, of which nothing is
                certain, and of how many bytes a trace travels whole.
        Raises:
            HeadlightError: why there is no answer.
        """
        values = cast(dict[str, object], request["values"])
        ask = str(values.get("ask"))
        if ask not in self._forms and ask != "trace":
            raise ours_alone()
        name, place = str(request["name"]), str(request["place"])
        try:
            guest = self._ready(name, place, str(request.get("dtype", "auto")))
            self._tell("computing")
            with self._stoppable(guest.model):
                sent = Sent(values, fields_of_guest(ask))
                if ask == "trace":
                    return self._trace(guest, sent, request["most_whole"])
                return Answered(as_json(self._forms[ask](guest, sent)))
        except HeadlightError as error:
            sentence = str(error).replace(place, name)
            details = error.details | ({"model": name} if "model" in error.details else {})
            # A guest's own sentences name what nobody knows in the page's other languages.
            if error.code == "guest":
                details = {"sentence": sentence}
            raise HeadlightError(error.code, sentence, **details) from error

    def _ready(self, name: str, place: str, dtype: str) -> _Guest:
        if name in self._guests:
            self._guests.move_to_end(name)
            return self._guests[name]
        files = files_of(place, Progress(self._fetching), dtype)
        while len(self._guests) >= MOST_MODELS:
            self._let_go()
        try:
            check_fits(name, files, dtype)
        except HeadlightError:
            if not self._guests:
                raise
            while self._guests:
                self._let_go()
            check_fits(name, files, dtype)
        self._tell("loading")
        model = load(files.folder, dtype=dtype)
        # Nobody else is to know where it lies.
        model.name = model.texts.name = name
        self._guests[name] = guest = _Guest(model, card_of(model, files))
        return guest

    def _fetching(self, progress: Progress) -> None:
        self._tell(progress.stage, received=progress.received, total=progress.total)
        if self._left():
            progress.cancel()

    def _let_go(self) -> None:
        name, guest = self._guests.popitem(last=False)
        guest.model.close()
        self._traces = Kept[tuple[str, bytes], KeptTrace](TRACES_BYTES, alone=True)
        del name, guest
        gc.collect()
        give_back()

    def _stoppable(self, model: HuggingFaceModel) -> AbstractContextManager[None]:
        """Ends what is computed after the next attention, once nobody waits for it."""

        def look(*_: object) -> None:
            if self._left():
                raise HeadlightError("cancelled", "This was cancelled before it was done.")

        return attached((module, look) for module in model.learnt.layout)

    def _trace_of(self, guest: _Guest, sent: Sent) -> AttentionTrace:
        fields = {name: sent.get(name) for name in TRACE}
        key = question(guest.model.name, Sent(fields, {}))
        if (kept := self._traces.get(key)) is not None:
            return kept.trace()
        trace = _traced(guest.model, sent)
        self._traces.put(key, KeptTrace(trace))
        return trace

    def _trace(self, guest: _Guest, sent: Sent, most_whole: int) -> Answered:
        trace, card = self._trace_of(guest, sent), {"guest": guest.card.payload()}
        if size_of(trace) > most_whole:
            return large(trace, card)
        return Answered(as_json({"trace": trace.to_dict("uint16"), **card}))

    def _inside(self, guest: _Guest, sent: Sent) -> dict[str, Any]:
        analysis, options = ANALYSES.get(sent("name")), sent.get("options")
        if analysis is None or not isinstance(options, dict | None):
            raise bad_request("No such analysis is known here.")
        name = analysis.function.__name__
        if name in guest.card.lacks:
            raise ours_alone()
        chosen = analysis.read(cast(dict[str, object], options or {}))
        trace = self._trace_of(guest, sent)
        if "translator" not in signature(analysis.function).parameters:
            return {"inside": analysis.function(trace=trace, **chosen).payload()}
        needed = passes(analysis.cost, trace)
        tokens = len(trace.src) + len(trace.tgt_in)
        if tokens * needed * guest.card.parameters > MOST_WORK:
            raise HeadlightError(
                "too_expensive",
                f"{tokens} tokens are too many for this: it would take {needed} passes over them",
                tokens=tokens,
                passes=needed,
            )
        function = getattr(inside, name)
        about = (trace,) if "trace" in signature(analysis.function).parameters else ()
        return {"inside": function(guest.model, *about, **chosen).payload()}

    def _file(self, guest: _Guest, sent: Sent) -> dict[str, Any]:
        trace, suffix, chosen = self._trace_of(guest, sent), sent("format"), sent("layers")
        if suffix == "html" and chosen is not None and size_of(trace) > MOST_HTML:
            return {"file": file_of(in_layers(trace, frozenset(chosen)), suffix), "layers": chosen}
        return {"file": file_of(trace, suffix)}

    def _bertviz(self, guest: _Guest, sent: Sent) -> dict[str, Any]:
        view, theme, trace = sent("view"), sent("theme"), self._trace_of(guest, sent)
        if (size := size_of(trace)) > MOST_BERTVIZ:
            raise HeadlightError(
                "bertviz_too_large",
                f"BertViz draws all weights at once, and {size / 1e6:.0f} MB are too many.",
                **room(trace, size, MOST_BERTVIZ),
            )
        return {"bertviz": bertviz_html(trace, view, theme)}


def ours_alone() -> HeadlightError:
    """The refusal of what is asked of our own models."""
    return HeadlightError(
        "ours_alone", "This can be asked of the models that came along, and not of this one."
    )


def _traced(model: HuggingFaceModel, sent: Sent) -> AttentionTrace:
    of_guests: Sent | None = sent("guest")
    hidden = () if of_guests is None else of_guests("hidden")
    language = None if of_guests is None else of_guests("target_language")
    chat = bool(of_guests is not None and of_guests("chat"))
    second: str | None = None if of_guests is None else of_guests("second")
    source: str = sent("source")
    if sent.get("taught") is not None:
        raise ours_alone()
    return model.trace(
        source if second is None else (source, second),
        prefix=sent("prefix"),
        interventions=sent("interventions"),
        max_steps=MOST_STEPS[model.form],
        sampling=sent("sampling"),
        hidden=hidden,
        target_language=language,
        chat=chat,
    )
