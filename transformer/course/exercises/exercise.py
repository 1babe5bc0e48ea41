"""What every exercise has: a judge, who compares a student's answers with right and wrong ones."""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial
from importlib.resources import files
from itertools import combinations
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


class ToldError(Exception):
    """What a judge says from within a student's code, such as a model that is asked nonsense."""

    def __init__(self, code: str, **values: object) -> None:
        super().__init__(code)
        self.remark = Remark(code, values)


Mistake = tuple[tuple[str, ...], Callable[[], Tensor]]
"""Usual mistakes, one or several at once: their codes, and what they give."""

Judge = Callable[[ModuleType], Iterator[Remark]]
"""What is wrong with a student's module; nothing, if it is right. It may raise what that raises."""


@dataclass(frozen=True)
class Exercise:
    """One exercise; `needs` are those that it is built on."""

    judge: Judge
    needs: tuple[str, ...] = ()


def usual(exercise: str) -> dict[str, dict[str, Any]]:
    """The usual mistakes of an exercise, as `slips` takes them; `usual.json` has them all."""
    content = (files("transformer.course") / "usual.json").read_text(encoding="utf-8")
    return json.loads(content)[exercise]


def slips(
    compute: Callable[..., Tensor], each: Mapping[str, Mapping[str, Any]], most: int = 3
) -> Iterator[Mistake]:
    """Every usual mistake, then every two of them at once, then every three.

    Args:
        compute: the right answer, of any shape; with options, a wrong one.
        each: by its code, the options that make a mistake. Two that share one exclude each other.
        most: how many at once.
    """
    for count in range(1, most + 1):
        for codes in combinations(each, count):
            names = [name for code in codes for name in each[code]]
            if len({*names}) == len(names):
                options = {name: value for code in codes for name, value in each[code].items()}
                yield codes, partial(compute, **options)


def compare(
    function: str, answer: object, right: Tensor, wrong: Iterable[Mistake] = ()
) -> Iterator[Remark]:
    """What is to be said of an answer, by what it equals.

    Args:
        function: whose answer it is, as the student reads it.
        answer: the student's.
        right: what it should be, of any shape.
        wrong: the usual mistakes; of several that give the same, the first is named.
    """
    if not isinstance(answer, Tensor):
        code = "nothing_returned" if answer is None else "no_tensor"
        yield Remark(code, {"function": function, "type": type(answer).__name__})
        return
    answer = answer.detach().cpu()
    if right.dtype == torch.bool != answer.dtype:
        yield _dtype("dtype", function, answer, right)
        if answer.eq(answer.bool()).all():  # zeros and ones, which may mean the right thing
            yield from compare(function, answer.bool(), right, wrong)
        return
    if equal(answer, right):
        # A scalar is only looked at; of anything else the model computes on in float32.
        if answer.dim() and answer.dtype != right.dtype:
            yield _dtype("dtype_alone", function, answer, right)
        return
    for codes, value in wrong:
        if _gives(value, answer):
            yield from (Remark(code, {"function": function}) for code in codes)
            return
    if answer.dtype == torch.bool != right.dtype:
        yield _dtype("dtype", function, answer, right)
    elif answer.shape != right.shape:
        shapes = {"shape": list(answer.shape), "right": list(right.shape)}
        yield Remark("shape", {"function": function, **shapes})
    elif answer.dtype != right.dtype and _nearly(answer, right):
        yield _dtype("dtype", function, answer, right)
    elif not answer.isfinite().all():
        yield Remark("nan", {"function": function})
    elif answer.dim() == 0:
        numbers = {"value": f"{float(answer):.4g}", "right": f"{float(right):.4g}"}
        yield Remark("differs_as_a_whole", {"function": function, **numbers})
    else:
        yield Remark("differs", {"function": function, **_worst(answer, right)})


def _nearly(answer: Tensor, right: Tensor) -> bool:
    """Whether fewer digits are all that is wrong."""
    return not answer.is_complex() and torch.allclose(answer.float(), right, atol=0.02, rtol=0)


def _dtype(code: str, function: str, answer: Tensor, right: Tensor) -> Remark:
    types = {"dtype": str(answer.dtype), "right": str(right.dtype)}
    return Remark(code, {"function": function, **types})


def _gives(mistake: Callable[[], Tensor], answer: Tensor) -> bool:
    try:
        return equal(answer, mistake())
    except (RuntimeError, IndexError):  # not every mistake is possible with every shape
        return False


def equal(a: Tensor, b: Tensor) -> bool:
    """Whether two tensors have the same shape and, nearly, the same numbers."""
    if a.shape != b.shape or (a.dtype == torch.bool) != (b.dtype == torch.bool):
        return False
    if a.is_complex() or b.is_complex():
        return False
    return torch.allclose(a.float(), b.float(), atol=TOLERANCE, rtol=0, equal_nan=True)


def _worst(answer: Tensor, right: Tensor) -> dict[str, Any]:
    gap = (answer.float() - right.float()).abs()
    place = tuple(int(i) for i in torch.unravel_index(gap.argmax(), gap.shape))

    def text_of(numbers: Tensor) -> str:
        number = numbers[place].item()
        return str(number) if numbers.dtype == torch.bool else f"{number:.4g}"

    return {"place": [*place], "value": text_of(answer), "right": text_of(right)}


def ask(
    function: str, call: Callable[..., object], *more: object, **given: Tensor | None
) -> tuple[object, list[Remark]]:
    """A student's answer; and what is to be said if that has changed what it was given.

    Args:
        function: as the student reads it.
        call: the student's, which takes the values of `given` in this order, and then `more`.
        more: what cannot be changed.
        given: tensors of any shape, by their names.
    """
    copies = {name: None if it is None else it.clone() for name, it in given.items()}
    answer = call(*copies.values(), *more)
    changed = [
        name
        for name, copy in copies.items()
        if copy is not None and (it := given[name]) is not None and not torch.equal(copy, it)
    ]
    return answer, [Remark("input_changed", {"function": function, "name": n}) for n in changed]


def first_wrong(attempts: Iterable[Iterable[Remark]]) -> Iterator[Remark]:
    """What is said of the first attempt of which anything is; no other is made after it."""
    for attempt in attempts:
        if remarks := list(attempt):
            yield from remarks
            return


def noise(*shape: int, seed: int = 0) -> Tensor:
    """Normally distributed float32 numbers of this shape, the same every time."""
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed))
