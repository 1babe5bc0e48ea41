"""How the page asks an analysis: by name, with the options that it declares; JSON comes back.

`@analysis(…)` above a function, in a module that `inside/__init__.py` imports, is all that the page
needs to ask it.
"""

from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass
from inspect import signature
from typing import Any, Literal, TypeVar, get_type_hints

from ..errors import HeadlightError
from ..model.layers import DecoderLayer, EncoderLayer
from ..recording.hooks import attached
from ..trace.result import Result
from ..trace.trace import AttentionTrace
from ..translator import Translator
from .cost import check_cost
from .needs import Need, check_needs
from .options import Option, bad_request
from .ours_alone import ours_alone as refusing_guests
from .trainable import differentiable

By = Literal["server", "engine", "advance"]
"""The answerer: the server; the engine of a page without one; what was made in advance for it."""

COMPUTED: tuple[By, ...] = ("server", "engine")
MACHINE: tuple[By, ...] = ("server",)
SAME_FOR_ALL: tuple[By, ...] = ("server", "engine", "advance")
"""An analysis that says the same of every trace of a model."""


@dataclass(frozen=True)
class Analysis:
    """A function that the page may ask.

    Attributes:
        function: of any of `translator` and `trace`, which the server gives it by these names, and
            of its options.
        options: what whoever asks may choose, by name.
        needs: what a model must offer.
        cost: as `cost.passes` reads it.
        by: who answers.
        ours_alone: why no guest can be asked; empty where guests can be.
    """

    function: Callable[..., Result]
    options: Mapping[str, Option[object]]
    needs: tuple[Need, ...] = ()
    cost: str = "1"
    by: tuple[By, ...] = COMPUTED
    ours_alone: str = ""

    @property
    def answers(self) -> type[Result]:
        """The record that the function returns."""
        return get_type_hints(self.function)["return"]

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
            HeadlightError: the model does not offer what it needs; or it would take too long; or
                it was cancelled.
        """
        check_needs(self.needs, translator)
        check_cost(self.cost, trace)
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
"""Analyses by the names that the page asks for: those of the functions."""

Function = TypeVar("Function", bound=Callable[..., Result])


def analysis(
    *,
    needs: tuple[Need, ...] = (),
    cost: str = "1",
    by: tuple[By, ...] = COMPUTED,
    ours_alone: str = "",
    **options: Option[object],
) -> Callable[[Function], Function]:
    """Lets the page ask a function, which stays what it is but for the guests that it refuses.

    A function of the trace alone can be asked of any guest. One that takes the `translator`, too,
    says why it cannot be (`ours_alone`), or has a function for guests in `inside/any_model.py`.

    Args:
        needs: what a model must offer.
        cost: passes over a trace's tokens at most, about: see `cost.passes`.
        by: who answers.
        ours_alone: why no guest can be asked, as the end of a sentence.
        options: those of its parameters that whoever asks may choose. One that was not sent is read
            as None, which only `Perhaps` and lists allow; the function's own default is for Python.
    """

    def declare(function: Function) -> Function:
        each = Analysis(function, options, needs, cost, by, ours_alone)
        ANALYSES[function.__name__] = each
        return refusing_guests(function, ours_alone, needs) if ours_alone else function

    return declare
