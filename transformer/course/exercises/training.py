"""The training step, by the curve of losses that it gives on words to be spelled backwards."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from types import ModuleType
from typing import Any, SupportsFloat

import torch
from torch import Tensor, nn

from .exercise import Remark, ToldError, ask, slips, usual
from .loss import loss_of
from .spelling import PAD, VOCABULARY, batch_of, random_words

NAME = "train_step"
STEPS, WORDS = 10, 16
TOLERANCE = 1e-3

USUAL = usual("training")


class Speller(nn.Module):
    """The least that can learn a little: the last letter, and which letters there are at all."""

    def __init__(self) -> None:
        super().__init__()
        self.last = nn.Embedding(VOCABULARY, VOCABULARY)
        self.any = nn.Embedding(VOCABULARY, VOCABULARY)
        self.expected: Tensor | None = None
        with torch.no_grad():
            self.last.weight.zero_()
            self.any.weight.zero_()

    def forward(self, src: Tensor, tgt: Tensor) -> Tensor:
        """Logits [batch, tgt, vocabulary]."""
        if self.expected is not None and not torch.equal(src, self.expected):
            raise ToldError("other_source", function=NAME)
        return self.last(tgt) + self.any(src).mean(1, keepdim=True)


def _new() -> tuple[Speller, torch.optim.Optimizer]:
    model = Speller()
    return model, torch.optim.SGD(model.parameters(), lr=1.0, momentum=0.9)


def batches() -> list[tuple[Tensor, Tensor]]:
    """Batches of words and their reverses, int64 [batch, src] and [batch, tgt]; always the same."""
    words = random_words(STEPS * WORDS, seed=3)
    return [batch_of(words[start : start + WORDS]) for start in range(0, len(words), WORDS)]


def judge(module: ModuleType) -> Iterator[Remark]:
    """`train_step(model, optimizer, src, tgt, pad_id)` → the loss before the step."""
    model, optimizer = _new()
    curve: list[float] = []
    done = Done(model.last.weight)
    optimizer.register_step_post_hook(done.step)
    optimizer.register_step_pre_hook(done.before_step)
    model.last.weight.register_hook(done.backward)
    for src, tgt in batches():
        model.expected = src
        step = partial(module.train_step, model, optimizer)
        answer, changed = ask(NAME, step, PAD, src=src, tgt=tgt)
        remarks = changed or list(_of_answer(answer))
        yield from remarks
        if remarks:
            return
        curve.append(float(answer))  # pyright: ignore[reportArgumentType]
    if remarks := done.remark(model):
        yield remarks
    else:
        yield from _of_curve(torch.tensor(curve), _weights(model), clipped=done.clipped)


@dataclass
class Done:
    """What was done in all steps together, as PyTorch's hooks tell it."""

    watched: Tensor
    steps: int = 0
    backwards: int = 0
    clipped: bool = False
    gradient: Tensor | None = None

    def step(self, *_: object) -> None:
        """The optimizer has made a step."""
        self.steps += 1

    def backward(self, gradient: Tensor) -> None:
        """Counts a backward pass; keeps the first gradient of what is watched, in its shape."""
        self.backwards += 1
        if self.backwards == 1:
            self.gradient = gradient.clone()

    def before_step(self, *_: object) -> None:
        """Whether the gradients are still what they were, at the first step."""
        now = self.watched.grad
        if self.steps == 0 and self.gradient is not None and now is not None:
            self.clipped = not torch.allclose(now, self.gradient, rtol=1e-3, atol=1e-7)

    def remark(self, model: Speller) -> Remark | None:
        """A remark on steps and backward passes, if there was not one of each a batch."""
        values = {"function": NAME, "count": self.steps // STEPS}
        if not self.backwards:
            return Remark("backward_missing", values)
        if self.backwards > STEPS:
            return Remark("several_backwards", {**values, "count": self.backwards // STEPS})
        changed = bool(_weights(model).any())
        if not self.steps:
            return Remark("other_optimizer" if changed else "step_missing", values)
        if not changed:
            has_gradient = model.last.weight.grad is not None
            return Remark(
                "step_before_backward" if has_gradient else "gradients_thrown_away", values
            )
        return Remark("several_steps", values) if self.steps > STEPS else None


def _of_answer(answer: object) -> Iterator[Remark]:
    if answer is None:
        yield Remark("nothing_returned", {"function": NAME})
    elif isinstance(answer, Tensor) and answer.requires_grad:
        yield Remark("graph_kept", {"function": NAME})
    elif isinstance(answer, Tensor) and answer.numel() != 1:
        yield Remark("no_number", {"function": NAME, "type": f"Tensor {list(answer.shape)}"})
    elif isinstance(answer, str) or not isinstance(answer, SupportsFloat):
        yield Remark("no_number", {"function": NAME, "type": type(answer).__name__})


def _of_curve(curve: Tensor, weights: Tensor, *, clipped: bool) -> Iterator[Remark]:
    given, right = torch.cat((curve, weights)), _curve()
    if _near(given, right):
        return
    numbers = {"steps": STEPS, "first": f"{curve[0]:.3f}", "last": f"{curve[-1]:.3f}"}
    values = {"function": NAME, **numbers, "right": f"{right[STEPS - 1]:.3f}"}
    for codes, compute in slips(_curve, USUAL, most=2):
        if _near(given, compute()):
            yield from (Remark(code, values) for code in codes)
            yield Remark("curve", values)
            return
    if clipped:  # at whatever size, alone or beside other mistakes
        yield Remark("gradients_clipped", values)
    yield Remark("curve_differs", values)


def _near(a: Tensor, b: Tensor) -> bool:
    return torch.allclose(a, b, atol=TOLERANCE, rtol=1e-3, equal_nan=True)


def _weights(model: nn.Module) -> Tensor:
    return torch.cat([p.detach().flatten() for p in model.parameters()])


def _curve(
    *,
    zero: bool = True,
    measured: str = "before",
    clip: float | None = None,
    **options: Any,
) -> Tensor:
    """The losses that a right step gives, or a wrong one, then the weights after all of them."""
    model, optimizer = _new()
    losses: list[float] = []
    for src, tgt in batches():
        of = partial(loss_of, tgt=tgt, pad_id=PAD, **options)
        if zero:
            optimizer.zero_grad()
        loss = of(model(src, tgt))
        loss.backward()
        if clip is not None:
            nn.utils.clip_grad_norm_(model.parameters(), clip)
        optimizer.step()
        losses.append(float((of(model(src, tgt)) if measured == "after" else loss).detach()))
    return torch.cat((torch.tensor(losses), _weights(model)))
