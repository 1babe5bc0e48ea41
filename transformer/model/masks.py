"""Attention masks: bool, True = may attend. Combine them with `&`.

Every mask of the model is made here, in this one sense, and broadcasts to
[batch, head, query, key].
"""

import torch
from torch import Tensor


def padding_mask(ids: Tensor, pad_id: int) -> Tensor:
    """Lets every query attend to the real tokens of its own sentence.

    Args:
        ids: int64 [batch, key], filled up with `pad_id`.
        pad_id: the padding token.
    Returns:
        bool [batch, 1, 1, key]; False at padding.
    """
    return (ids != pad_id)[:, None, None, :]


def causal_mask(num_queries: int, num_keys: int, device: torch.device | None = None) -> Tensor:
    """Lets a token attend to itself and to what came before it.

    Args:
        num_queries: rows; they are the last `num_queries` of the `num_keys` positions, so that
            a decoding step, which computes one new row, gets that row of the square mask.
        num_keys: columns.
        device: where to make it.
    Returns:
        bool [1, 1, query, key]; False above the diagonal.
    """
    mask = torch.ones(num_queries, num_keys, dtype=torch.bool, device=device)
    return mask.tril(num_keys - num_queries)[None, None]


def target_mask(ids: Tensor, pad_id: int) -> Tensor:
    """The causal mask and the padding mask together, for teacher forcing on a batch of targets.

    The first token starts the target, so it may always be attended to, even where a model starts
    from its padding token, as Marian does; no row is ever fully masked.

    Args:
        ids: int64 [batch, tgt], filled up with `pad_id`.
        pad_id: the padding token.
    Returns:
        bool [batch, 1, tgt, tgt]
    """
    real = padding_mask(ids, pad_id)
    real[..., 0] = True
    return real & causal_mask(ids.size(1), ids.size(1), ids.device)
