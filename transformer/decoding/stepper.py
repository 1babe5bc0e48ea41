"""The decoder with what it keeps from step to step."""

from collections.abc import Sequence

import torch
from torch import Tensor

from ..model.towers import DecoderCache, Model


class Stepper:
    """A step from the newest tokens [rows, new] to their logits [rows, new, vocab].

    Args:
        model: in evaluation mode.
        src: int64 [rows, src]; it is read here, once.
        max_target: the most tokens that the decoder will read.
    Raises:
        ValueError: a source of a model that has an encoder is empty.
    """

    def __init__(self, model: Model, src: Tensor, max_target: int) -> None:
        config, mask = model.config, model.source_mask(src)
        if not config.decoder_only and not mask.any(-1).all():
            raise ValueError(
                "every source needs at least one token: attention to nothing is undefined"
            )
        self._model = model
        self._memory = model.encode(src, mask)
        self._mask = None if mask.all() else mask
        self._cache = DecoderCache(config.num_decoder_layers, max_target, src.size(1))
        self._banned = torch.tensor(config.banned_ids, dtype=torch.int64, device=src.device)

    def __call__(self, tokens: Tensor) -> Tensor:
        """Banned tokens get no chance."""
        logits = self._model.decode(tokens, self._memory, src_mask=self._mask, cache=self._cache)
        return logits.index_fill_(-1, self._banned, -torch.inf)

    def keep(self, places: Sequence[int]) -> None:
        """Leaves all rows out but those at these places."""
        self._cache.keep(places)
        self._memory = self._memory[places]
        self._mask = None if self._mask is None else self._mask[places]
