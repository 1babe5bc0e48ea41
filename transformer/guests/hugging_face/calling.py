"""Passes of a model of transformers over whole texts, and what it raises as a sentence."""

import inspect
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import torch

from ...errors import GuestError, HeadlightError

TYPES = "token_type_ids"
"""The argument that says which of two sentences each token is of."""


@contextmanager
def failing_plainly(model: Any, what: str) -> Iterator[None]:
    """Says whose error it is that a model's own code raises in the block.

    Raises:
        HeadlightError: naming the model, and the first line of its error.
    """
    try:
        yield
    except HeadlightError:
        raise
    except Exception as error:
        why = (str(error).strip().splitlines() or [""])[0]
        full = isinstance(error, MemoryError) or "out of memory" in why or "allocate memory" in why
        raise GuestError(
            f"{type(model).__name__}'s own {what} raised {type(error).__name__}: {why[:200]}",
            "guest_memory" if full else "guest_fails",
            model=type(model).__name__,
        ) from error


def forward(
    model: Any,
    read: Mapping[str, Sequence[int]],
    types: Sequence[int] | None = None,
    *,
    rows: int = 1,
    gradients: bool = False,
) -> Any:
    """One pass over whole texts.

    Args:
        model: of transformers.
        read: by the argument's name, ids.
        types: which of two sentences each token is of, where the model is told.
        rows: so many times the same, in one batch.
        gradients: whether the pass can be differentiated.
    """
    device = next(model.parameters()).device
    arguments: dict[str, Any] = {
        name: torch.tensor([[*ids]] * rows, device=device) for name, ids in read.items()
    }
    arguments["attention_mask"] = torch.ones_like(arguments["input_ids"])
    if types is not None and reads_types(model):
        arguments[TYPES] = torch.tensor([[*types]] * rows, device=device)
    if not gradients:
        return call(model, arguments)
    with failing_plainly(model, "forward"):
        return model(**arguments, **plainly(model))


def token_logits(returned: Any) -> torch.Tensor:
    """What a pass says of every token, [batch, token, vocab], by whatever name."""
    logits = getattr(returned, "logits", None)
    return returned.prediction_logits if logits is None else logits


def reads_types(model: Any) -> bool:
    """Whether a model is told which of two sentences each token is of."""
    return TYPES in inspect.signature(model.forward).parameters


def call(model: Any, arguments: Mapping[str, Any]) -> Any:
    """One pass without a cache, where the model has one, and without gradients."""
    with torch.no_grad(), failing_plainly(model, "forward"):
        return model(**arguments, **plainly(model))


def plainly(model: Any) -> dict[str, Any]:
    """Arguments of a pass that keeps nothing."""
    names = inspect.signature(model.forward).parameters
    return {"use_cache": False} if "use_cache" in names else {}
