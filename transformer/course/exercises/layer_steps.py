"""A layer in which more is wrong than can be guessed from its result: what goes from part to part.

Each of its parts is judged by what it really got, whatever the parts before it made of theirs.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor, nn

from .exercise import Mistake, Remark, ask, compare, equal
from .parts import part_of

Outputs = dict[str, Tensor]
"""By the part's name, what it returned; and what the layer was given."""


@dataclass(frozen=True)
class Step:
    """One part of a layer: what it should get, in numbers and as it stands in a right answer.

    Attributes:
        part: a submodule's name; "" for what the layer returns.
        gets: the expected argument, or arguments.
        written: the same in Python.
    """

    part: str
    gets: Callable[[Outputs], Tensor | tuple[Tensor, ...]]
    written: str


def last_steps(norm: str) -> tuple[Step, ...]:
    """The last steps of every layer: its feed-forward network, behind the norm of that name."""
    return (
        Step("inner", lambda outputs: outputs[norm], f"self.{norm}(…)"),
        Step("outer", lambda outputs: outputs["inner"].relu(), "torch.relu(self.inner(…))"),
        Step(
            "feed_forward_norm",
            lambda outputs: outputs[norm] + outputs["outer"],
            f"self.{norm}(…) + self.outer(…)",
        ),
        Step("", lambda outputs: outputs["feed_forward_norm"], "self.feed_forward_norm(…)"),
    )


def judge_layer(
    function: str,
    mine: nn.Module,
    steps: Sequence[Step],
    right: Tensor,
    wrong: Iterable[Mistake],
    **given: Tensor,
) -> list[Remark]:
    """What is to be said of a student's layer: by its result, or else step by step.

    Args:
        function: as the student reads it.
        mine: the student's layer, which takes the values of `given` in this order.
        steps: of a right one, in order.
        right: what it should return, [batch, length, d_model].
        wrong: the usual mistakes.
        given: tensors by their names: states of that shape, and masks that broadcast.
    """
    answer, changed = ask(function, mine, **given)
    remarks = list(compare(function, answer, right, wrong))
    if remarks and remarks[0].code == "differs":
        remarks = _several(function, mine, steps, given) or remarks
    return remarks or changed


def _several(
    function: str, mine: nn.Module, steps: Sequence[Step], given: dict[str, Tensor]
) -> list[Remark]:
    """Every step of a student's layer that is another than it should be; nothing if none is."""
    heard: dict[str, list[tuple[Tensor, ...]]] = {step.part: [] for step in steps if step.part}
    outputs: Outputs = dict(given)

    def listen(name: str) -> Callable[..., None]:
        def hook(part: nn.Module, args: Any, kwargs: Any, output: Any) -> None:
            del part
            values = [*args, *kwargs.values()]
            heard[name].append(tuple(v.clone() for v in values if isinstance(v, Tensor)))
            if isinstance(output, Tensor):
                outputs.setdefault(name, output.clone())

        return hook

    handles = [
        part_of(mine, name).register_forward_hook(listen(name), with_kwargs=True) for name in heard
    ]
    try:
        answer: object = mine(*(value.clone() for value in given.values()))
    finally:
        for handle in handles:
            handle.remove()
    if isinstance(answer, Tensor):
        heard[""] = [(answer,)]
    remarks = list(_differences(function, steps, heard, outputs))
    return [Remark("several", {"function": function}), *remarks] if remarks else []


def _differences(
    function: str,
    steps: Sequence[Step],
    heard: dict[str, list[tuple[Tensor, ...]]],
    outputs: Outputs,
) -> Iterator[Remark]:
    for step in steps:
        calls = heard.get(step.part, [])
        values = {"function": function, "part": step.part, "right": step.written}
        if not calls:
            yield Remark("part_not_called", values)
            continue
        try:
            right = step.gets(outputs)
        except KeyError:  # it comes out of a part that was not called
            continue
        if not _same(calls[0], right if isinstance(right, tuple) else (right,)):
            yield Remark("part_gets_other" if step.part else "returns_other", values)
        elif len(calls) > 1:
            yield Remark("part_called_again", {**values, "count": len(calls)})


def _same(given: tuple[Tensor, ...], right: tuple[Tensor, ...]) -> bool:
    with torch.no_grad():
        return len(given) == len(right) and all(
            equal(a, b) for a, b in zip(given, right, strict=True)
        )
