"""Calling a stranger's module: whatever it wants, whatever it returns, whatever it raises."""

import random
import warnings
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from .batches import Batch
from .dispatch import Operations
from .limits import Printed, TookTooLong, time_limit
from .logits import describe, find_logits, last_alone
from .state import ModuleState

Call = Callable[..., Any]


class CallFailed(Exception):  # noqa: N818 - it is an answer, not our error
    """The module raised something; the message is the module's own."""


class NoLogits(CallFailed):
    """What the module returned holds no logits of all positions.

    Attributes:
        returned: in short, as "(float [4, 1, 23], None)".
        last: those of the last position alone, in the same way; "" if there are none.
    """

    def __init__(self, returned: str, last: str) -> None:
        super().__init__(f"no logits [batch, length, vocabulary] in {returned}")
        self.returned = returned
        self.last = last


class Still(Operations):
    """Takes the chance out of dropout, for a module that drops in `eval()` too."""

    def operation(self, func: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """Every coin falls on its expected value."""
        name = func._schema.name
        first: Any = args[0] if args else None
        if name == "aten::bernoulli_" and len(args) > 1 and isinstance(args[1], float):
            return args[0].fill_(args[1])
        if name == "aten::native_dropout":
            return first.clone(), torch.ones_like(first, dtype=torch.bool)
        if name in {"aten::bernoulli", "aten::rand", "aten::rand_like"}:
            return func(*args, **kwargs).fill_(0.999)
        return func(*args, **kwargs)


class Vocabularies(Operations):
    """Sees how many tokens the embeddings know that source and target are looked up in."""

    def __init__(self, src: Tensor | None, tgt: Tensor) -> None:
        super().__init__()
        self.sizes = {"src": 0, "tgt": 0}
        self._ids = {"tgt": tgt} if src is None else {"src": src, "tgt": tgt}

    def operation(self, func: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """Looks at the tables that tokens are looked up in."""
        if func._schema.name == "aten::embedding":
            for side, ids in self._ids.items():
                if any(torch.equal(args[1], turned) for turned in (ids, ids.T)):
                    self.sizes[side] = int(args[0].size(0))
        return func(*args, **kwargs)


class Caller:
    """Calls the module, always from the same state, the same seed and in the same mode.

    Args:
        module: the stranger's.
        state: how it was found.
        call: as the user gave it, or None for `module(src, tgt)` or `module(ids)`.
        seconds: how long one call may take.

    Attributes:
        still: chance is taken out of dropout.
        training: the module is called in `train()` instead of `eval()`.
        vocab: how many tokens the target's embedding and the logits know; 0 if unknown.
        printed: what the module has printed.
        hung: a call took too long, and nothing is run any more.
    """

    def __init__(
        self, module: nn.Module, state: ModuleState, call: Call | None, seconds: float
    ) -> None:
        self.module = module
        self.state = state
        self.call = call
        self.seconds = seconds
        self.still = False
        self.training = False
        self.vocab = 0
        self.printed = Printed()
        self.hung = False

    def settle(self) -> None:
        """Puts the module into the mode in which it is to be called."""
        self.module.train(self.training)
        for part in self.module.modules():
            if isinstance(part, nn.modules.batchnorm._BatchNorm):  # pyright: ignore[reportPrivateUsage]
                part.eval()  # in training it looks at the whole batch, as it is meant to

    def run(self, call: Callable[[], Any], *, restore: bool = True, seed: int = 0) -> Any:
        """Runs something of the stranger's; what it returns, as it is.

        Raises:
            CallFailed: it raised, or took too long; after that nothing is run any more.
        """
        if self.hung:
            raise CallFailed(self._too_long())
        if restore:
            self.state.restore()
        torch.manual_seed(seed)
        random.seed(seed)
        np.random.seed(seed)  # noqa: NPY002 - strangers still use it
        calm: AbstractContextManager[Any] = Still() if self.still else nullcontext()
        try:
            with warnings.catch_warnings(), calm, self.printed.listening():
                warnings.simplefilter("ignore")
                with time_limit(self.seconds):
                    return call()
        except TookTooLong as error:
            self.hung = True
            raise CallFailed(self._too_long()) from error
        except (Exception, SystemExit) as error:
            raise CallFailed(f"{type(error).__name__}: {error}") from error

    def _too_long(self) -> str:
        return f"one call took longer than {self.seconds:g} seconds; nothing was run after it"

    def returned(self, batch: Batch, *, restore: bool = True, seed: int = 0) -> Any:
        """What the module returns for a batch, as it is.

        Raises:
            CallFailed: it raised.
        """
        ids = (batch.tgt,) if batch.src is None else (batch.src, batch.tgt)

        def call() -> Any:
            return self.module(*ids) if self.call is None else self.call(self.module, *ids)

        return self.run(call, restore=restore, seed=seed)

    def vocabularies(self, batch: Batch) -> tuple[int, int]:
        """How many tokens the source's and the target's embedding know; 0 where none was seen.

        Raises:
            CallFailed: the module raised.
        """
        watch = Vocabularies(batch.src, batch.tgt)
        with torch.no_grad(), watch:
            returned = self.returned(batch)
        self.vocab = watch.sizes["tgt"]
        logits = find_logits(returned, batch, self.vocab)
        if logits is not None and int(batch.tgt.max()) < logits.size(-1) < self.vocab:
            # What a padded embedding knows beyond the logits, no loss can be asked for.
            self.vocab = int(logits.size(-1))
        return watch.sizes["src"], self.vocab

    def logits(self, batch: Batch, *, restore: bool = True, seed: int = 0) -> Tensor:
        """Logits, float32 [batch, tgt, vocab], on the CPU.

        Raises:
            CallFailed: the module raised, or returned nothing that looks like logits.
        """
        with torch.no_grad():
            returned = self.returned(batch, restore=restore, seed=seed)
        tensor = find_logits(returned, batch, self.vocab)
        if tensor is None:
            raise NoLogits(describe(returned), last_alone(returned, batch))
        return tensor.detach().float().cpu().clone()
