"""Which of the things that a module returned are its logits."""

from typing import Any, cast

from torch import Tensor

from .batches import Batch


def find_logits(returned: Any, batch: Batch, vocab: int = 0) -> Tensor | None:
    """The logits among what a module returned, as [batch, tgt, vocab]; None if there are none.

    Attention weights may be returned, too, before or after: they are as wide as a sentence and
    their rows sum to 1, where logits are as wide as the vocabulary, if that is known.
    """
    fits = [(tensor, _shape(tensor, batch)) for tensor in candidates(returned)]
    shaped = [found for _, found in fits if found is not None]
    widths = {ids.size(1) for ids in (batch.src, batch.tgt) if ids is not None}

    def unlikely(found: Tensor) -> tuple[bool, bool]:
        weights = found.size(-1) in widths and is_probabilities(found)
        return weights, found.size(-1) != vocab

    return min(shaped, key=unlikely, default=None)


def candidates(returned: Any) -> list[Tensor]:
    """Every tensor in what a module returned, those called logits first."""
    if isinstance(returned, Tensor):
        return [returned]
    if isinstance(returned, dict):
        named = cast(dict[str, Any], returned)
        first = [named["logits"]] if "logits" in named else []
        return [t for t in [*first, *named.values()] if isinstance(t, Tensor)]
    if isinstance(returned, list | tuple):
        parts = cast(list[Any], returned)
        return [tensor for part in parts for tensor in candidates(part)]
    logits = getattr(returned, "logits", None)
    return [logits] if isinstance(logits, Tensor) else []


def is_probabilities(values: Tensor) -> bool:
    """Whether rows are positive and sum to one."""
    return bool((values >= 0).all()) and bool(((values.sum(-1) - 1).abs() < 1e-3).all())


def _shape(tensor: Tensor, batch: Batch) -> Tensor | None:
    rows, length = batch.tgt.shape
    lengths = {length, length - 1}
    if not tensor.is_floating_point():
        return None
    if tensor.dim() == 2:
        if tensor.size(0) % rows == 0 and tensor.size(0) > rows:
            return tensor.view(rows, -1, tensor.size(-1))
        return tensor[:, None] if batch.encoder and tensor.size(0) == rows else None
    if tensor.dim() != 3:
        return None
    if tensor.size(0) == rows and tensor.size(1) in lengths:
        return tensor
    if tensor.size(1) == rows and tensor.size(0) in lengths:
        return tensor.transpose(0, 1)
    if tensor.size(0) == rows and tensor.size(2) in lengths:
        return tensor.transpose(1, 2)
    return None
