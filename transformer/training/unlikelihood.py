"""Against stutter: a token that has been written is made less likely to be written again.

Welleck et al. 2020, "Neural Text Generation with Unlikelihood Training", equations 4 and 5.
"""

import torch
from torch import Tensor

from ..text.tokenizer import PAD_ID, Tokenizer

HIGHEST = 1 - 1e-4
"""A probability counts as at most this, so that its loss stays finite."""


def unlikelihood(logits: Tensor, tgt: Tensor, repeatable: Tensor) -> Tensor:
    """-log(1 - p) of each token that stands earlier in its row, and is not the next one.

    Args:
        logits: [batch, tgt, vocab], of teacher forcing.
        tgt: [batch, tgt + 1]. What stands there several times counts once; padding, not at all.
        repeatable: int64 [id], which do not count: to say them twice is no stutter; see `digits`.

    Returns:
        the sum, in nats: a scalar.
    """
    written, right = tgt[:, :-1], tgt[:, 1:, None]
    again = written[:, :, None] == written[:, None, :]  # [batch, tgt, tgt]
    first = ~again.tril(-1).any(-1)
    before = torch.ones_like(again[0]).tril()
    negative = first[:, None, :] & before & (written[:, None, :] != right) & (right != PAD_ID)
    negative &= ~torch.isin(written, repeatable)[:, None, :]
    candidates = written[:, None, :].expand_as(again)
    log_p = logits.gather(-1, candidates) - logits.logsumexp(-1, keepdim=True)
    return -torch.log1p(-log_p.exp().clamp(max=HIGHEST))[negative].sum()


def digits(tokenizer: Tokenizer) -> Tensor:
    """The ids of single digits, int64 [digits]: a model that dreads repetition makes 10 of 100."""
    pieces = enumerate(tokenizer.pieces(range(tokenizer.vocab_size)))
    return torch.tensor([i for i, piece in pieces if piece.isdigit()], dtype=torch.int64)
