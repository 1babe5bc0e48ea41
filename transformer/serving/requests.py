"""Reading what strangers send: anything at all goes in, a request of a known form comes out."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal, cast

from ..decoding import Sampling
from ..errors import HeadlightError
from ..recording.kinds import Kind
from ..recording.trace import AttentionTrace
from ..translator import TraceRequest

MAX_CHARACTERS = 2_000
"""More than any model here reads; the model's own limit, in tokens, is checked by the model."""

MAX_TRACE = 16_000_000
"""Characters of a trace's JSON: twelve layers of twelve heads, 96 tokens long."""

MAX_PREFIX = 2_000
"""Tokens; more than any model here writes."""

MAX_INTERVENTIONS = 500
"""Every head of twelve layers of twelve, of all three kinds, and some."""


@dataclass(frozen=True)
class PageAsked:
    """What the viewer shows before anyone types."""


@dataclass(frozen=True)
class TraceAsked:
    """A translation and its attention.

    Attributes:
        model: the name of a model, installed or not.
        request: what to translate, or to continue, and how; whether the model can is open.
    """

    model: str
    request: TraceRequest


@dataclass(frozen=True)
class InsideAsked:
    """An analysis of a trace.

    Attributes:
        name: of one of `ANALYSES`.
        trace: what is analysed.
        options: of the analysis, as they were sent.
    """

    name: str
    trace: TraceAsked
    options: Mapping[str, object]


@dataclass(frozen=True)
class CardAsked:
    """What a model's makers say of it."""

    model: str


@dataclass(frozen=True)
class HistoryAsked:
    """How a model's attention came to be, on one of the sentence pairs of its training's history.

    Attributes:
        pair: which, from 0.
    """

    model: str
    pair: int


@dataclass(frozen=True)
class FileAsked:
    """A trace as a file; `trace` is as it was sent."""

    format: Literal["html", "npz"]
    trace: object


@dataclass(frozen=True)
class BertVizAsked:
    """BertViz's view of a trace; `trace` is as it was sent."""

    view: Literal["head", "model"]
    theme: Literal["light", "dark"]
    trace: object


@dataclass(frozen=True)
class WorkedOutAsked:
    """The arithmetic behind one head's weights; layer and head count from 0."""

    model: str
    source: str
    target: tuple[int, ...]
    kind: Kind
    layer: int
    head: int
    interventions: tuple[str, ...]


@dataclass(frozen=True)
class DownloadsAsked:
    """What the owner of the machine wants to know of downloads, or wants done.

    Attributes:
        wish: what.
        model: on the hub; to remove, the name of an installed one.
    """

    wish: Literal["offers", "progress", "cancel", "look_up", "start", "remove"]
    model: str = ""


Asked = (
    PageAsked
    | CardAsked
    | TraceAsked
    | InsideAsked
    | DownloadsAsked
    | HistoryAsked
    | FileAsked
    | BertVizAsked
    | WorkedOutAsked
)


def read(request: object) -> Asked:
    """One of the viewer's requests, cheaply: what may be large in it is not looked at yet.

    Raises:
        HeadlightError: it has no known form, or is longer than anyone would make it.
    """
    match cast(dict[str, Any], request):
        case {"ask": "page"}:
            return PageAsked()
        case {"ask": "card", "model": str(model)}:
            return CardAsked(model)
        case {"ask": "history", "model": str(model), "pair": int(pair)}:
            return HistoryAsked(model, pair)
        case {"ask": "trace", "source": str(source), "model": str(model)} as asked:
            return read_trace_asked(source, model, *_parts(asked))
        case {"ask": "inside", "name": str(name), "source": str(source), "model": str(model)} as a:
            options = a.get("options")
            if not isinstance(options, dict | None):
                raise HeadlightError("bad_request", "An analysis' options are an object.")
            trace = read_trace_asked(source, model, *_parts(a))
            return InsideAsked(name, trace, cast(dict[str, object], options or {}))
        case {"ask": "downloads", "wish": "offers" | "progress" | "cancel" as wish}:
            return DownloadsAsked(wish)
        case {
            "ask": "downloads",
            "wish": "look_up" | "start" | "remove" as wish,
            "model": str(model),
        }:
            return DownloadsAsked(wish, model)
        case {"ask": "file", "format": "html" | "npz" as suffix, "trace": sent}:
            return FileAsked(suffix, sent)
        case {
            "ask": "bertviz",
            "view": "head" | "model" as view,
            "theme": "light" | "dark" as theme,
            "trace": sent,
        }:
            return BertVizAsked(view, theme, sent)
        case {
            "ask": "worked_out",
            "model": str(model),
            "source": str(source),
            "target": target,
            "kind": "encoder_self" | "decoder_self" | "cross" as kind,
            "layer": int(layer),
            "head": int(head),
        } as asked if target:
            check_characters(source)
            changes = read_interventions(asked.get("interventions"))
            return WorkedOutAsked(model, source, read_prefix(target), kind, layer, head, changes)
        case _:
            raise HeadlightError("bad_request", "No such request is known here.")


