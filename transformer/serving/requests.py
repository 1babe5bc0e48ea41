"""What strangers say of traces: what one is made of, the key of every cache; or what one holds."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, cast

from ..ask.options import INTERVENTIONS, Many, Sent, Text, WholeNumber, bad_request
from ..errors import HeadlightError
from ..teach.lesson import Lesson
from ..trace.sampling import Sampling
from ..trace.trace import AttentionTrace
from ..translator import TraceRequest

MAX_CHARACTERS = 2_000
"""More than any model here reads; the model's own limit, in tokens, is checked by the model."""

MAX_PREFIX = 2_000
"""Tokens; more than any model here writes."""

MAX_TRACE = 16_000_000
"""Characters of a trace's JSON: twelve layers of twelve heads, 96 tokens long."""


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
    taught: Lesson | None = None


def read_trace_asked(sent: Sent) -> TraceAsked:
    """What a trace is made of; whether the model can make it is open.

    Raises:
        HeadlightError: a part has another form, or is too long.
    """
    prefix = sent("prefix", Many(WholeNumber(), most=MAX_PREFIX))
    changes, sampling = sent("interventions", INTERVENTIONS), read_sampling(sent.get("sampling"))
    request = TraceRequest(read_source(sent), prefix, changes, sampling)
    return TraceAsked(sent("model", Text()), request, read_taught(sent))


def read_source(sent: Sent, name: str = "source") -> str:
    """Refuses a text so long that even counting its tokens would be a burden."""
    source = sent(name, Text())
    if len(source) > MAX_CHARACTERS:
        raise HeadlightError(
            "too_many_characters",
            f"The sentence has {len(source)} characters; the limit is {MAX_CHARACTERS}.",
            length=len(source),
            limit=MAX_CHARACTERS,
        )
    return source


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
            raise bad_request("Sampling has a temperature, a top_k and a seed.")


def read_taught(sent: Sent) -> Lesson | None:
    """A lesson: `{"target", "source", "how"}`. Without a source it is about the question's own;
    without `how`, it is ten steps of SGD.

    Raises:
        HeadlightError: it is of another form, too long, or out of bounds.
    """
    match sent.get("taught"):
        case None:
            return None
        case dict() as value if value.keys() <= {"target", "source", "how"}:  # pyright: ignore[reportUnknownVariableType]
            lesson = Sent(cast(Mapping[str, object], value))
        case _:
            raise bad_request("A lesson has a target, and perhaps a source and how to learn it.")
    source = read_source(lesson if lesson.get("source") is not None else sent)
    how = lesson("how", Text(most=30)) if lesson.get("how") is not None else ""
    return Lesson.of(source, read_source(lesson, "target"), how)


def read_lesson(sent: Sent) -> Lesson:
    """A lesson where there must be one."""
    if (lesson := read_taught(sent)) is None:
        raise bad_request("There is no lesson without a target.")
    return lesson


def read_trace(value: object) -> AttentionTrace:
    """A trace that somebody has, and sends.

    Raises:
        HeadlightError: it is none, or larger than any that the page could show.
    """
    try:
        if not isinstance(value, dict) or len(json.dumps(value)) > MAX_TRACE:
            raise ValueError(f"a trace is an object of at most {MAX_TRACE} characters")
        return AttentionTrace.from_dict(cast(dict[str, Any], value))
    except (ValueError, RecursionError) as error:
        raise bad_request(f"This is no trace: {error}") from error
