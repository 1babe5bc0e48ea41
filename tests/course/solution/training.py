import torch
from loss import loss
from torch import Tensor, nn


def train_step(
    model: nn.Module,
    optimizer: torch.optim.Optimizer,
    src: Tensor,
    tgt: Tensor,
    pad_id: int,
) -> float:
    optimizer.zero_grad()
    value = loss(model, src, tgt, pad_id)
    value.backward()
    optimizer.step()
    return value.item()
