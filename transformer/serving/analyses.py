"""The analyses that the page can ask for, one line each: a trace in, JSON out."""

from collections.abc import Callable
from functools import lru_cache
from typing import Any, cast

from ..errors import HeadlightError
from ..inside import anatomy, costs, effect, flow, statistics, sweep
from ..inside.shipped import shipped_statistics
from ..recording.kinds import KINDS
from ..recording.trace import AttentionTrace
from ..translator import TraceRequest, Translator
from . import readings
from .desk import left
from .options import Options
from .requests import InsideAsked, read_interventions

Analysis = Callable[[Translator, AttentionTrace, Options], dict[str, Any]]

ANALYSES: dict[str, Analysis] = {
    "anatomy": lambda translator, _trace, _options: anatomy(translator),
    "costs": lambda translator, _trace, _options: costs(translator),
    "flow": lambda translator, trace, options: flow(
        translator, trace, str(options.get("block"))
    ).to_dict(),
    "effect": lambda translator, trace, options: effect(
        translator, trace, read_interventions(options.get("interventions"))
    ).to_dict(),
    "heads": lambda translator, trace, _: {
        "sentence": statistics(trace).to_dict(),
        "corpus": (shipped := shipped_statistics(translator)) and shipped.to_dict(),
    },
    "sweep": lambda translator, trace, options: sweep(
        translator, trace, left, [kind for kind in KINDS if kind in _kinds(options)]
    ).to_dict(),
    "words": readings.words,
    "leave_one_out": readings.leave_one_out,
    "contributions": readings.contributions,
    "value_norms": readings.value_norms,
    "value_zeroing": readings.value_zeroing,
    "why": readings.why,
    "lens": readings.lens,
    "decoder_lens": readings.decoder_lens,
    "residual": readings.residual,
    "rollout": readings.rollout,
}

TRACES = 16
"""So many traces are kept: who asks one thing of a trace asks the next."""


def _kinds(options: Options) -> list[object]:
    """The kinds of attention that are asked about; all, if none is named."""
    kinds = options.get("kinds", [*KINDS])
    if not isinstance(kinds, list):
        raise HeadlightError("bad_request", "The kinds of an analysis are a list.")
    return cast(list[object], kinds)


@lru_cache(TRACES)
def _traced(translator: Translator, request: TraceRequest) -> AttentionTrace:
    r = request
    return translator.trace(r.source, r.prefix, r.interventions, sampling=r.sampling)


def inside(asked: InsideAsked, translator: Translator) -> dict[str, Any]:
    """What an analysis says of a trace.

    Raises:
        HeadlightError: no analysis has this name, or the trace or an option is none.
    """
    analysis = ANALYSES.get(asked.name)
    if analysis is None:
        raise HeadlightError("bad_request", "No such analysis is known here.")
    return analysis(translator, _traced(translator, asked.trace.request), asked.options)