def _parts(asked: Mapping[str, object]) -> Iterator[object]:
    return (asked.get(part) for part in ("prefix", "sampling", "interventions"))


def read_trace_asked(
    source: str,
    model: str,
    prefix: object = None,
    sampling: object = None,
    interventions: object = None,
) -> TraceAsked:
    """What a trace is made of; nothing is certain of what a stranger sent but the two texts.

    Raises:
        HeadlightError: a part has another form, or is too long.
    """
    check_characters(source)
    parts = (read_prefix(prefix), read_interventions(interventions), read_sampling(sampling))
    return TraceAsked(model, TraceRequest(source, *parts))


def check_characters(source: str) -> None:
    """Refuses a text so long that even counting its tokens would be a burden.

    Raises:
        HeadlightError: the text is that long.
    """
    if len(source) > MAX_CHARACTERS:
        raise HeadlightError(
            "too_many_characters",
            f"The sentence has {len(source)} characters; the limit is {MAX_CHARACTERS}.",
            length=len(source),
            limit=MAX_CHARACTERS,
        )


def read_prefix(value: object) -> tuple[int, ...]:
    """Token ids, as a stranger sent them; whether they fit the model is for the model to say.

    Raises:
        HeadlightError: they are no list of ids, or one longer than any model's target.
    """
    match value:
        case None:
            return ()
        case list() if len(ids := cast(list[object], value)) <= MAX_PREFIX and all(
            type(i) is int and 0 <= i < 2**31 for i in ids
        ):
            return tuple(cast(list[int], ids))
        case _:
            raise HeadlightError("bad_request", "A prefix is a list of token ids.")


def read_sampling(value: object) -> Sampling | None:
    """How to draw, as a stranger asked for it; None is greedy decoding.

    Raises:
        HeadlightError: it is of another form, or a number is out of range.
    """
    match value:
        case None:
            return None
        case {"temperature": float() | int() as t, "top_k": int(k), "seed": int(seed)} if len(
            cast(dict[str, object], value)
        ) == 3 and bool not in map(type, (t, k, seed)):
            return Sampling(t, k, seed)
        case _:
            raise HeadlightError("bad_request", "Sampling has a temperature, a top_k and a seed.")


def read_interventions(value: object) -> tuple[str, ...]:
    """Interventions in text form, as a stranger sent them; the model says whether they fit it.

    Raises:
        HeadlightError: they are no list of texts, or a list longer than anyone would make.
    """
    match value:
        case None:
            return ()
        case list() if len(texts := cast(list[object], value)) <= MAX_INTERVENTIONS and all(
            isinstance(text, str) for text in texts
        ):
            return tuple(cast(list[str], texts))
        case _:
            raise HeadlightError("bad_request", "Interventions are a list of texts.")


def read_trace(value: object) -> AttentionTrace:
    """A trace that the page was given, and sends back.

    Raises:
        HeadlightError: it is none, or larger than any that the page could show.
    """
    try:
        if not isinstance(value, dict) or len(json.dumps(value)) > MAX_TRACE:
            raise ValueError(f"a trace is an object of at most {MAX_TRACE} characters")
        return AttentionTrace.from_dict(cast(dict[str, Any], value))
    except (ValueError, RecursionError) as error:
        raise HeadlightError("bad_request", f"This is no trace: {error}") from error
