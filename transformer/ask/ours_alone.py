"""Questions that only our own models answer, and the sentence for whoever asks another."""

from collections.abc import Callable
from functools import wraps
from typing import Any, TypeVar, cast

from ..errors import GuestError
from ..translator import Translator
from .needs import Need, check_needs

Function = TypeVar("Function", bound=Callable[..., Any])


def ours_alone(function: Function, why: str, needs: tuple[Need, ...] = ()) -> Function:
    """A function that refuses guests, and models of ours that do not offer what it needs.

    Args:
        function: of a `Translator`, wherever that stands among its arguments.
        why: the end of the sentence that a guest is refused with.
        needs: what a model must offer.
    """

    @wraps(function)
    def ask(*args: Any, **kwargs: Any) -> Any:
        for model in (*args, *kwargs.values()):
            if hasattr(model, "learnt"):
                sentence = f"{function.__name__} cannot be asked of a guest: {why}"
                raise GuestError(sentence, "ours_alone")
            if isinstance(model, Translator):
                check_needs(needs, model)
        return function(*args, **kwargs)

    return cast(Function, ask)
