"""Splitting into heads, joining them, and multi-head attention, against PyTorch's own."""

from collections.abc import Iterator
from functools import partial
from types import ModuleType
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from .exercise import Mistake, Remark, ask, compare, equal, first_wrong, noise, slips, usual
from .parts import bias_of, layer_of, seeded

NAME = "MultiHeadAttention"
HEADS = 2

OF_WHOLE = usual("heads")


def judge(module: ModuleType) -> Iterator[Remark]:
    """`split_heads`, `join_heads`, `MultiHeadAttention`."""
    x = noise(2, 3, 8)
    split = torch.stack(x.chunk(HEADS, -1), 1)  # [batch, head, length, d_head]
    answer, changed = ask("split_heads", module.split_heads, HEADS, x=x)
    wrong: list[Mistake] = [
        (("heads_mixed",), lambda: x.reshape(2, HEADS, 3, 4)),
        (("heads_not_moved",), lambda: x.reshape(2, 3, HEADS, 4)),
        (("heads_interleaved",), lambda: x.reshape(2, 3, 4, HEADS).permute(0, 3, 1, 2)),
        (("heads_and_numbers_swapped",), lambda: split.mT),
        (("heads_before_batch",), lambda: split.transpose(0, 1)),
    ]
    remarks = list(compare("split_heads", answer, split, wrong)) or changed
    answer, changed = ask("join_heads", module.join_heads, x=split)
    wrong = [
        (("heads_mixed",), lambda: split.reshape(2, 3, 8)),
        (("heads_interleaved",), lambda: split.permute(0, 2, 3, 1).reshape(2, 3, 8)),
        (("heads_not_joined",), lambda: split.transpose(1, 2)),
        (("heads_summed",), lambda: split.sum(1)),
        (("heads_summed",), lambda: split.mean(1)),
    ]
    remarks += list(compare("join_heads", answer, x, wrong)) or changed
    yield from remarks
    if not remarks:
        yield from _whole(module)


def _whole(module: ModuleType) -> Iterator[Remark]:
    mine = seeded(module.MultiHeadAttention, 8, HEADS)
    # As long as one another first: else a mistake would be an error of shapes, in another file.
    return first_wrong(_of_length(mine, length) for length in (3, 5))


def _of_length(mine: nn.Module, length: int) -> Iterator[Remark]:
    x, memory = noise(2, 3, 8), noise(2, length, 8, seed=1)
    mask = torch.ones(2, 1, 1, length, dtype=torch.bool)
    mask[0, ..., 2:] = False
    with torch.no_grad():
        answer, changed = ask(NAME, mine, x=x, memory=memory, mask=mask)
        yield from list(_remarks(answer, mine, x, memory, mask)) or changed


def _remarks(
    answer: object, mine: nn.Module, x: Tensor, memory: Tensor, mask: Tensor
) -> Iterator[Remark]:
    right = multi_head(mine, x, memory, mask)
    match answer:
        case (Tensor() as output, Tensor()) if equal(output, right):
            yield Remark("weights_returned_too", {"function": NAME})
            return
        case _:
            pass
    all_of = partial(_source, mine, x, memory, mask)
    each = OF_WHOLE | {
        "query_from_memory": {"of_query": memory},
        "key_from_x": {"of_key": x},
        "value_from_x": {"of_value": x},
        "memory_unused": {"of_key": x, "of_value": x},
        "query_and_key_swapped": {
            "query": "key",
            "key": "query",
            "of_query": memory,
            "of_key": x,
        },
        "inputs_swapped": {"of_query": memory, "of_key": x, "of_value": x},
    }
    wrong: list[Mistake] = [(("residual_too_early",), lambda: x + right), *slips(all_of, each)]
    yield from compare(NAME, answer, right, wrong)


def _source(
    mine: nn.Module,
    x: Tensor,
    memory: Tensor,
    given: Tensor,
    of_query: Tensor | None = None,
    of_key: Tensor | None = None,
    of_value: Tensor | None = None,
    **options: Any,
) -> Tensor:
    mask = options.pop("mask", given)
    sources = [
        it if other is None else other
        for it, other in ((x, of_query), (memory, of_key), (memory, of_value))
    ]
    return _attend(mine, sources, mask, **options)


def multi_head(mine: nn.Module, x: Tensor, memory: Tensor, mask: Tensor | None) -> Tensor:
    """What a multi-head attention with these projections gives, by PyTorch's own.

    Args:
        mine: a student's, with the linear layers of the skeleton.
        x: [batch, query, d_model]
        memory: [batch, key, d_model]
        mask: broadcastable to [batch, head, query, key]; True = may attend.
    Returns:
        [batch, query, d_model]
    """
    return _attend(mine, [x, memory, memory], mask)


def _attend(
    mine: nn.Module,
    sources: list[Tensor],
    mask: Tensor | None,
    *,
    query: str | None = "query",
    key: str | None = "key",
    value: str | None = "value",
    output: str | None = "output",
    heads: int = HEADS,
) -> Tensor:
    """Attention of queries, keys and values, with layers of these names; None is none at all."""
    of_query, of_key, of_value = sources
    d_model = of_query.size(-1)

    def weight(name: str | None) -> Tensor:
        return torch.eye(d_model) if name is None else layer_of(mine, name).weight

    def bias(name: str | None) -> Tensor:
        return torch.zeros(d_model) if name is None else bias_of(layer_of(mine, name))

    hidden = None
    if mask is not None:
        hidden = ~mask.expand(len(of_query), heads, of_query.size(1), of_key.size(1)).flatten(0, 1)
    attended: Tensor
    attended, _ = F.multi_head_attention_forward(
        of_query.transpose(0, 1),
        of_key.transpose(0, 1),
        of_value.transpose(0, 1),
        d_model,
        heads,
        torch.cat([*map(weight, (query, key, value))]),
        torch.cat([*map(bias, (query, key, value))]),
        None,
        None,
        False,
        0.0,
        weight(output),
        bias(output),
        need_weights=False,
        attn_mask=hidden,
    )
    return attended.transpose(0, 1)
