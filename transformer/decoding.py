"""Greedy decoding with a key/value cache."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal, cast

import torch
from torch import Tensor

from .model import DecoderCache, LanguageModel, Model

StopReason = Literal["eos", "max_steps", "max_length"]


@dataclass(frozen=True)
class Hypothesis:
    """What was decoded, and what nearly was.

    Attributes:
        ids: the emitted tokens, forced prefix included; the last is eos if `stop_reason` is "eos".
        stop_reason: "eos", the model ended the sentence; "max_steps" or "max_length", the caller's
            or the model's limit ended it.
        candidates: at every step, the `top_k` likeliest tokens as (id, probability), best first.
    """

    ids: tuple[int, ...]
    stop_reason: StopReason
    candidates: tuple[tuple[tuple[int, float], ...], ...]


@torch.inference_mode()
def greedy_decode(
    model: Model,
    src: Tensor | None,
    *,
    prefix: Sequence[int] = (),
    max_steps: int = 64,
    top_k: int = 10,
) -> list[Hypothesis]:
    """Emits the likeliest token, step after step, until the sentence ends.

    Args:
        model: in evaluation mode.
        src: int64 [batch, src], padded, each row ending in eos; None for a decoder-only model,
            which continues `prefix`.
        prefix: tokens that every hypothesis is made to begin with. One that ends in eos is the
            whole hypothesis.
        max_steps: the most tokens to emit after the prefix; at least 1.
        top_k: how many candidates to keep at every step; with 0 none are computed.
    Returns:
        One hypothesis for each row of `src`.
    Raises:
        ValueError: `max_steps` is not positive or `top_k` negative, a source is empty, or the
            prefix holds an id outside the vocabulary or an eos before its end, or is longer than
            the model's maximum length.
    """
    if max_steps < 1:
        raise ValueError(f"max_steps must be at least 1, not {max_steps}")
    if top_k < 0:
        raise ValueError(f"top_k must be at least 0, not {top_k}")
    config = model.config
    _check_prefix(prefix, config.tgt_vocab_size, config.eos_id, config.max_length)
    ended = bool(prefix) and prefix[-1] == config.eos_id
    room = config.max_length - len(prefix)  # decoder rows left, the one that reads <s> included
    steps = 0 if ended else min(max_steps, room)
    device = next(model.parameters()).device

    decode = _without(config.banned_ids, _stepper(model, src, len(prefix) + steps))
    batch = 1 if src is None else src.size(0)
    start = torch.tensor([config.bos_id, *prefix], device=device)
    tokens = start[: len(prefix) + (steps > 0)].expand(batch, -1)
    emitted = [start[1:].expand(batch, -1)]
    finished = torch.zeros(batch, dtype=torch.bool, device=device)
    logits = decode(tokens)
    rows = [logits]
    for step in range(steps):
        # A row that has ended goes on until all have; what it emits after its </s> is cut off.
        newest = logits[:, -1].argmax(-1)
        emitted.append(newest[:, None])
        finished |= newest == config.eos_id
        if finished.all() or step == steps - 1:
            break
        logits = decode(newest[:, None])
        if top_k:
            rows.append(logits)

    ids = cast(list[list[int]], torch.cat(emitted, dim=1).tolist())
    limit: StopReason = "max_length" if room < max_steps else "max_steps"
    return [
        _hypothesis(ids[i], [row[i] for row in rows], config.eos_id, limit, top_k)
        for i in range(batch)
    ]


def _check_prefix(prefix: Sequence[int], vocab_size: int, eos_id: int, max_length: int) -> None:
    for token in prefix:
        if not 0 <= token < vocab_size:
            raise ValueError(f"token {token} lies outside the vocabulary of {vocab_size} tokens")
    if eos_id in prefix[:-1]:
        raise ValueError("a prefix may hold the end-of-sentence token only as its last")
    if len(prefix) > max_length:
        raise ValueError(f"a prefix of {len(prefix)} tokens is longer than {max_length}")


def _stepper(model: Model, src: Tensor | None, max_target: int) -> Callable[[Tensor], Tensor]:
    """A function from the newest tokens [batch, new] to their logits [batch, new, vocab]."""
    layers = model.config.num_decoder_layers
    if isinstance(model, LanguageModel):
        cache = DecoderCache(layers, max_target)
        return lambda tokens: model.decoder(tokens, cache=cache)
    if src is None:
        raise ValueError("an encoder-decoder model needs a source")
    cache = DecoderCache(layers, max_target, src.size(1))
    src_mask = model.source_mask(src)
    if not src_mask.any(-1).all():
        raise ValueError("every source needs at least one token: attention to nothing is undefined")
    memory = model.encode(src, src_mask)
    cross_mask = None if src_mask.all() else src_mask
    return lambda tokens: model.decode(tokens, memory, src_mask=cross_mask, cache=cache)


def _without(
    banned_ids: tuple[int, ...], decode: Callable[[Tensor], Tensor]
) -> Callable[[Tensor], Tensor]:
    """`decode`, giving banned tokens no chance."""
    if not banned_ids:
        return decode
    banned = list(banned_ids)

    def decode_without(tokens: Tensor) -> Tensor:
        logits = decode(tokens)
        logits[..., banned] = -torch.inf
        return logits

    return decode_without


def _hypothesis(
    ids: list[int], rows: list[Tensor], eos_id: int, limit: StopReason, top_k: int
) -> Hypothesis:
    ended = eos_id in ids
    if ended:
        ids = ids[: ids.index(eos_id) + 1]
    candidates = _candidates(torch.cat(rows)[: len(ids)], top_k) if top_k else ((),) * len(ids)
    return Hypothesis(tuple(ids), "eos" if ended else limit, candidates)


def _candidates(logits: Tensor, top_k: int) -> tuple[tuple[tuple[int, float], ...], ...]:
    best = logits.softmax(-1).topk(min(top_k, logits.size(-1)))
    ids = cast(list[list[int]], best.indices.tolist())
    probabilities = cast(list[list[float]], best.values.tolist())
    return tuple(tuple(zip(*step, strict=True)) for step in zip(ids, probabilities, strict=True))
