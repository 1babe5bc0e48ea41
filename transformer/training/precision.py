"""bf16 matrix products where the hardware has them, everything else in fp32."""

from collections.abc import Callable, Iterable, Mapping
from contextlib import AbstractContextManager, nullcontext
from typing import Any

import torch
import torch.nn.functional as F
from torch.overrides import TorchFunctionMode

from .recipe import Precision


class Bfloat16Linear(TorchFunctionMode):
    """While it is active, every linear layer multiplies in bf16 and returns fp32.

    `torch.autocast` would take the attention core along, whose backward pass in bf16 is many times
    slower than fp32 on a CPU, and whose weights people are going to look at.
    """

    def __torch_function__(
        self,
        func: Callable[..., Any],
        types: Iterable[type],
        args: tuple[Any, ...] = (),
        kwargs: Mapping[str, Any] | None = None,
    ) -> Any:
        if func is F.linear:
            return func(*(arg if arg is None else arg.bfloat16() for arg in args)).float()
        return func(*args, **(kwargs or {}))


def linear_precision(
    precision: Precision, device: torch.device
) -> Callable[[], AbstractContextManager[object]]:
    """A maker of contexts to compute the loss in.

    "auto" means bf16 where the hardware multiplies it.
    """
    if precision == "auto":
        precision = "bf16" if multiplies_bf16(device) else "fp32"
    return Bfloat16Linear if precision == "bf16" else nullcontext


def multiplies_bf16(device: torch.device) -> bool:
    """Whether bf16 pays: on a GPU that has it, on a CPU with AMX tiles or AVX-512's bf16 products.

    A training step takes two thirds of fp32's time there. Other CPUs emulate it, at a third of
    fp32's speed.
    """
    if device.type == "cuda":
        return torch.cuda.is_bf16_supported(including_emulation=False)
    return (
        torch.cpu._is_amx_tile_supported()  # pyright: ignore[reportPrivateUsage]
        or torch.cpu._is_avx512_bf16_supported()  # pyright: ignore[reportPrivateUsage]
    )
