"""The calls of a guest's modules in one pass: what entered, what left, and what was added."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, cast

import torch
from torch import Tensor, nn

from ..errors import GuestError
from ..recording.hooks import attached

if TYPE_CHECKING:
    from ..guests.hugging_face.guest import HuggingFaceModel

EXACT = {"float32": 1e-5, "float16": 2e-3, "bfloat16": 1.6e-2}
"""How far a sum may be off, as a share of its length, by what the guest computes in."""


class Call(NamedTuple):
    """One module's part in a pass."""

    name: str
    module: nn.Module
    enters: Tensor | None
    leaves: Tensor

    @property
    def entered(self) -> Tensor:
        """The tensor that entered the module, [batch, token, feature].

        Raises:
            HeadlightError: it was called in another way than with a tensor first.
        """
        if self.enters is None:
            raise other("its layers are called in a way that is not known")
        return self.enters


def calls_of(guest: "HuggingFaceModel") -> tuple[list[Call], Tensor | None]:
    """The calls of a pass over a few tokens in the order of their ends, and the pass's logits.

    Logits are [1, token, vocabulary]; None of a model without a head for words.
    """
    from ..guests.hugging_face.calling import call
    from ..guests.hugging_face.learning import probe

    names = {module: name for name, module in guest.model.named_modules()}
    calls: list[Call] = []

    def keep(module: nn.Module, args: tuple[Any, ...], output: Any) -> None:
        first: Any = next((it for it in args if isinstance(it, Tensor)), None)
        several = isinstance(output, tuple | list)
        leaves: Any = next(iter(cast(Sequence[Any], output)), None) if several else output
        if isinstance(leaves, Tensor):
            calls.append(Call(names[module], module, first, leaves.detach()))

    with attached((module, keep) for module in names):
        output = call(guest.model, probe(guest.model))
    return calls, getattr(output, "logits", None)


def is_same(one: Tensor, it: Tensor, exact: float) -> bool:
    """Whether two tensors [..., feature] hold the same vectors, up to a share of their length."""
    return is_alike(one, it) and _length(one.view_as(it) - it) <= exact * _length(it)


def is_added(calls: Sequence[Call], stream: Tensor, after: Tensor, exact: float) -> bool:
    """Whether the output of one of these calls was added to a stream [..., feature].

    It must be larger than what rounding hides.
    """
    least = 10 * exact * _length(after)
    return any(
        is_alike(it.leaves, stream)
        and _length(it.leaves) > least
        and is_same(stream + it.leaves.view_as(stream), after, exact)
        for it in calls
    )


def is_alike(one: Tensor, it: Tensor) -> bool:
    """Whether two tensors [..., feature] have as many vectors, in whatever rows they lie."""
    return one.size(-1) == it.size(-1) and one.numel() == it.numel()


def is_norm(call: Call, stream: Tensor) -> bool:
    """Whether a call is of a norm of the stream [..., feature], rather than of queries, say."""
    name = type(call.module).__name__
    return name.endswith("Norm") and call.enters is not None and is_alike(call.enters, stream)


def kind_of_norm(call: Call) -> str:
    """The kind of a norm: "layer" takes the mean off, "rms" does not."""
    with torch.no_grad():
        shifted = call.module(call.entered + 1)
    return "layer" if torch.allclose(shifted, call.leaves, rtol=1e-2, atol=1e-2) else "rms"


def learnt_in(calls: Sequence[Call]) -> int:
    """How many parameters modules have of their own, each counted once."""
    own = {id(it): it for call in calls for it in call.module.parameters(recurse=False)}
    return sum(it.numel() for it in own.values())


def other(why: str) -> GuestError:
    """The refusal to draw a guest as what it is not."""
    sentence = f"This model is put together in another way than is drawn: {why}"
    return GuestError(sentence, "not_offered")


def _length(vectors: Tensor) -> float:
    return float(vectors.double().square().sum().sqrt())
