"""Requests of the page: what each holds, who answers it, and how strangers' values are read."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, cast, get_args

from ...ask.analysis import COMPUTED, MACHINE, By
from ...ask.options import (
    INTERVENTIONS,
    Many,
    OneOf,
    Option,
    Perhaps,
    Sent,
    Text,
    WholeNumber,
    bad_request,
)
from ...errors import HeadlightError
from ...show.bertviz import Theme, View
from ...teach.correction import Correction
from ...trace.kinds import KINDS
from ...trace.sampling import Sampling
from ...trace.trace import AttentionTrace
from ...training.toys import TOY_NAMES
from ...translator import TraceRequest

MAX_CHARACTERS = 2_000
"""More than any model here reads; the model's own limit, in tokens, is checked by the model."""

MAX_OF_GUEST = 20_000
"""Characters of a guest's text: a thousand tokens of English prose have 4,600."""

MAX_PREFIX = 2_000
"""Tokens; more than any model here writes."""

MAX_TRACE = 16_000_000
"""Characters of a trace's JSON: twelve layers of twelve heads, 96 tokens long."""

Wish = Literal["offers", "progress", "cancel", "look_up", "start", "remove"]
"""What an owner asks of downloads."""

MAX_NAME = 60
"""Characters of a checkpoint's name."""

MAX_HEADS = 300
"""Heads of one request: those of a layer, and some."""


@dataclass(frozen=True)
class Source:
    """A text to read, not so long that even counting its tokens would be a burden."""

    most: int = MAX_CHARACTERS

    def read(self, name: str, value: object) -> str:
        """The text."""
        source = Text().read(name, value)
        if len(source) > self.most:
            raise HeadlightError(
                "too_many_characters",
                f"The sentence has {len(source)} characters; the limit is {self.most}.",
                length=len(source),
                limit=self.most,
            )
        return source

    def declared(self) -> dict[str, Any]:
        """As `Option.declared`."""
        return {"type": "source", "most": self.most}


@dataclass(frozen=True)
class Drawn:
    """The sampling of a request; None is greedy decoding."""

    def read(self, name: str, value: object) -> Sampling | None:
        """The temperature, the top_k, the seed and, where it is not 1, the top_p."""
        match value:
            case None:
                return None
            case {"temperature": float() | int() as t, "top_k": int(k), "seed": int(seed)}:
                fields = cast(dict[str, object], value)
                top_p = fields.get("top_p", 1.0)
                expected = fields.keys() <= {"temperature", "top_k", "seed", "top_p"}
                if expected and isinstance(top_p, float | int):
                    if bool not in map(type, (t, k, seed, top_p)):
                        return Sampling(t, k, seed, top_p)
            case _:
                pass
        raise bad_request(f"{name} has a temperature, a top_k, a seed and a top_p.")

    def declared(self) -> dict[str, Any]:
        """As `Option.declared`."""
        return {"type": "sampling"}


@dataclass(frozen=True)
class Whole:
    """A trace that somebody has, and sends."""

    most: int = MAX_TRACE

    def read(self, name: str, value: object) -> AttentionTrace:
        """The trace; whoever sends none, or one larger than any that the page could show, is
        refused.
        """
        try:
            if not isinstance(value, dict) or len(json.dumps(value)) > self.most:
                raise ValueError(f"a trace is an object of at most {self.most} characters")
            return AttentionTrace.from_dict(cast(dict[str, Any], value))
        except (ValueError, RecursionError) as error:
            raise bad_request(f"{name} is no trace: {error}") from error

    def declared(self) -> dict[str, Any]:
        """As `Option.declared`."""
        return {"type": "trace", "most": self.most}


CORRECTION: Mapping[str, Option[Any]] = {
    "target": Source(),
    "source": Perhaps(Source()),
    "how": Perhaps(Text(most=30)),
}


@dataclass(frozen=True)
class Fields:
    """A part with fields of its own, not yet read; None if there is none.

    Attributes:
        type: its name.
        fields: what it may hold.
    """

    type: str
    fields: Mapping[str, Option[Any]]

    def read(self, name: str, value: object) -> Sent | None:
        """The fields."""
        match value:
            case None:
                return None
            case dict() as sent if sent.keys() <= self.fields.keys():  # pyright: ignore[reportUnknownVariableType]
                return Sent(cast(Mapping[str, object], sent), self.fields)
            case _:
                raise bad_request(f"{name} may hold {', '.join(self.fields)}, and nothing else.")

    def declared(self) -> dict[str, Any]:
        """As `Option.declared`."""
        fields = {name: option.declared() for name, option in self.fields.items()}
        return {"type": self.type, "fields": fields}


TAUGHT = Fields("correction", CORRECTION)
"""What a model is taught before; a correction without a source is about the question's own."""

OF_GUESTS = Fields(
    "guest",
    {
        "hidden": Many(WholeNumber(), most=MAX_PREFIX),
        "target_language": Perhaps(Text(most=MAX_NAME)),
        "chat": Perhaps(OneOf((True,))),
        "second": Perhaps(Source(MAX_OF_GUEST)),
    },
)
"""What guests alone are asked: tokens of the source to mask, counted from 0; the tokenizer's token
of a language; whether the source is a user's turn; a second text, which is read with it."""


