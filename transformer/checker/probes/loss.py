"""The training loss: which token does it ask for at each position, and with what gradient?

The gradient of a cross-entropy with respect to the logits is softmax − one-hot: its only negative
entry is the token that is asked for. So it does not matter how the loss is written.
"""

from collections.abc import Callable
from typing import Any, cast

import torch
from torch import Tensor, nn

from ..batches import Batch
from ..calling import find_logits
from ..clues import OF_LOSS, Clues

Loss = Callable[..., Any]


def probe_loss(module: nn.Module, loss: Loss, batch: Batch, pad_id: int, clues: Clues) -> None:
    """`target_not_shifted`, `pad_in_loss` and `softmax_before_cross_entropy`.

    Args:
        module: in `eval()` mode.
        loss: as the user gave it.
        batch: its targets end in padding.
        pad_id: the padding token.
        clues: to add to.
    """
    tap = _Tap(batch.tgt)
    ids = (batch.tgt,) if batch.src is None else (batch.src, batch.tgt)
    handle = module.register_forward_hook(tap, with_kwargs=True)
    try:
        with torch.enable_grad():
            value = loss(module, *ids)
            logits = tap.logits
            if logits is None or not isinstance(value, Tensor) or value.numel() != 1:
                clues.cannot_tell(*OF_LOSS)
                return
            gradients = torch.autograd.grad(value, logits, allow_unused=True)
    finally:
        handle.remove()
    gradient = cast(Tensor | None, gradients[0])
    shaped = None if gradient is None else find_logits(gradient, tap.given)
    values = find_logits(logits, tap.given)
    if shaped is None or values is None:
        clues.cannot_tell(*OF_LOSS)
        return
    _judge(values.detach().float(), shaped.float(), tap, pad_id, clues)


class _Tap:
    """A forward hook that cuts the logits off the model, so that a gradient can stop there."""

    def __init__(self, tgt: Tensor) -> None:
        self.given = tgt
        self.logits: Tensor | None = None

    def __call__(
        self, module: nn.Module, args: tuple[Any, ...], kwargs: dict[str, Any], output: Any
    ) -> Any:
        del module
        read = [a for a in [*args, *kwargs.values()] if isinstance(a, Tensor)]
        longs = [t for t in read if t.dtype == torch.int64 and t.dim() == 2]
        batch = self.given.size(0)
        rows = [t for t in longs if t.size(0) == batch or t.size(1) == batch]
        if rows:
            last = rows[-1] if len(rows) < 3 else rows[1]
            self.given = last if last.size(0) == batch else last.T
        whole = isinstance(output, Tensor)
        several = isinstance(output, list | tuple)
        parts: list[Any] = list(cast(tuple[Any, ...], output)) if several else [output]
        for index, part in enumerate(parts):
            if isinstance(part, Tensor) and find_logits(part, self.given) is not None:
                parts[index] = self.logits = _clear(part)
                return parts[0] if whole else tuple(parts)
        found = getattr(cast(object, output), "logits", None)
        self.logits = found if isinstance(found, Tensor) and found.requires_grad else None
        return None


def _clear(logits: Tensor) -> Tensor:
    """Logits of the same kind that are far from uniform, where gradients tell most."""
    values = logits.detach().float()
    clear = torch.randn(values.shape, generator=torch.Generator().manual_seed(2)) * 2
    if is_probabilities(values):
        clear = clear.softmax(-1)
    elif is_probabilities(values.exp()):
        clear = clear.log_softmax(-1)
    return clear.to(logits).requires_grad_()


def is_probabilities(values: Tensor) -> bool:
    """Whether rows are positive and sum to one."""
    return bool((values >= 0).all()) and bool(((values.sum(-1) - 1).abs() < 1e-3).all())


def _judge(logits: Tensor, gradient: Tensor, tap: _Tap, pad_id: int, clues: Clues) -> None:
    given = tap.given[:, : gradient.size(1)]
    counted = gradient.abs().amax(-1) > 1e-12  # [batch, tgt]
    asked = gradient.argmin(-1)
    wants_padding = counted & (asked == pad_id)
    if bool(wants_padding.any()):
        share = float(gradient[wants_padding].abs().sum() / gradient.abs().sum())
        clues.add("pad_in_loss", "pad_in_loss", places=int(wants_padding.sum()), share=share)
    real = counted & (asked != pad_id) & (given != pad_id)
    real[:, 0] = False  # some targets begin with a token that is asked for, too
    if not bool(real.any()):
        clues.cannot_tell("target_not_shifted")
    elif bool((asked[real] == given[real]).all()):
        clues.add("target_not_shifted", "target_not_shifted", places=int(real.sum()))
    _judge_softmax(logits[counted], gradient[counted], asked[counted], clues)


def _judge_softmax(logits: Tensor, gradient: Tensor, asked: Tensor, clues: Clues) -> None:
    """Does the gradient belong to cross_entropy(logits), or to cross_entropy(softmax(…))?"""
    if not len(logits):
        clues.cannot_tell("softmax_before_cross_entropy")
        return
    probabilities = logits.softmax(-1)
    once = _slope(logits, asked)
    if is_probabilities(logits) and _parallel(gradient, once):
        clues.add("softmax_before_cross_entropy", "model_gives_probabilities")
        return
    twice = _slope_through(probabilities, asked)
    if _parallel(gradient, twice) and not _parallel(gradient, once):
        clues.add("softmax_before_cross_entropy", "loss_takes_softmax_twice")


def _slope(logits: Tensor, asked: Tensor) -> Tensor:
    slope = logits.softmax(-1)
    slope[torch.arange(len(asked)), asked] -= 1
    return slope


def _slope_through(probabilities: Tensor, asked: Tensor) -> Tensor:
    """The gradient of cross_entropy(softmax(logits)) with respect to the logits."""
    outer = _slope(probabilities, asked)
    inner = (outer * probabilities).sum(-1, keepdim=True)
    return probabilities * (outer - inner)


def _parallel(a: Tensor, b: Tensor) -> bool:
    """Whether rows point the same way; each row may have a weight of its own."""
    cosine = torch.cosine_similarity(a.double(), b.double(), dim=-1)
    return bool((cosine > 0.9999).all())
