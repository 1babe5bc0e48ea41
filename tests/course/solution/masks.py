import torch
from torch import Tensor


def padding_mask(ids: Tensor, pad_id: int) -> Tensor:
    return (ids != pad_id)[:, None, None, :]


def causal_mask(length: int) -> Tensor:
    return torch.ones(length, length, dtype=torch.bool).tril()
