"""Calling a stranger's module: whatever it wants, whatever it returns, whatever it raises."""

import random
import warnings
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from typing import Any, cast

import numpy as np
import torch
from torch import Tensor, nn
from torch.utils._python_dispatch import TorchDispatchMode

from .state import ModuleState

Call = Callable[..., Any]


class CallFailed(Exception):  # noqa: N818 - it is an answer, not our error
    """The module raised something; the message is the module's own."""


class Still(TorchDispatchMode):
    """Takes the chance out of dropout, for a module that drops in `eval()` too."""

    def __torch_dispatch__(
        self,
        func: Any,
        types: Any,
        args: tuple[Any, ...] = (),
        kwargs: dict[str, Any] | None = None,
    ) -> Any:
        """Every coin falls on its expected value."""
        del types
        kwargs = kwargs or {}
        name = func._schema.name
        first: Any = args[0] if args else None
        if name == "aten::bernoulli_" and len(args) > 1 and isinstance(args[1], float):
            return args[0].fill_(args[1])
        if name == "aten::native_dropout":
            return first.clone(), torch.ones_like(first, dtype=torch.bool)
        if name in {"aten::bernoulli", "aten::rand", "aten::rand_like"}:
            return func(*args, **kwargs).fill_(0.999)
        return func(*args, **kwargs)


class Vocabularies(TorchDispatchMode):
    """Sees how many tokens the embeddings know that source and target are looked up in."""

    def __init__(self, src: Tensor | None, tgt: Tensor) -> None:
        super().__init__()
        self.sizes = {"src": 0, "tgt": 0}
        self._ids = {"tgt": tgt} if src is None else {"src": src, "tgt": tgt}

    def __torch_dispatch__(
        self,
        func: Any,
        types: Any,
        args: tuple[Any, ...] = (),
        kwargs: dict[str, Any] | None = None,
    ) -> Any:
        """Looks at the tables that tokens are looked up in."""
        del types
        if func._schema.name == "aten::embedding":
            for side, ids in self._ids.items():
                if any(torch.equal(args[1], turned) for turned in (ids, ids.T)):
                    self.sizes[side] = int(args[0].size(0))
        return func(*args, **(kwargs or {}))


class Caller:
    """Calls the module in `eval()` mode, always from the same state and the same seed.

    Args:
        module: the stranger's.
        state: how it was found.
        call: as the user gave it, or None for `module(src, tgt)` or `module(ids)`.
    """

    def __init__(self, module: nn.Module, state: ModuleState, call: Call | None) -> None:
        self.module = module
        self.state = state
        self.call = call
        self.still = False

    def returned(
        self, src: Tensor | None, tgt: Tensor, *, restore: bool = True, seed: int = 0
    ) -> Any:
        """What the module returns, as it is.

        Raises:
            CallFailed: it raised.
        """
        if restore:
            self.state.restore()
        torch.manual_seed(seed)
        random.seed(seed)
        np.random.seed(seed)  # noqa: NPY002 - strangers still use it
        calm: AbstractContextManager[Any] = Still() if self.still else nullcontext()
        try:
            with warnings.catch_warnings(), calm:
                warnings.simplefilter("ignore")
                if self.call is not None:
                    ids = (tgt,) if src is None else (src, tgt)
                    return self.call(self.module, *ids)
                return self.module(tgt) if src is None else self.module(src, tgt)
        except Exception as error:
            raise CallFailed(f"{type(error).__name__}: {error}") from error

    def vocabularies(self, src: Tensor | None, tgt: Tensor) -> tuple[int, int]:
        """How many tokens the source's and the target's embedding know; 0 where none was seen.

        Raises:
            CallFailed: the module raised.
        """
        watch = Vocabularies(src, tgt)
        with torch.no_grad(), watch:
            self.returned(src, tgt)
        return watch.sizes["src"], watch.sizes["tgt"]

    def logits(
        self, src: Tensor | None, tgt: Tensor, *, restore: bool = True, seed: int = 0
    ) -> Tensor:
        """Logits, float32 [batch, tgt, vocab], on the CPU.

        Raises:
            CallFailed: the module raised, or returned nothing that looks like logits.
        """
        with torch.no_grad():
            returned = self.returned(src, tgt, restore=restore, seed=seed)
        found = find_logits(returned, tgt)
        if found is None:
            raise CallFailed(f"no logits [batch, length, vocabulary] in {type(returned).__name__}")
        return found.detach().float().cpu().clone()


def find_logits(returned: Any, tgt: Tensor) -> Tensor | None:
    """The logits among what a module returned, as [batch, tgt, vocab]; None if there are none."""
    for tensor in _candidates(returned):
        shaped = _shape(tensor, tgt)
        if shaped is not None:
            return shaped
    return None


def _candidates(returned: Any) -> list[Tensor]:
    if isinstance(returned, Tensor):
        return [returned]
    if isinstance(returned, dict):
        named = cast(dict[str, Any], returned)
        first = [named["logits"]] if "logits" in named else []
        return [t for t in [*first, *named.values()] if isinstance(t, Tensor)]
    if isinstance(returned, list | tuple):
        parts = cast(list[Any], returned)
        return [tensor for part in parts for tensor in _candidates(part)]
    logits = getattr(returned, "logits", None)
    return [logits] if isinstance(logits, Tensor) else []


def _shape(tensor: Tensor, tgt: Tensor) -> Tensor | None:
    batch, length = tgt.shape
    if not tensor.is_floating_point():
        return None
    if tensor.dim() == 2 and tensor.size(0) % batch == 0 and tensor.size(0) > batch:
        return tensor.view(batch, -1, tensor.size(-1))
    if tensor.dim() != 3:
        return None
    if tensor.size(0) == batch and tensor.size(1) in {length, length - 1}:
        return tensor
    if tensor.size(1) == batch and tensor.size(0) in {length, length - 1}:
        return tensor.transpose(0, 1)
    if tensor.size(0) == batch and tensor.size(2) in {length, length - 1}:
        return tensor.transpose(1, 2)
    return None
