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
    shaped = [tensor for _, tensor in fits if tensor is not None]
    widths = {ids.size(1) for ids in (batch.src, batch.tgt) if ids is not None}

    def unlikely(tensor: Tensor) -> tuple[bool, bool]:
        weights = tensor.size(-1) in widths and is_probabilities(tensor)
        return weights, tensor.size(-1) != vocab

    return min(shaped, key=unlikely, default=None)


def candidates(returned: Any) -> list[Tensor]:
    """Every tensor, of any shape, in what a module returned, those called logits first."""
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


def describe(returned: Any) -> str:
    """What a module returned, in short."""
    if isinstance(returned, Tensor):
        return f"{str(returned.dtype).removeprefix('torch.')} {list(returned.shape)}"
    if isinstance(returned, dict):
        parts = cast(dict[Any, Any], returned).items()
        return "{" + ", ".join(f"{name}: {describe(part)}" for name, part in parts) + "}"
    if isinstance(returned, list | tuple):
        return "(" + ", ".join(describe(part) for part in cast(list[Any], returned)) + ")"
    return "None" if returned is None else type(returned).__name__


def last_alone(returned: Any, batch: Batch) -> str:
    """A description of the tensor that looks like logits of the last position; "" if none does."""
    rows, length = batch.tgt.shape
    for tensor in candidates(returned):
        shape = tuple(tensor.shape)
        single = shape[1:2] == (1,) if len(shape) == 3 else len(shape) == 2
        if length > 2 and tensor.is_floating_point() and single and shape[0] == rows:
            return describe(tensor)
    return ""


def is_probabilities(values: Tensor) -> bool:
    """Whether the rows of a tensor [..., class] are positive and sum to one."""
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
