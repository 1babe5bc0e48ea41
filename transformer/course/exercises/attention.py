"""Scaled dot-product attention, against `torch.nn.functional.scaled_dot_product_attention`."""

from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import partial
from types import ModuleType
from typing import Any, cast

import torch
import torch.nn.functional as F
from torch import Tensor

from .exercise import Mistake, Remark, ask, compare, equal, noise, slips, usual

FUNCTION = "attention"

OF_SCORES = usual("attention, of scores")
OF_MASK = usual("attention, of a mask")


def judge(module: ModuleType) -> Iterator[Remark]:
    """`attention(query, key, value, mask)` → its output and its weights."""
    key, value = noise(2, 3, 5, 8, seed=4), noise(2, 3, 5, 8, seed=5)
    mask = torch.ones(2, 1, 4, 5, dtype=torch.bool)
    mask[0, ..., 3:] = False
    mask[1] = mask[1].tril()  # every row hides something, and none everything
    # As many queries as keys first: else a mistake would be an error of shapes.
    for queries, masked in ((5, None), (4, None), (4, mask)):
        query = noise(2, 3, queries, 8, seed=6)
        answer, changed = ask(
            FUNCTION, module.attention, query=query, key=key, value=value, mask=masked
        )
        remarks = list(_of_weights_and_output(answer, query, key, value, masked))
        if remarks and _is_random(module, answer, query, key, value, masked):
            remarks = [Remark("random", {"function": FUNCTION})]
        yield from remarks or changed
        if remarks or changed:
            return


def _is_random(module: ModuleType, answer: object, *given: Tensor | None) -> bool:
    with suppress(TypeError, ValueError):
        pairs = zip(cast(Any, answer), module.attention(*given), strict=True)
        return any(not torch.equal(*pair) for pair in pairs)
    return False


def _of_weights_and_output(
    answer: object, query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None
) -> Iterator[Remark]:
    match answer:
        case (Tensor() as output, Tensor() as weights):
            pass
        case None:
            yield Remark("nothing_returned", {"function": FUNCTION})
            return
        case _:
            yield Remark("no_pair", {"function": FUNCTION, "type": _kind(answer)})
            return
    output, weights = output.detach(), weights.detach()
    identity = torch.eye(5).expand(2, 3, 5, 5)
    right = partial(F.scaled_dot_product_attention, query, key, attn_mask=mask)
    # With one value a key, each of its own, what comes out are the weights.
    remarks = list(compare("weights", weights, right(identity), _of_weights(query, key, mask)))
    if remarks and remarks[0].code == "differs":
        remarks = [
            *_of_scale(weights, query, key),
            *_of_hidden(weights, right(identity), mask),
        ] or remarks
    if remarks and equal(output, right(identity)):
        remarks = [Remark("swapped", {"function": FUNCTION})]
    elif remarks and equal(output, right(value)):
        remarks = [Remark("other_weights_returned", {"function": FUNCTION})]
    if not remarks:
        mistakes: list[Mistake] = [
            (("value_from_key",), lambda: right(key)),
            (("values_not_weighted",), lambda: value),
            (("weights_transposed",), lambda: weights.mT @ value),
            (("weights_of_values",), lambda: weights.softmax(-1) @ value),
        ]
        remarks = list(compare("output", output, right(value), mistakes))
    yield from remarks


def _kind(answer: object) -> str:
    """The type of an answer, such as "tuple (Tensor, NoneType)"."""
    name = type(answer).__name__
    if not isinstance(answer, tuple | list):
        return name
    return f"{name} ({', '.join(type(part).__name__ for part in cast(list[object], answer))})"


def _of_scale(weights: Tensor, query: Tensor, key: Tensor) -> Iterator[Remark]:
    """What the scores were divided by, if that alone is wrong; seen where nothing is hidden."""
    scores, logs = query @ key.mT, weights.log()
    scores, logs = scores - scores.mean(-1, True), logs - logs.mean(-1, True)
    factor = float((scores * logs).sum() / (scores * scores).sum())
    if torch.allclose(logs, scores * factor, atol=1e-3) and abs(factor) > 1e-6:
        values = {"divisor": f"{1 / factor:.4g}", "right": f"{query.size(-1) ** 0.5:.4g}"}
        yield Remark("scale_other", {"function": "weights", **values})


def _of_hidden(weights: Tensor, right: Tensor, mask: Tensor | None) -> Iterator[Remark]:
    """What hidden keys still get, if that alone is wrong."""
    if mask is None:
        return
    seen = weights * mask
    if torch.allclose(seen / seen.sum(-1, keepdim=True), right, atol=1e-3):
        share = float((weights * ~mask).sum(-1).max())
        yield Remark("hidden_keep_weight", {"function": "weights", "share": f"{share:.2f}"})


def _of_weights(query: Tensor, key: Tensor, mask: Tensor | None) -> Iterator[Mistake]:
    each = OF_SCORES if mask is None else OF_SCORES | OF_MASK
    yield from slips(partial(_weights, query, key, mask), each)
    if mask is None:
        future = torch.ones(query.size(-2), key.size(-2), dtype=torch.bool).tril()
        yield ("mask_made_up",), lambda: _weights(query, key, future)
    yield ("query_and_key_swapped",), lambda: _weights(key, query, None)


def _weights(
    query: Tensor,
    key: Tensor,
    mask: Tensor | None,
    *,
    scale: str = "root",
    soften: str = "keys",
    hide: str | float = "before",
) -> Tensor:
    root = query.size(-1) ** 0.5
    factors = {"root": 1 / root, "none": 1, "inverted": root, "squared": root**-2}
    scores = query @ key.mT * factors.get(scale, key.size(-2) ** -0.5)
    softmax: dict[str, Callable[[Tensor], Tensor]] = {
        "not": lambda x: x,
        "queries": lambda x: x.softmax(-2),
        "heads": lambda x: x.softmax(1),
        "batch": lambda x: x.softmax(0),
        "log": lambda x: x.log_softmax(-1),
        "sum": lambda x: x / x.sum(-1, keepdim=True),
        "sigmoid": torch.sigmoid,
    }
    normal = softmax.get(soften, lambda x: x.softmax(-1))
    if mask is None or hide == "not":
        return normal(scores)
    if hide == "after":
        return normal(scores) * mask
    if hide == "multiplied":
        return normal(scores * mask)
    if hide == "added":
        return normal(scores + mask)
    visible = ~mask if hide == "inverted" else mask
    lowest = {"not": -torch.inf, "sum": 0.0}.get(soften, -1e9)
    return normal(scores.masked_fill(~visible, hide if isinstance(hide, float) else lowest))
