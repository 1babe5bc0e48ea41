"""Splitting into heads, joining them, and multi-head attention, against PyTorch's own."""

from collections.abc import Iterator
from types import ModuleType

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from .exercise import Remark, compare, noise

HEADS = 2


def judge(module: ModuleType) -> Iterator[Remark]:
    """`split_heads`, `join_heads`, `MultiHeadAttention`."""
    x = noise(2, 3, 8)
    split = torch.stack(x.chunk(HEADS, -1), 1)  # [batch, head, length, d_head]
    told = [
        *compare(
            "split_heads",
            module.split_heads(x, HEADS),
            split,
            {
                "heads_mixed": lambda: x.reshape(2, HEADS, 3, 4),
                "heads_not_moved": lambda: x.reshape(2, 3, HEADS, 4),
                "heads_interleaved": lambda: x.reshape(2, 3, 4, HEADS).permute(0, 3, 1, 2),
            }.items(),
        ),
        *compare(
            "join_heads",
            module.join_heads(split),
            x,
            {
                "heads_mixed": lambda: split.reshape(2, 3, 8),
                "heads_interleaved": lambda: split.permute(0, 2, 3, 1).reshape(2, 3, 8),
            }.items(),
        ),
    ]
    yield from told
    if not told:
        yield from _whole(module)


def _whole(module: ModuleType) -> Iterator[Remark]:
    mine: nn.Module = seeded(module.MultiHeadAttention, 8, HEADS)
    x, memory = noise(2, 3, 8), noise(2, 5, 8, seed=1)
    mask = torch.ones(2, 1, 1, 5, dtype=torch.bool)
    mask[0, ..., 3:] = False
    with torch.no_grad():
        right = multi_head(mine, x, memory, mask)
        yield from compare(
            "MultiHeadAttention",
            mine(x, memory, mask),
            right,
            {
                "mask_not_handed_on": lambda: multi_head(mine, x, memory, None),
                "output_projection_missing": lambda: multi_head(mine, x, memory, mask, output=None),
                "value_from_key": lambda: multi_head(mine, x, memory, mask, value="key"),
                "query_from_memory": lambda: multi_head(mine, memory, memory, mask),
                "key_and_value_swapped": lambda: multi_head(
                    mine, x, memory, mask, key="value", value="key"
                ),
            }.items(),
        )


def multi_head(
    mine: nn.Module,
    x: Tensor,
    memory: Tensor,
    mask: Tensor | None,
    *,
    key: str = "key",
    value: str = "value",
    output: str | None = "output",
) -> Tensor:
    """What a multi-head attention with these projections gives, by PyTorch's own.

    Args:
        mine: a student's, with the linear layers of the skeleton.
        x: [batch, query, d_model]
        memory: [batch, key, d_model]
        mask: broadcastable to [batch, head, query, key]; True = may attend.
        key: which of its layers makes the keys.
        value: which makes the values.
        output: which projects the joined heads; None leaves them as they are.
    Returns:
        [batch, query, d_model]
    """
    layers = {name: mine.get_submodule(name) for name in ("query", "key", "value", "output")}
    projections = [layers["query"], layers[key], layers[value]]
    weight = torch.cat([_part(layer, "weight") for layer in projections])
    bias = torch.cat([_part(layer, "bias") for layer in projections])
    d_model = x.size(-1)
    last = None if output is None else layers[output]
    hidden = None
    if mask is not None:
        hidden = ~mask.expand(len(x), HEADS, x.size(1), memory.size(1)).flatten(0, 1)
    attended, _ = F.multi_head_attention_forward(
        x.transpose(0, 1),
        memory.transpose(0, 1),
        memory.transpose(0, 1),
        d_model,
        HEADS,
        weight,
        bias,
        None,
        None,
        False,
        0.0,
        torch.eye(d_model) if last is None else _part(last, "weight"),
        torch.zeros(d_model) if last is None else _part(last, "bias"),
        need_weights=False,
        attn_mask=hidden,
    )
    return attended.transpose(0, 1)


def _part(layer: nn.Module, name: str) -> Tensor:
    value = getattr(layer, name, None)
    if isinstance(value, Tensor):
        return value
    return torch.zeros(_part(layer, "weight").size(0))  # a linear layer without a bias


def seeded(make: type[nn.Module], *sizes: int) -> nn.Module:
    """A student's module with the same random weights every time, biases and norms too."""
    with torch.random.fork_rng():
        torch.manual_seed(0)
        made = make(*sizes).eval()
        with torch.no_grad():
            for parameter in made.parameters():
                parameter.add_(0.3 * torch.randn_like(parameter))
    return made
