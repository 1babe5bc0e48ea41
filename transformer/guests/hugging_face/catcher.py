"""The one softmax of an attention, caught: its scores go in, its weights come out, through points.

What hooks change flows on through the family's own code, so that nothing of it is written anew.
"""

from collections.abc import Callable, Sequence
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor
from torch.overrides import TorchFunctionMode

from ...errors import HeadlightError
from .points import Points

SOFTMAXES = {F.softmax, torch.softmax, torch.Tensor.softmax}
FAR_BELOW = -5_000.0
"""No score lies so low; CTRL masks with -10,000, most others with the least number there is."""


def hidden(scores: Tensor) -> Tensor:
    """The cells of masked scores that a row may not attend to: bool, in the scores' shape."""
    return scores <= FAR_BELOW


class Softmaxes(TorchFunctionMode):
    """Lets softmaxes over keys go through hook points.

    Args:
        where: asked at each softmax: the points that it is for, and how many of its columns are
            keys (0: all); None leaves it alone.
    """

    def __init__(self, where: Callable[[Tensor], tuple[Points, int] | None]) -> None:
        super().__init__()
        self._where = where
        self.caught = 0

    def __torch_function__(
        self,
        func: Callable[..., Any],
        types: Sequence[type],
        args: Sequence[Any] = (),
        kwargs: dict[str, Any] | None = None,
    ) -> Any:
        """Runs every operation as it is, but for softmaxes."""
        kwargs = kwargs or {}
        if func not in SOFTMAXES:
            return func(*args, **kwargs)
        scores: Tensor = args[0] if args else kwargs["input"]
        place = self._where(scores)
        if place is None:
            return func(*args, **kwargs)
        self.caught += 1

        def softmax(changed: Tensor) -> Tensor:
            if args:
                return func(changed, *args[1:], **kwargs)
            return func(**{**kwargs, "input": changed})

        return through(*place, scores, softmax)


def through(
    points: Points, keys: int, scores: Tensor, softmax: Callable[[Tensor], Tensor]
) -> Tensor:
    """The softmax of scores, by way of hook points.

    Args:
        points: of its layer.
        keys: how many columns are keys; those after them are a sink. 0: all, of a family outside
            the interface.
        scores: [batch, head, query, key + sink], masked; or [batch * head, query, key].
        softmax: the family's own.
    """
    shape = scores.shape
    four = _of_texts(scores, points)
    own = four[..., :keys] if keys else four
    changed = points.scores(own)
    if changed is not own:
        masked = hidden(own)
        changed = torch.where(masked, own, changed)
        if (hidden(changed).all(-1) & ~masked.all(-1)).any():
            raise HeadlightError(
                "masked_row",
                f"A row of {points.kind} in layer {points.layer + 1} would have nothing to attend "
                "to: what the change leaves lies outside what the layer may see",
            )
        if keys and keys < shape[-1]:
            changed = torch.cat([changed, four[..., keys:]], -1)
        scores = changed.reshape(shape)
    whole = softmax(scores)
    four = _of_texts(whole, points)
    own = four[..., :keys] if keys else four
    if keys and keys < shape[-1]:
        points.sink(four[..., keys:].sum(-1, keepdim=True))
    weights = points.weights(own)
    if not keys:
        # Outside the interface, what a head hands on changes as the weights do that make it.
        weights = points.attended(weights)
    if weights is own:
        return whole
    if keys and keys < shape[-1]:
        weights = torch.cat([weights, four[..., keys:]], -1)
    return weights.reshape(shape)


def _of_texts(rows: Tensor, points: Points) -> Tensor:
    """Scores or weights, [batch, head, query, key]; FSMT's have batch and heads in one axis."""
    if rows.ndim == 4:
        return rows
    return rows.reshape(-1, points.heads or rows.size(0), *rows.shape[1:])
