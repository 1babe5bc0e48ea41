"""Linear layers that read their weights as the float16 numbers that a checkpoint stores.

Decoding one sentence on a CPU is bound by how fast the weights come out of memory: each step reads
them all, for a single row. Reading half the bytes, and computing in float32 as ever, takes a third
off a trace's time. The weights are the same numbers, so only the rounding of sums differs (1e-6).
"""

import warnings
from typing import Any, cast

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from .module import Module


class HalfLinear(Module):
    """`linear`, its weights stored once more as float16 in FBGEMM's layout, at the first product.

    The float32 `weight` and `bias` stay for those who need a part of them. Whoever takes the weight
    may change it, so it is packed anew after that, and after every change that autograd counts.
    """

    def __init__(self, linear: nn.Linear) -> None:
        super().__init__()
        self._packed: dict[tuple[int, int], Any] = {}  # by first and last feature
        self._packed_version = -1
        self.out_features = linear.out_features
        self.weight = linear.weight
        self.register_parameter("bias", linear.bias)

    def __getattr__(self, name: str) -> Any:
        if name == "weight":
            self._packed.clear()
        return super().__getattr__(name)

    def forward(self, x: Tensor) -> Tensor:
        """[batch, ..., in_features] → [batch, ..., out_features], both float32."""
        return torch.fbgemm_linear_fp16_weight_fp32_activation(
            x, self._pack(0, self.out_features), self._parameters["bias"]
        )

    def part(self, x: Tensor, start: int, stop: int) -> Tensor:
        """Some output features: [batch, ..., in_features] → [batch, ..., stop - start]."""
        bias = cast(Tensor, self._parameters["bias"])[start:stop]
        return torch.fbgemm_linear_fp16_weight_fp32_activation(x, self._pack(start, stop), bias)

    def _pack(self, start: int, stop: int) -> Any:
        weight = cast(Tensor, self._parameters["weight"])
        if self._packed_version != weight._version:
            self._packed_version = weight._version
            self._packed.clear()
        # Another thread may clear what is packed at any moment.
        packed = self._packed.get((start, stop))
        if packed is None:
            packed = torch.fbgemm_pack_gemm_matrix_fp16(weight[start:stop])
            self._packed[start, stop] = packed
        return packed


def features(linear: nn.Module, x: Tensor, start: int, stop: int) -> Tensor:
    """Output features `start` to `stop` of a linear layer of either sort, [..., stop - start].

    The others are not computed; `x` is [..., input features].
    """
    if isinstance(linear, HalfLinear):
        return linear.part(x, start, stop)
    assert isinstance(linear, nn.Linear)
    return F.linear(x, linear.weight[start:stop], linear.bias[start:stop])


def read_weights_as_half(model: nn.Module) -> None:
    """Replaces every linear layer of a model whose weights are float16 numbers.

    Where PyTorch comes without FBGEMM (on Arm, or in a version that has dropped these two
    functions, which it calls deprecated), the layers stay as they are.
    """
    with warnings.catch_warnings(), torch.no_grad():
        # Each function warns once, at its first call: make it here, where it is expected.
        warnings.filterwarnings("ignore", message="fbgemm_.* is deprecated")
        try:
            HalfLinear(nn.Linear(8, 8))(torch.zeros(1, 8))
        except (AttributeError, RuntimeError):
            return
        _replace(model)


def _replace(module: nn.Module) -> None:
    for name, child in module.named_children():
        if isinstance(child, nn.Linear):
            setattr(module, name, HalfLinear(child))
        else:
            _replace(child)