@dataclass(frozen=True)
class Request:
    """A kind of request.

    Attributes:
        fields: what it holds.
        by: who answers it.
        repeatable: whether a page that got no answer may send it again.
        owner: whether the owner of the machine alone may send it.
        analysis: whether it holds an analysis' options, too, under "options".
    """

    fields: Mapping[str, Option[Any]] = field(default_factory=dict[str, Option[Any]])
    by: tuple[By, ...] = MACHINE
    repeatable: bool = True
    owner: bool = False
    analysis: bool = False


MODEL: Mapping[str, Option[Any]] = {"model": Text()}
SAME: Mapping[str, Option[Any]] = {**MODEL, "source": Source(), "taught": TAUGHT}
TRACE: Mapping[str, Option[Any]] = {
    **SAME,
    "prefix": Many(WholeNumber(), most=MAX_PREFIX),
    "interventions": INTERVENTIONS,
    "sampling": Drawn(),
    "guest": OF_GUESTS,
}
HEAD: Mapping[str, Option[Any]] = {
    **SAME,
    "target": Many(WholeNumber(), least=1, most=MAX_PREFIX),
    "kind": OneOf(KINDS),
    "layer": WholeNumber(),
    "head": WholeNumber(),
    "interventions": INTERVENTIONS,
}
HEADS = Many(Text(most=MAX_NAME), most=MAX_HEADS)
"""Heads of a large trace, by kind and name: "cross.L2H4", "decoder_self.L3.mean"."""

LAYERS = Perhaps(Many(WholeNumber(), most=MAX_HEADS))
"""Layers that a file holds where it cannot hold all."""

WRITTEN: tuple[By, ...] = ("server", "advance")

REQUESTS: Mapping[str, Request] = {
    "page": Request(by=WRITTEN),
    "card": Request(MODEL, WRITTEN),
    "history": Request({**MODEL, "pair": WholeNumber()}, WRITTEN),
    "ready": Request(MODEL, ("engine",)),
    "trace": Request({**TRACE, "heads": HEADS}, (*COMPUTED, "advance")),
    "weights": Request({**TRACE, "heads": HEADS}),
    "inside": Request({**TRACE, "name": Text()}, (*COMPUTED, "advance"), analysis=True),
    "worked_out": Request(HEAD, COMPUTED),
    "teach": Request(SAME),
    "keep": Request({**SAME, "name": Text(most=MAX_NAME)}, repeatable=False, owner=True),
    "noise": Request({"after": WholeNumber(most=1_000), "toy": Perhaps(OneOf(TOY_NAMES))}),
    "downloads": Request({**MODEL, "wish": OneOf(get_args(Wish))}, repeatable=False, owner=True),
    "file": Request(
        {**TRACE, "format": OneOf(("html", "npz")), "layers": LAYERS, "trace": Whole()}
    ),
    "bertviz": Request(
        {
            **TRACE,
            "view": OneOf(get_args(View)),
            "theme": OneOf(get_args(Theme)),
            "trace": Whole(),
        }
    ),
}
"""By what the page asks."""


def fields_of_guest(ask: str) -> Mapping[str, Option[Any]]:
    """What a request holds that names a guest, whose texts may be longer than those of our own."""
    return {**REQUESTS[ask].fields, "source": Source(MAX_OF_GUEST)}


@dataclass(frozen=True)
class TraceAsked:
    """A translation and its attention.

    Attributes:
        model: the name of a model, installed or not.
        request: what to translate, or to continue, and how; whether the model can is open.
        taught: what the model is taught before; None if nothing.
    """

    model: str
    request: TraceRequest
    taught: Correction | None = None


def read_trace_asked(sent: Sent) -> TraceAsked:
    """What a trace is made of; whether the model can make it is open.

    Raises:
        HeadlightError: a part has another form, or is too long.
    """
    prefix, changes, sampling = sent("prefix"), sent("interventions"), sent("sampling")
    if sent("guest") is not None:
        raise bad_request(
            "Our own models know neither hidden tokens, nor languages, chats or pairs."
        )
    request = TraceRequest(sent("source"), prefix, changes, sampling)
    return TraceAsked(sent("model"), request, read_taught(sent))


def read_taught(sent: Sent) -> Correction | None:
    """A correction. Without a source it is about the question's own; without `how`, it is ten
    steps of SGD.

    Raises:
        HeadlightError: it is of another form, too long, or out of bounds.
    """
    correction: Sent | None = sent("taught")
    if correction is None:
        return None
    source: str = sent("source") if correction.get("source") is None else correction("source")
    how: str | None = correction("how")
    return Correction.of(source, correction("target"), how or "")


def read_correction(sent: Sent) -> Correction:
    """A correction where there must be one."""
    if (correction := read_taught(sent)) is None:
        raise bad_request("There is no correction without a target.")
    return correction
