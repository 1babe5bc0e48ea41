"""Scaled dot-product attention and multi-head attention, as in Vaswani et al. 2017, section 3.2."""

from collections.abc import Sequence

import torch
from torch import Tensor, nn

from .dropout import Dropout
from .half_linear import features
from .module import HookPoint, Module


def attention_scores(query: Tensor, key: Tensor) -> Tensor:
    """How well each query matches each key: q·k / √d_head.

    Args:
        query: [batch, head, query, d_head]
        key: [batch, head, key, d_head]
    Returns:
        [batch, head, query, key], before masking and softmax.
    Source: Vaswani et al. 2017, equation 1.
    """
    return (query * query.size(-1) ** -0.5) @ key.transpose(-2, -1)


def attention_weights(scores: Tensor, mask: Tensor | None = None) -> Tensor:
    """How much each query attends to each key: the softmax over the keys that the mask allows.

    Args:
        scores: [batch, head, query, key]
        mask: bool, broadcastable to `scores`; True = may attend. None allows everything. A row
            that allows nothing is the caller's mistake and gives NaN.
    Returns:
        [batch, head, query, key], dimensionless; each row sums to 1, exactly 0 where masked.
    Raises:
        TypeError: the mask is not bool. An additive mask, or an int one whose 1 means padding,
            would silently block just the wrong cells.
        ValueError: the mask does not broadcast to the scores.
    Source: Vaswani et al. 2017, equation 1.
    """
    if mask is not None:
        if mask.dtype != torch.bool:
            raise TypeError(f"a mask must be torch.bool (True = may attend), not {mask.dtype}")
        try:
            scores = scores.masked_fill(~mask.expand_as(scores), float("-inf"))
        except RuntimeError as error:
            raise ValueError(
                f"a mask of shape {tuple(mask.shape)} does not broadcast to scores of shape "
                f"{tuple(scores.shape)} [batch, head, query, key]"
            ) from error
    return scores.softmax(dim=-1)


class KeyValueCache:
    """The keys and values that one attention module has computed in earlier decoding steps.

    Memory for `capacity` positions is taken once, at the first step.
    """

    def __init__(self, capacity: int) -> None:
        self.capacity = capacity
        self.length = 0
        self._buffer: Tensor | None = None

    def append(self, key_value: Tensor) -> Tensor:
        """Adds the newest positions, [key and value, batch, head, new, d_head], and returns all."""
        if self._buffer is None:
            *sizes, _, d_head = key_value.shape
            self._buffer = key_value.new_empty(*sizes, self.capacity, d_head)
        start, self.length = self.length, self.length + key_value.size(3)
        self._buffer[..., start : self.length, :] = key_value
        return self.contents()

    def keep(self, rows: Sequence[int]) -> None:
        """Forgets all rows of the batch but these, which move together in this order."""
        if self._buffer is not None:
            contents = self.contents()[:, rows]
            self._buffer = self._buffer[:, : len(rows)]
            self._buffer[..., : self.length, :] = contents

    def contents(self) -> Tensor:
        """Keys and values of all tokens so far, [key and value, batch, head, length, d_head]."""
        if self._buffer is None:
            raise ValueError("the cache is empty: nothing has been decoded with it")
        return self._buffer[..., : self.length, :]


class MultiHeadAttention(Module):
    """Several heads attend side by side, each in its own d_head-dimensional projections.

    The query, key and value projections are stored as one matrix [3 · d_model, d_model], in this
    order, because one large product is faster than three.

    The hook points `query`, `key`, `value` and `attended` (the weighted mean of the values, before
    the output projection) see [batch, head, length, d_head]; `scores` (before masking) and
    `weights` (after the softmax and before dropout) see [batch, head, query, key].
    """

    def __init__(self, d_model: int, num_heads: int, dropout: float) -> None:
        super().__init__()
        self.num_heads = num_heads
        self.d_head = d_model // num_heads
        self.query_key_value = nn.Linear(d_model, 3 * d_model)
        self.output = nn.Linear(d_model, d_model)
        self.dropout = Dropout(dropout)
        self.query = HookPoint()
        self.key = HookPoint()
        self.value = HookPoint()
        self.scores = HookPoint()
        self.weights = HookPoint()
        self.attended = HookPoint()

    def forward(
        self,
        x: Tensor,
        memory: Tensor | None = None,
        mask: Tensor | None = None,
        cache: KeyValueCache | None = None,
    ) -> Tensor:
        """Lets each position of `x` gather what it needs from `memory`.

        Args:
            x: [batch, query, d_model], where the queries come from.
            memory: [batch, key, d_model], where keys and values come from; None means `x` itself
                (self-attention).
            mask: bool, broadcastable to [batch, head, query, key]; True = may attend.
            cache: what earlier steps computed. Self-attention appends to it; cross-attention, whose
                memory never changes, fills it once and then reads it.
        Returns:
            [batch, query, d_model]
        """
        query, key, value = self._project(x, memory, cache)
        query, key, value = self.query(query), self.key(key), self.value(value)
        scores = self.scores(attention_scores(query, key))  # [batch, head, query, key]
        weights = self.weights(attention_weights(scores, mask))
        attended = self.attended(self.dropout(weights) @ value)  # [batch, head, query, d_head]
        return self.output(attended.transpose(1, 2).flatten(2))  # [batch, query, d_model]

    def _project(
        self, x: Tensor, memory: Tensor | None, cache: KeyValueCache | None
    ) -> tuple[Tensor, Tensor, Tensor]:
        """Queries of `x`, and the keys and values they meet: [batch, head, length, d_head] each."""
        if memory is None:
            projected = self._split_heads(self.query_key_value(x))
            query, key_value = projected[0], projected[1:]  # [1 and 2, batch, head, …]
        else:
            d_model = x.size(-1)
            query = self._split_heads(features(self.query_key_value, x, 0, d_model))[0]
            if cache is not None and cache.length:
                key, value = cache.contents()
                return query, key, value
            projected = features(self.query_key_value, memory, d_model, 3 * d_model)
            key_value = self._split_heads(projected)
        key, value = key_value if cache is None else cache.append(key_value)
        return query, key, value

    def _split_heads(self, projected: Tensor) -> Tensor:
        """[batch, length, parts · d_model] → [parts, batch, head, length, d_head]."""
        shape = (*projected.shape[:2], -1, self.num_heads, self.d_head)
        return projected.view(shape).permute(2, 0, 3, 1, 4)
