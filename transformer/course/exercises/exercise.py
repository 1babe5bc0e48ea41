"""What every exercise has: a judge, who compares a student's answers with right and wrong ones."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from types import ModuleType
from typing import Any

import torch
from torch import Tensor

TOLERANCE = 1e-4
"""Two ways to compute the same thing differ by less; two things differ by more."""


@dataclass(frozen=True)
class Remark:
    """One thing that is to be said of an answer.

    Attributes:
        code: which text of the locale.
        values: what stands in its gaps.
    """

    code: str
    values: Mapping[str, object] = field(default_factory=dict[str, object])


Mistake = tuple[str, Callable[[], Tensor]]
"""A usual mistake: its code, and what it gives."""

Judge = Callable[[ModuleType], Iterator[Remark]]
"""What is wrong with a student's module; nothing, if it is right. It may raise what that raises."""


@dataclass(frozen=True)
class Exercise:
    """One exercise; `needs` are those that it is built on."""

    judge: Judge
    needs: tuple[str, ...] = ()


def compare(
    function: str, answer: object, right: Tensor, wrong: Iterable[Mistake]
) -> Iterator[Remark]:
    """What is to be said of an answer, by what it equals.

    Args:
        function: whose answer it is, as the student reads it.
        answer: the student's.
        right: what it should be.
        wrong: the usual mistakes; of several that give the same, the first is named.
    """
    if not isinstance(answer, Tensor):
        yield Remark("no_tensor", {"function": function, "type": type(answer).__name__})
    elif _equal(answer, right):
        return
    elif code := next((code for code, value in wrong if _gives(value, answer)), None):
        yield Remark(code, {"function": function})
    elif answer.dtype != right.dtype and (right.dtype == torch.bool or answer.dtype == torch.bool):
        types = {"dtype": str(answer.dtype), "right": str(right.dtype)}
        yield Remark("dtype", {"function": function, **types})
    elif answer.shape != right.shape:
        shapes = {"shape": list(answer.shape), "right": list(right.shape)}
        yield Remark("shape", {"function": function, **shapes})
    elif not answer.isfinite().all():
        yield Remark("nan", {"function": function})
    else:
        yield Remark("differs", {"function": function, **_worst(answer, right)})


def _gives(mistake: Callable[[], Tensor], answer: Tensor) -> bool:
    try:
        return _equal(answer, mistake())
    except RuntimeError:  # not every mistake is possible with every shape
        return False


def _equal(a: Tensor, b: Tensor) -> bool:
    if a.shape != b.shape or (a.dtype == torch.bool) != (b.dtype == torch.bool):
        return False
    return torch.allclose(a.float(), b.float(), atol=TOLERANCE, rtol=0, equal_nan=True)


def _worst(answer: Tensor, right: Tensor) -> dict[str, Any]:
    gap = (answer.float() - right.float()).abs()
    place = [int(i) for i in torch.unravel_index(gap.argmax(), gap.shape)]
    return {
        "place": place,
        "value": f"{float(answer[tuple(place)]):.4g}",
        "right": f"{float(right[tuple(place)]):.4g}",
    }


def noise(*shape: int, seed: int = 0) -> Tensor:
    """Normal float32 numbers, the same every time."""
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed))
