"""Passes over the tokens of a trace, many variants at a time: what every experiment is made of."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager
from functools import partial
from typing import Literal

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor, nn

from ..errors import HeadlightError
from ..model.masks import padding_mask
from ..model.padding import pad
from ..recording.effects import Where
from ..recording.hooks import attached
from ..trace.changes import without_tokens
from ..trace.trace import AttentionTrace
from ..trace.words import Word
from ..translator import Translator

Logs = npt.NDArray[np.float64]

Part = tuple[nn.Module, tuple[int | slice | list[int], ...]]
"""A part of a model: of a module's output [batch, …], what an index picks of a row."""

CELLS = 2**21
"""Logits that are computed at a time: 8 MB, which the processor's cache may hold."""


def src_of(translator: Translator, trace: AttentionTrace) -> Tensor:
    """Ids that the encoder read, int64 [1, src]; [1, 0] for a decoder-only model."""
    return pad([trace.src_ids], translator.config.pad_id, translator.device)


def tgt_of(translator: Translator, trace: AttentionTrace) -> Tensor:
    """Ids that the decoder read, int64 [1, tgt]."""
    read = [translator.config.bos_id, *trace.tgt_ids[:-1]]
    return torch.tensor([read], device=translator.device)


def as_traced(translator: Translator, trace: AttentionTrace) -> AbstractContextManager[None]:
    """The model with whatever was changed in it when the trace was made, for a `with` block."""
    return translator.intervene(trace.interventions)


def check_step(trace: AttentionTrace, step: int) -> None:
    """Refuses a step that a trace does not have.

    Raises:
        HeadlightError: naming those that there are.
    """
    if not 0 <= step < len(trace.tgt_ids):
        raise HeadlightError(
            "bad_step", f"there is no step {step}: they count from 0 to {len(trace.tgt_ids) - 1}"
        )


@contextmanager
def as_traced_without(
    translator: Translator,
    trace: AttentionTrace,
    side: Literal["src", "tgt"],
    removed: Sequence[Word],
) -> Iterator[None]:
    """Changes a model as in a trace, for a batch of texts that have lost some tokens each."""
    with ExitStack() as stack:
        if all(change.row is None for change in trace.interventions):
            stack.enter_context(as_traced(translator, trace))
        else:
            for row, tokens in enumerate(removed):
                changes = without_tokens(trace.interventions, side, tokens)
                stack.enter_context(translator.intervene(changes, partial(Where, row)))
        yield


def logits_without(
    translator: Translator, trace: AttentionTrace, removed: Sequence[Word], tgt_in: Tensor
) -> Iterator[Tensor]:
    """What a decoder says over `tgt_in` [1, tgt] of a source without these tokens, or these, ….

    Args:
        translator: whose model made the trace.
        trace: whatever was changed in it stays changed.
        removed: places in its source, of each variant.
        tgt_in: ids, int64.
    Yields:
        Logits [variants, tgt, vocab], a few variants at a time.
    """
    pad_id = translator.config.pad_id
    left = [[i for at, i in enumerate(trace.src_ids) if at not in tokens] for tokens in removed]
    parts = chunks(translator, len(removed), tgt_in.size(1))
    if any(change.effect == "mixed" for change in trace.interventions):
        parts = [
            range(row, row + 1) for row in range(len(removed))
        ]  # else padding is mixed in, too
    for rows in parts:
        src = pad([left[row] for row in rows], pad_id, translator.device)
        mask = padding_mask(src, pad_id)
        with as_traced_without(translator, trace, "src", [removed[row] for row in rows]):
            memory = translator.model.encode(src, mask)
            logits = decoder_logits(translator, tgt_in.expand(len(rows), -1), memory, mask)
        yield logits


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
        src_mask: padding mask of the memory, bool [batch, 1, 1, src].
    """
    # Not model(…): its padding mask would hide a padding token that was emitted.
    logits = translator.model.decode(tgt_in, memory, src_mask=src_mask)
    return without_banned(translator, logits)


def without_banned(translator: Translator, logits: Tensor) -> Tensor:
    """Logits [..., vocab], −∞ for tokens that decoding never emits."""
    if banned := list(translator.config.banned_ids):
        return logits.index_fill(-1, torch.tensor(banned, device=logits.device), -torch.inf)
    return logits


def log_probabilities(logits: Tensor, ids: Sequence[int]) -> Logs:
    """Log-probabilities of `ids`, one a row of logits [batch, tgt, vocab] → [batch, tgt], nats."""
    chosen = torch.tensor(ids, device=logits.device).expand(logits.shape[:2])[..., None]
    return logits.log_softmax(-1).gather(-1, chosen)[..., 0].double().detach().cpu().numpy()


def row_by_row(
    parts: Sequence[Part], donors: Mapping[nn.Module, Tensor] | None = None
) -> AbstractContextManager[None]:
    """While the block runs, part i of row i of a batch is 0, or the module's donor's [1, …]."""
    rows: dict[nn.Module, list[tuple[int | slice | list[int], ...]]] = {}
    for row, (module, index) in enumerate(parts):
        rows.setdefault(module, []).append((row, *index))

    def change(module: nn.Module, _args: object, output: Tensor) -> Tensor:
        changed = output.clone()
        for row, *index in rows[module]:
            changed[(row, *index)] = donors[module][(0, *index)] if donors else 0
        return changed

    return attached((module, change) for module in rows)


def chunks(translator: Translator, num_rows: int, num_tokens: int) -> list[range]:
    """Rows 0 to `num_rows` of `num_tokens` each, cut so that a pass takes little memory."""
    size = max(1, CELLS // (num_tokens * translator.config.tgt_vocab_size))
    return [range(start, min(start + size, num_rows)) for start in range(0, num_rows, size)]
