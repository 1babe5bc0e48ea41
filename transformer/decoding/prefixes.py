"""What hypotheses are made to begin with."""

from collections.abc import Sequence
from typing import Any, cast

import torch
from torch import Tensor

from ..errors import HeadlightError
from ..model.config import TransformerConfig
from ..model.padding import pad

Prefix = Sequence[int] | Sequence[Sequence[int]] | Tensor
"""Ids for every hypothesis, [prefix], or for each its own, [hypothesis, prefix]."""


def read_prefixes(prefix: Prefix, config: TransformerConfig, batch: int | None) -> list[list[int]]:
    """A prefix for each row, [row][id]; `batch` is None where the prefixes say how many there are.

    Raises:
        ValueError: there are more or fewer of them than rows.
        HeadlightError: see `check_prefix`.
    """
    values = cast(list[Any], prefix.tolist() if isinstance(prefix, Tensor) else list(prefix))
    own = bool(values) and not isinstance(values[0], int)
    prefixes = [list(row) for row in values] if own else [values] * (batch or 1)
    if batch not in (None, len(prefixes)):
        raise ValueError(f"{len(prefixes)} prefixes for {batch} sources")
    for ids in prefixes:
        check_prefix(ids, config)
    return prefixes


def check_prefix(prefix: Sequence[int], config: TransformerConfig) -> None:
    """Refuses ids that no target of a model of this config begins with.

    Raises:
        HeadlightError: naming the token, or the limit.
    """
    outside = [token for token in prefix if not 0 <= token < config.tgt_vocab_size]
    if outside:
        raise HeadlightError(
            "bad_prefix",
            f"A prefix cannot hold token {outside[0]}: it lies outside the vocabulary of "
            f"{config.tgt_vocab_size} tokens.",
        )
    if config.eos_id in prefix[:-1]:
        raise HeadlightError(
            "bad_prefix", "A prefix may hold the end-of-sentence token only as its last."
        )
    length = len(prefix)
    if length > config.max_length:
        raise HeadlightError(
            "prefix_too_long",
            f"A prefix of {length} tokens is longer than {config.max_length}, the longest that "
            "this model writes.",
            length=length,
            limit=config.max_length,
        )


class Forced:
    """Puts the tokens of the prefixes in the place of those that were chosen."""

    def __init__(self, prefixes: Sequence[Sequence[int]], device: torch.device) -> None:
        self.tokens = pad(prefixes, 0, device)
        self._lengths = torch.tensor([len(ids) for ids in prefixes], device=device)

    def keep(self, places: Sequence[int]) -> None:
        """Leaves all rows out but those at these places."""
        self.tokens, self._lengths = self.tokens[places], self._lengths[places]

    def __call__(self, chosen: Tensor, position: int) -> Tensor:
        """`chosen` [batch], but for rows whose prefix reaches as far as `position`."""
        if position >= self.tokens.size(1):
            return chosen
        return torch.where(self._lengths > position, self.tokens[:, position], chosen)
