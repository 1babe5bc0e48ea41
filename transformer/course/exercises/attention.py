"""Scaled dot-product attention, against `torch.nn.functional.scaled_dot_product_attention`."""

from collections.abc import Callable, Iterator
from functools import partial
from types import ModuleType

import torch
import torch.nn.functional as F
from torch import Tensor

from .exercise import Remark, compare, noise

FUNCTION = "attention"


def judge(module: ModuleType) -> Iterator[Remark]:
    """`attention(query, key, value, mask)` → its output and its weights."""
    query, key, value = (noise(2, 3, length, 8, seed=length) for length in (4, 5, 5))
    value = value.roll(1, 0)
    mask = torch.ones(2, 1, 4, 5, dtype=torch.bool)
    mask[0, ..., 3:] = False
    mask[1] = mask[1].tril()  # every row hides something, and none everything
    for masked in (None, mask):
        answer: object = module.attention(query, key, value, masked)
        match answer:
            case (Tensor() as output, Tensor() as weights):
                pass
            case _:
                yield Remark("no_pair", {"function": FUNCTION, "type": type(answer).__name__})
                return
        identity = torch.eye(5).expand(2, 3, 5, 5)
        right = partial(F.scaled_dot_product_attention, query, key, attn_mask=masked)
        # With one value a key, each of its own, what comes out are the weights.
        told = list(
            compare("weights", weights, right(identity), _wrong(query, key, masked).items())
        )
        if told and _is(output, right(identity)):
            told = [Remark("swapped", {"function": FUNCTION})]
        if not told:
            mistakes = {
                "value_from_key": lambda: right(key),  # noqa: B023
                "values_not_weighted": lambda: value,
            }
            told = list(compare("output", output, right(value), mistakes.items()))
        yield from told
        if told:
            return


def _is(answer: Tensor, right: Tensor) -> bool:
    return answer.shape == right.shape and torch.allclose(answer, right, atol=1e-4)


def _wrong(query: Tensor, key: Tensor, mask: Tensor | None) -> dict[str, Callable[[], Tensor]]:
    scores, root = query @ key.mT, query.size(-1) ** 0.5
    scaled = scores / root

    def softmax(scores: Tensor, mask: Tensor | None = mask, dim: int = -1) -> Tensor:
        if mask is not None:
            scores = scores.masked_fill(~mask, -1e9)
        return scores.softmax(dim)

    def zeroed(weights: Tensor, again: bool = False) -> Tensor:
        weights = weights if mask is None else weights.masked_fill(~mask, 0)
        return weights / weights.sum(-1, keepdim=True) if again else weights

    mistakes: dict[str, Callable[[], Tensor]] = {
        "scale_missing": lambda: softmax(scores),
        "scale_inverted": lambda: softmax(scores * root),
        "scale_squared": lambda: softmax(scores / root**2),
        "softmax_missing": lambda: scaled if mask is None else scaled.masked_fill(~mask, -1e9),
        "softmax_axis": lambda: softmax(scaled, dim=-2),
    }
    if mask is not None:
        mistakes |= {
            "mask_unused": lambda: scaled.softmax(-1),
            "mask_inverted": lambda: softmax(scaled, ~mask),
            "mask_after_softmax": lambda: zeroed(scaled.softmax(-1)),
            "mask_value_too_small": lambda: scaled.masked_fill(~mask, 1e-9).softmax(-1),
            "mask_value_zero": lambda: scaled.masked_fill(~mask, 0).softmax(-1),
            "mask_multiplied": lambda: (scaled * mask).softmax(-1),
        }
    return mistakes
