"""Passes over the tokens of a trace, many variants at a time: what every experiment is made of."""

from collections.abc import Sequence
from contextlib import AbstractContextManager

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor

from ..model.padding import pad
from ..recording.trace import AttentionTrace
from ..translator import Translator

Logs = npt.NDArray[np.float64]

CELLS = 2**21
"""As many logits as are computed at a time: 8 MB, which the processor's cache may hold."""


def src_of(translator: Translator, trace: AttentionTrace) -> Tensor:
    """What the encoder read, int64 [1, src]; [1, 0] for a decoder-only model."""
    return pad([trace.src_ids], translator.config.pad_id, translator.device)


def tgt_of(translator: Translator, trace: AttentionTrace) -> Tensor:
    """What the decoder read, int64 [1, tgt]."""
    read = [translator.config.bos_id, *trace.tgt_ids[:-1]]
    return torch.tensor([read], device=translator.device)


def as_traced(translator: Translator, trace: AttentionTrace) -> AbstractContextManager[None]:
    """The model with whatever was changed in it when the trace was made, for a `with` block."""
    return translator.intervene(trace.interventions)


def decoder_logits(
    translator: Translator,
    tgt_in: Tensor,
    memory: Tensor,
    src_mask: Tensor | None = None,
) -> Tensor:
    """Logits [batch, tgt, vocab], −∞ for tokens that decoding never emits.

    Args:
        translator: whose model.
        tgt_in: int64 [batch, tgt].
        memory: [batch, src, d_model].
        src_mask: padding mask of the memory.
    """
    # Not model(…): its padding mask would hide a padding token that was emitted.
    logits = translator.model.decode(tgt_in, memory, src_mask=src_mask)
    return without_banned(translator, logits)


def without_banned(translator: Translator, logits: Tensor) -> Tensor:
    """Logits [..., vocab], −∞ for tokens that decoding never emits."""
    if banned := list(translator.config.banned_ids):
        logits = logits.clone()
        logits[..., banned] = -torch.inf
    return logits


def log_probabilities(logits: Tensor, ids: Sequence[int]) -> Logs:
    """Of the tokens `ids`, one for each row of logits [batch, tgt, vocab] → [batch, tgt], nats."""
    chosen = torch.tensor(ids, device=logits.device).expand(logits.shape[:2])[..., None]
    # Only one token of each row is wanted: no need to write the whole log_softmax.
    logs = logits.gather(-1, chosen)[..., 0].double() - logits.logsumexp(-1).double()
    return logs.detach().cpu().numpy()


def chunks(translator: Translator, num_rows: int, num_tokens: int) -> list[range]:
    """Rows 0 to `num_rows` of `num_tokens` each, cut so that a pass takes little memory."""
    size = max(1, CELLS // (num_tokens * translator.config.tgt_vocab_size))
    return [range(start, min(start + size, num_rows)) for start in range(0, num_rows, size)]
