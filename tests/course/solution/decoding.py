from collections.abc import Callable

import torch
from torch import Tensor


def greedy(
    model: Callable[[Tensor, Tensor], Tensor],
    src: Tensor,
    bos_id: int,
    eos_id: int,
    max_steps: int,
) -> list[int]:
    ids = [bos_id]
    while len(ids) <= max_steps and ids[-1] != eos_id:
        logits = model(src, torch.tensor([ids]))
        ids.append(int(logits[0, -1].argmax()))
    return ids[1:]
