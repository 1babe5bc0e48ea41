"""Decoding with a key/value cache: greedily, or by drawing lots."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal, cast

import torch
from torch import Tensor

from .config import TransformerConfig
from .errors import HeadlightError
from .model import DecoderCache, LanguageModel, Model

StopReason = Literal["eos", "max_steps", "max_length"]


@dataclass(frozen=True)
class Sampling:
    """Drawing each token by its probability, instead of always taking the likeliest.

    The draw at a position depends on the seed and on that position alone, on every machine: a
    prefix of what was drawn is continued as it was, and a link to a sampled text shows that text.

    Attributes:
        temperature: above 0, at most 100. Logits are divided by it: below 1 the likely tokens
            gain, above 1 the unlikely ones.
        top_k: draw among so many likeliest tokens; 0 means among all.
        seed: where the random numbers start, from 0 to 2**63 - 1.

    Raises:
        HeadlightError: a number is out of range.
    """

    temperature: float = 1.0
    top_k: int = 0
    seed: int = 0

    def __post_init__(self) -> None:
        fine = 0 < self.temperature <= 100 and self.top_k >= 0 and 0 <= self.seed < 2**63
        if not fine:
            raise HeadlightError(
                "bad_sampling",
                "Sampling needs a temperature above 0 and at most 100, a top-k of at least 0 and a "
                f"seed from 0 to 2**63 - 1, not {self.temperature}, {self.top_k} and {self.seed}.",
            )


@dataclass(frozen=True)
class Hypothesis:
    """What was decoded, and what nearly was.

    Attributes:
        ids: the emitted tokens, forced prefix included; the last is eos if `stop_reason` is "eos".
        stop_reason: "eos", the model ended the sentence; "max_steps" or "max_length", the caller's
            or the model's limit ended it.
        candidates: at every step, the `top_k` likeliest tokens as (id, probability), best first,
            and after them the emitted token if it is none of them. The probabilities are the
            model's own, whatever the sampling.
    """

    ids: tuple[int, ...]
    stop_reason: StopReason
    candidates: tuple[tuple[tuple[int, float], ...], ...]


@torch.inference_mode()
def decode(
    model: Model,
    src: Tensor | None,
    *,
    prefix: Sequence[int] | Tensor = (),
    sampling: Sampling | None = None,
    max_steps: int = 64,
    top_k: int = 10,
) -> list[Hypothesis]:
    """Emits a token, step after step, until the sentence ends: the likeliest, or one drawn.

    Args:
        model: in evaluation mode.
        src: int64 [batch, src], padded, each row ending in eos; None for a decoder-only model,
            which continues `prefix`.
        prefix: tokens that every hypothesis is made to begin with; or int64 [batch, prefix], for
            each hypothesis its own. One that ends in eos is the whole hypothesis.
        sampling: how to draw; None takes the likeliest token (greedy decoding).
        max_steps: the most tokens to emit after the prefix; at least 1.
        top_k: how many candidates to keep at every step; with 0 none are computed.
    Returns:
        One hypothesis for each row of `src`, or of `prefix`.
    Raises:
        ValueError: `max_steps` is not positive or `top_k` negative, or a source is empty.
        HeadlightError: the prefix holds an id outside the vocabulary or an eos before its end, or
            is longer than the model's maximum length.
    """
    if max_steps < 1:
        raise ValueError(f"max_steps must be at least 1, not {max_steps}")
    if top_k < 0:
        raise ValueError(f"top_k must be at least 0, not {top_k}")
    config = model.config
    device = next(model.parameters()).device
    forced = torch.as_tensor(prefix, dtype=torch.long, device=device)
    check_prefix(forced, config)
    batch = max(1 if src is None else src.size(0), forced.size(0) if forced.dim() > 1 else 1)
    forced = forced.expand(batch, -1)
    length = forced.size(1)
    finished = (forced[:, -1:] == config.eos_id).any(-1)
    room = config.max_length - length  # decoder rows left, the one that reads <s> included
    steps = 0 if finished.all() else min(max_steps, room)

    advance = _without(config.banned_ids, _stepper(model, src, length + steps))
    choose = _chooser(sampling, batch, config.max_length)
    start = torch.full((batch, 1), config.bos_id, device=device)
    tokens = torch.cat((start, forced), dim=1)
    emitted = [forced]
    logits = advance(tokens[:, : length + (steps > 0)])
    rows = [logits]
    for step in range(steps):
        # A row that has ended goes on until all have; what it emits after its </s> is cut off.
        newest = choose(logits[:, -1], length + step)
        emitted.append(newest[:, None])
        finished |= newest == config.eos_id
        if finished.all() or step == steps - 1:
            break
        logits = advance(newest[:, None])
        if top_k:
            rows.append(logits)

    ids = cast(list[list[int]], torch.cat(emitted, dim=1).tolist())
    limit: StopReason = "max_length" if room < max_steps else "max_steps"
    return [
        _hypothesis(ids[i], [row[i] for row in rows], config.eos_id, limit, top_k)
        for i in range(batch)
    ]


def check_prefix(prefix: Tensor, config: TransformerConfig) -> None:
    """Refuses ids [batch, length] that no target of a model of this config begins with.

    Raises:
        HeadlightError: naming the token, or the limit.
    """
    outside = prefix[(prefix < 0) | (prefix >= config.tgt_vocab_size)]
    if outside.numel():
        raise HeadlightError(
            "bad_prefix",
            f"A prefix cannot hold token {int(outside[0])}: it lies outside the vocabulary of "
            f"{config.tgt_vocab_size} tokens.",
        )
    if (prefix[..., :-1] == config.eos_id).any():
        raise HeadlightError(
            "bad_prefix", "A prefix may hold the end-of-sentence token only as its last."
        )
    length = prefix.size(-1)
    if length > config.max_length:
        raise HeadlightError(
            "prefix_too_long",
            f"A prefix of {length} tokens is longer than {config.max_length}, the longest that "
            "this model writes.",
            length=length,
            limit=config.max_length,
        )


def _chooser(
    sampling: Sampling | None, batch: int, max_length: int
) -> Callable[[Tensor, int], Tensor]:
    """A function from logits [batch, vocab] and their position to the tokens emitted, [batch]."""
    if sampling is None:
        return lambda logits, _position: logits.argmax(-1)
    # Drawn on the CPU, for every position there is, so that nothing but the seed matters. Not by
    # torch.multinomial, whose random numbers differ between devices and processors.
    generator = torch.Generator().manual_seed(sampling.seed)
    lots = torch.rand(batch, max_length, dtype=torch.float64, generator=generator)

    def draw(logits: Tensor, position: int) -> Tensor:
        best = logits.double().topk(min(sampling.top_k or logits.size(-1), logits.size(-1)))
        # Less the largest first: a temperature near 0 makes no infinity of it.
        tempered = (best.values - best.values[:, :1]) / sampling.temperature
        reached = tempered.softmax(-1).cumsum(-1)
        lot = lots[:, position, None].to(logits.device) * reached[:, -1:]
        return best.indices.gather(-1, torch.searchsorted(reached, lot, right=True))[:, 0]

    return draw


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
    banned_ids: tuple[int, ...], advance: Callable[[Tensor], Tensor]
) -> Callable[[Tensor], Tensor]:
    """`advance`, giving banned tokens no chance."""
    if not banned_ids:
        return advance
    banned = list(banned_ids)

    def advance_without(tokens: Tensor) -> Tensor:
        logits = advance(tokens)
        logits[..., banned] = -torch.inf
        return logits

    return advance_without


def _hypothesis(
    ids: list[int], rows: list[Tensor], eos_id: int, limit: StopReason, top_k: int
) -> Hypothesis:
    ended = eos_id in ids
    if ended:
        ids = ids[: ids.index(eos_id) + 1]
    candidates = _candidates(torch.cat(rows), ids, top_k) if top_k else ((),) * len(ids)
    return Hypothesis(tuple(ids), "eos" if ended else limit, candidates)


def _candidates(
    logits: Tensor, ids: list[int], top_k: int
) -> tuple[tuple[tuple[int, float], ...], ...]:
    """For each of `ids`, the best of its row of logits [at least as many, vocab], and itself."""
    probabilities = logits[: len(ids)].softmax(-1)
    best = probabilities.topk(min(top_k, logits.size(-1)))
    own = probabilities.gather(-1, torch.tensor(ids, device=logits.device)[:, None])[:, 0]
    best_ids = cast(list[list[int]], best.indices.tolist())
    best_values = cast(list[list[float]], best.values.tolist())
    own_values = cast(list[float], own.tolist())
    return tuple(
        (*zip(tokens, values, strict=True), *(() if token in tokens else ((token, value),)))
        for token, tokens, values, value in zip(ids, best_ids, best_values, own_values, strict=True)
    )
