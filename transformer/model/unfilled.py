"""Models whose weights are about to be read: nothing is drawn at random for them first.

Drawing takes seconds for a large model.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import torch
from torch import Tensor, nn
from torch.overrides import TorchFunctionMode

DRAWING = (
    *(nn.init.normal_, nn.init.uniform_, nn.init.kaiming_uniform_),
    *(Tensor.normal_, Tensor.uniform_),
)


class NothingDrawn(TorchFunctionMode):
    """While it lasts, and in this thread alone, what would be drawn stays what memory held.

    with NothingDrawn():
        model = build_model(config)
    """

    def __torch_function__(
        self,
        func: Callable[..., Any],
        types: Sequence[type],
        args: Sequence[Any] = (),
        kwargs: Mapping[str, Any] | None = None,
    ) -> Any:
        """Every function of PyTorch passes here."""
        given = kwargs or {}
        if func in DRAWING:
            return args[0] if args else given["tensor"]
        return self.compute(func, args, given)

    def compute(
        self, func: Callable[..., Any], args: Sequence[Any], given: Mapping[str, Any]
    ) -> Any:
        """The result of any other function."""
        return func(*args, **given)


class Outlined(NothingDrawn):
    """Parameters have a shape and no memory, too, and positions nothing at all.

    Not `torch.device("meta")`: computing there, be it sines, has PyTorch import its compiler, which
    takes 100 MB and two seconds.
    """

    def compute(
        self, func: Callable[..., Any], args: Sequence[Any], given: Mapping[str, Any]
    ) -> Any:
        """The result, which takes no memory of a size that a file asks for."""
        if func is torch.arange:
            return torch.empty(0)
        return func(*args, **{**given, "device": "meta"} if func is torch.empty else given)
