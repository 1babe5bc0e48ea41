"""How the page asks an analysis: by name, with the options that it declares; JSON comes back.

`@analysis(…)` above a function of this room is all that the page needs to ask it.
"""

import math
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass, fields
from inspect import signature
from typing import Any, ClassVar, TypeVar, cast

import numpy as np
import numpy.typing as npt

from ..errors import HeadlightError
from ..model.layers import DecoderLayer, EncoderLayer
from ..recording.hooks import attached
from ..trace.packing import finite, pack
from ..trace.trace import AttentionTrace
from ..translator import Translator
from .observed import Observed
from .options import Option, bad_request
from .trainable import differentiable


@dataclass(frozen=True, kw_only=True, eq=False)
class Result:
    """What an analysis found: a record of its numbers."""

    packed_as: ClassVar[str] = "float32"
    """How matrices travel; where it is empty, as nested lists, which a person can read."""

    def payload(self) -> dict[str, Any]:
        """The record as JSON values, without the trace, which who asks has.

        Arrays of two axes or more are packed (shape, dtype, base64); others are lists. JSON has
        neither NaN nor infinity: outside of packed arrays these are None.
        """
        values = {field.name: getattr(self, field.name) for field in fields(self)}
        return {
            name: self._told(value)
            for name, value in values.items()
            if not isinstance(value, AttentionTrace | Observed)
        }

    def _told(self, value: object) -> Any:
        match value:
            case Result():
                return value.payload()
            case np.ndarray():
                return self._numbers(value)
            case float():
                return value if math.isfinite(value) else None
            case None | str() | int():
                return value
            case Mapping():
                told = cast(Mapping[str, object], value)
                return {name: self._told(each) for name, each in told.items()}
            case tuple():
                return [self._told(each) for each in cast(tuple[object, ...], value)]
            case frozenset():
                return sorted(cast(frozenset[Any], value))
            case _:
                return str(value)

    def _numbers(self, array: npt.NDArray[Any]) -> Any:
        if not np.issubdtype(array.dtype, np.floating):
            return array.tolist()
        return pack(array, self.packed_as) if self.packed_as and array.ndim > 1 else finite(array)


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
                "too_dear",
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
