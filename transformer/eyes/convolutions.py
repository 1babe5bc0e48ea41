"""Which token a convolution along the length writes about."""

import torch
from torch import Tensor

from .graph import Node
from .shadow import CONST, MIXED, along


def token_of(node: Node, result: Tensor) -> Tensor:
    """The label of each place of what a convolution made, [batch, 1, place]; MIXED for none."""
    labels, kernel = node.args[0].labels, node.args[1]
    mixed = torch.full((len(result), 1, *result.shape[2:]), MIXED)
    if labels is None:
        return mixed
    token = along(labels, 1).unsqueeze(1)
    return token if set(kernel.tensor.shape[2:]) == {1} else _centre(node, token, mixed)


def _centre(node: Node, token: Tensor, mixed: Tensor) -> Tensor:
    """The token at the centre of what a kernel reads, or at its end where all before is padding."""
    stride, padding, dilation, transposed = node.args[3:7]
    width = node.args[1].tensor.size(-1)
    plain = not transposed and set(stride) == set(dilation) == {1}
    if token.dim() != 3 or not plain or bool((token == MIXED).any()):
        return mixed
    before = int((token == CONST).all(0).flatten().long().cumprod(0).sum()) + padding[0]
    at = torch.arange(mixed.size(-1)) - padding[0] + min(before, width - 1)
    inside = (at >= 0) & (at < token.size(-1)) & (before > 0)
    mixed[..., inside] = token[..., at[inside]]
    return mixed
