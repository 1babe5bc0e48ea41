from collections.abc import Callable

import torch.nn.functional as F
from torch import Tensor


def loss(
    model: Callable[[Tensor, Tensor], Tensor], src: Tensor, tgt: Tensor, pad_id: int
) -> Tensor:
    logits = model(src, tgt[:, :-1])
    return F.cross_entropy(logits.flatten(0, 1), tgt[:, 1:].flatten(), ignore_index=pad_id)
