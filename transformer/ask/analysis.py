"""How the page asks an analysis: by name, with the options that it declares; JSON comes back.

`@analysis(…)` above a function of this room is all that the page needs to ask it.
"""

from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass
from inspect import signature
from typing import Any, TypeVar

from ..errors import HeadlightError
from ..model.layers import DecoderLayer, EncoderLayer
from ..recording.hooks import attached
from ..trace.result import Result
from ..trace.trace import AttentionTrace
from ..translator import Translator
from .options import Option, bad_request
from .trainable import differentiable

Passes = Callable[[AttentionTrace], int]
"""How many passes over a trace's tokens an analysis takes at most, about."""

MOST = 30_000
"""Passes times tokens: some seconds of one core, for a model as small as those that come along."""


def once(_: AttentionTrace) -> int:
    """A few passes, however long the trace is."""
    return 1


@dataclass(frozen=True)
class Analysis:
    """A function that the page may ask.

    Attributes:
        function: of any of `translator` and `trace`, which the server gives it by these names, and
            of its options.
        options: what whoever asks may choose, by name.
        passes: what it costs.
    """

    function: Callable[..., Result]
    options: Mapping[str, Option[object]]
    passes: Passes = once

    def read(self, sent: Mapping[str, object]) -> dict[str, object]:
        """The options, as a stranger sent them.

        Raises:
            HeadlightError: one is not declared, or is another than was declared.
        """
        if unknown := sent.keys() - self.options.keys():
            raise bad_request(f"There is no option {min(unknown)[:80]!r}.")
        return {name: option.read(name, sent.get(name)) for name, option in self.options.items()}

    def answer(
        self,
        options: Mapping[str, object],
        translator: Translator,
        trace: AttentionTrace,
        cancelled: Callable[[], bool] = lambda: False,
    ) -> dict[str, Any]:
        """What the function says, as JSON values.

        Args:
            options: as `read` returns them.
            translator: whose model made the trace.
            trace: what is asked about.
            cancelled: asked after each layer of each pass; once it says yes, no more is computed.
        Raises:
            HeadlightError: it was cancelled, or would take too long.
        """
        tokens = len(trace.src) + len(trace.tgt_in)
        if tokens * self.passes(trace) > MOST:
            raise HeadlightError(
                "too_expensive",
                f"{tokens} tokens are too many for this: it would take {self.passes(trace)} passes "
                "over them",
                tokens=tokens,
                passes=self.passes(trace),
            )
        given: dict[str, object] = {"translator": translator, "trace": trace}
        names = signature(self.function).parameters
        taken = {name: value for name, value in given.items() if name in names}
        with _stoppable(translator, cancelled):
            return self.function(**taken, **options).payload()


def _stoppable(
    translator: Translator, cancelled: Callable[[], bool]
) -> AbstractContextManager[None]:
    def look(*_: object) -> None:
        if cancelled():
            raise HeadlightError("cancelled", "This was cancelled before it was done.")

    layers = (EncoderLayer, DecoderLayer)
    models = {translator.model, differentiable(translator).model}
    every = (module for model in models for module in model.modules())
    modules = (module for module in every if isinstance(module, layers))
    return attached((module, look) for module in modules)


ANALYSES: dict[str, Analysis] = {}
"""By the names that the page asks for: those of the functions."""

Function = TypeVar("Function", bound=Callable[..., Result])


def analysis(passes: Passes = once, /, **options: Option[object]) -> Callable[[Function], Function]:
    """Lets the page ask a function, which stays what it is.

    Args:
        passes: what it costs.
        options: those of its parameters that whoever asks may choose.
    """

    def declare(function: Function) -> Function:
        ANALYSES[function.__name__] = Analysis(function, options, passes)
        return function

    return declare
