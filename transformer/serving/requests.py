"""Reading what strangers send: anything at all goes in, a request of a known form comes out."""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal, cast, get_args

from ..inside import ANALYSES
from ..inside.analysis import Analysis
from ..inside.lesson import Lesson
from ..inside.options import INTERVENTIONS, Many, OneOf, Sent, Text, WholeNumber, bad_request
from ..recording.kinds import KINDS, Kind
from ..recording.trace import AttentionTrace
from ..show.bertviz import Theme, View
from .question import MAX_PREFIX, TraceAsked, read_source, read_taught, read_trace_asked

MAX_TRACE = 16_000_000
"""Characters of a trace's JSON: twelve layers of twelve heads, 96 tokens long."""

Format = Literal["html", "npz"]
Wish = Literal["offers", "progress", "cancel", "look_up", "start", "remove"]

MOST_NAME = 60
"""Characters of a checkpoint's."""

FORMATS: OneOf[Format] = OneOf(get_args(Format))
WISHES: OneOf[Wish] = OneOf(get_args(Wish))
VIEWS: OneOf[View] = OneOf(get_args(View))
THEMES: OneOf[Theme] = OneOf(get_args(Theme))


@dataclass(frozen=True)
class PageAsked:
    """What the viewer shows before anyone types."""


@dataclass(frozen=True)
class InsideAsked:
    """An analysis of a trace.

    Attributes:
        analysis: which.
        trace: what is analysed.
        options: of the analysis.
    """

    analysis: Analysis
    trace: TraceAsked
    options: Mapping[str, object]


@dataclass(frozen=True)
class TeachAsked:
    """A lesson, told moment by moment."""

    model: str
    lesson: Lesson


@dataclass(frozen=True)
class KeepAsked:
    """What the owner of the machine wants kept of a lesson: a checkpoint.

    Attributes:
        name: of the checkpoint.
    """

    model: str
    lesson: Lesson
    name: str


@dataclass(frozen=True)
class NoiseAsked:
    """How the toy learns that begins at noise.

    Attributes:
        after: how many of its moments are known already.
    """

    after: int


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
class Uploaded:
    """A trace as it was sent, which nobody has looked at: the server need not know its model."""

    sent: object


@dataclass(frozen=True)
class FileAsked:
    """A trace as a file."""

    format: Format
    trace: TraceAsked | Uploaded


@dataclass(frozen=True)
class BertVizAsked:
    """BertViz's view of a trace."""

    view: View
    theme: Theme
    trace: TraceAsked | Uploaded


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
    taught: Lesson | None = None


@dataclass(frozen=True)
class DownloadsAsked:
    """What the owner of the machine wants to know of downloads, or wants done.

    Attributes:
        wish: what.
        model: on the hub; to remove, the name of an installed one.
    """

    wish: Wish
    model: str = ""


Asked = (
    PageAsked
    | CardAsked
    | TraceAsked
    | InsideAsked
    | TeachAsked
    | KeepAsked
    | NoiseAsked
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
    values = cast(dict[str, object], request) if isinstance(request, dict) else {}
    form = FORMS.get(ask) if isinstance(ask := values.get("ask"), str) else None
    if form is None:
        raise bad_request("No such request is known here.")
    return form(Sent(values))


def _read_inside(sent: Sent) -> InsideAsked:
    analysis = ANALYSES.get(sent("name", Text()))
    options = sent.get("options")
    if analysis is None or not isinstance(options, dict | None):
        raise bad_request("No such analysis is known here.")
    chosen = analysis.read(cast(dict[str, object], options or {}))
    return InsideAsked(analysis, read_trace_asked(sent), chosen)


def _read_lesson(sent: Sent) -> Lesson:
    if (lesson := read_taught(sent)) is None:
        raise bad_request("There is no lesson without a target.")
    return lesson


def _read_downloads(sent: Sent) -> DownloadsAsked:
    wish = sent("wish", WISHES)
    named = wish in ("look_up", "start", "remove")
    return DownloadsAsked(wish, sent("model", Text()) if named else "")


def _read_worked_out(sent: Sent) -> WorkedOutAsked:
    return WorkedOutAsked(
        model=sent("model", Text()),
        source=read_source(sent),
        target=sent("target", Many(WholeNumber(), least=1, most=MAX_PREFIX)),
        kind=sent("kind", OneOf(KINDS)),
        layer=sent("layer", WholeNumber()),
        head=sent("head", WholeNumber()),
        interventions=sent("interventions", INTERVENTIONS),
        taught=read_taught(sent),
    )


def _read_named(sent: Sent) -> TraceAsked | Uploaded:
    """A trace by what it is made of, or itself."""
    return Uploaded(sent.get("trace")) if "trace" in sent.values else read_trace_asked(sent)


FORMS: dict[str, Callable[[Sent], Asked]] = {
    "page": lambda _: PageAsked(),
    "card": lambda sent: CardAsked(sent("model", Text())),
    "history": lambda sent: HistoryAsked(sent("model", Text()), sent("pair", WholeNumber())),
    "trace": read_trace_asked,
    "inside": _read_inside,
    "teach": lambda sent: TeachAsked(sent("model", Text()), _read_lesson(sent)),
    "keep": lambda sent: KeepAsked(
        sent("model", Text()), _read_lesson(sent), sent("name", Text(most=MOST_NAME))
    ),
    "noise": lambda sent: NoiseAsked(sent("after", WholeNumber(most=1_000))),
    "downloads": _read_downloads,
    "file": lambda sent: FileAsked(sent("format", FORMATS), _read_named(sent)),
    "bertviz": lambda sent: BertVizAsked(
        sent("view", VIEWS), sent("theme", THEMES), _read_named(sent)
    ),
    "worked_out": _read_worked_out,
}


def read_trace(uploaded: Uploaded) -> AttentionTrace:
    """A trace that somebody has, and sends.

    Raises:
        HeadlightError: it is none, or larger than any that the page could show.
    """
    value = uploaded.sent
    try:
        if not isinstance(value, dict) or len(json.dumps(value)) > MAX_TRACE:
            raise ValueError(f"a trace is an object of at most {MAX_TRACE} characters")
        return AttentionTrace.from_dict(cast(dict[str, Any], value))
    except (ValueError, RecursionError) as error:
        raise bad_request(f"This is no trace: {error}") from error
