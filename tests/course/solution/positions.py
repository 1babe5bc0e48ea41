import torch
from torch import Tensor


def positions(length: int, d_model: int) -> Tensor:
    wavelengths = 10_000 ** (torch.arange(0, d_model, 2) / d_model)
    angles = torch.arange(length)[:, None] / wavelengths
    table = torch.zeros(length, d_model)
    table[:, 0::2] = angles.sin()
    table[:, 1::2] = angles.cos()
    return table
