"""Decoding with a key/value cache: greedily, or by drawing lots."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, cast

import torch
from torch import Tensor

from ..errors import HeadlightError
from ..model.config import TransformerConfig
from ..model.towers import DecoderCache, LanguageModel, Model
from .candidates import Candidates, Drawn, Steps
from .rows import Forced, LiveRows
from .sampling import Sampling, chooser

StopReason = Literal["eos", "max_steps", "max_length"]

MOST_GOING = 0.75
"""Rows that have ended are left out once only this share goes on: doing so copies the cache."""


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
        drawn: of each of these candidates, its probability in the distribution that was sampled,
            after temperature and top-k; None for greedy decoding.
    """

    ids: tuple[int, ...]
    stop_reason: StopReason
    candidates: Steps
    drawn: Drawn | None = None


@torch.inference_mode()
def decode(
    model: Model,
    src: Tensor | None,
    *,
    memory: Tensor | None = None,
    prefix: Sequence[int] | Sequence[Sequence[int]] | Tensor = (),
    sampling: Sampling | Sequence[Sampling | None] | None = None,
    max_steps: int = 64,
    top_k: int = 10,
    live: LiveRows | None = None,
) -> list[Hypothesis]:
    """Emits a token, step after step, until the sentence ends: the likeliest, or one drawn.

    A row of a batch gets the tokens that it would get alone, whatever the others are.

    Args:
        model: in evaluation mode.
        src: int64 [batch, src], padded, each row ending in eos; None for a decoder-only model,
            which continues `prefix`.
        memory: what the encoder makes of `src`, where that is known.
        prefix: tokens that every hypothesis is made to begin with; or for each hypothesis its own,
            of any length. One that ends in eos is the whole hypothesis.
        sampling: how to draw, for all or for each; None takes the likeliest token (greedy
            decoding).
        max_steps: the most tokens to emit after the prefix; at least 1.
        top_k: how many candidates to keep at every step; with 0 none are computed.
        live: told which rows each pass of the decoder computes, for those who hook into it.
    Returns:
        One hypothesis for each row of `src`, or of `prefix`.
    Raises:
        ValueError: `max_steps` is not positive or `top_k` negative, a source is empty, or there
            are more of one thing than of another.
        HeadlightError: the prefix holds an id outside the vocabulary or an eos before its end, or
            is longer than the model's maximum length.
    """
    if max_steps < 1:
        raise ValueError(f"max_steps must be at least 1, not {max_steps}")
    if top_k < 0:
        raise ValueError(f"top_k must be at least 0, not {top_k}")
    config = model.config
    device = next(model.parameters()).device
    prefixes = _prefixes(prefix, None if src is None else src.size(0))
    for ids in prefixes:
        check_prefix(ids, config)
    # A row's end: it emits nothing there, nor later.
    ends = [
        len(ids) if ids[-1:] == [config.eos_id] else min(len(ids) + max_steps, config.max_length)
        for ids in prefixes
    ]
    shortest, end = min(map(len, prefixes)), max(ends)
    live = LiveRows(len(prefixes)) if live is None else live
    samplings = _each(sampling, len(prefixes))
    choose = chooser(samplings, config.max_length)
    stepper, forced = _Stepper(model, src, memory, end), Forced(prefixes, device)
    candidates = Candidates(top_k, samplings)

    start = torch.full((len(prefixes), 1), config.bos_id, device=device)
    tokens = forced.tokens[:, :shortest]
    logits = stepper(torch.cat((start, tokens), dim=1)[:, :end])
    candidates.add(logits[:, :shortest], tokens, live.now)
    emitted = [ids[:shortest] for ids in prefixes]
    ended = {row for row, last in enumerate(ends) if last == shortest}
    for position in range(shortest, end):
        newest = forced(choose(logits[:, -1], position), position)[:, None]
        candidates.add(logits[:, -1:], newest, live.now)
        for row, token in zip(live.now, cast(list[int], newest[:, 0].tolist()), strict=True):
            if row not in ended:
                emitted[row].append(token)
                if token == config.eos_id or len(emitted[row]) == ends[row]:
                    ended.add(row)
        going = [place for place, row in enumerate(live.now) if row not in ended]
        if not going:
            break
        if len(going) <= MOST_GOING * len(live.now):
            for each in (live, stepper, forced):
                each.keep(going)
            newest = newest[going]
            choose = chooser([samplings[row] for row in live.now], config.max_length)
        logits = stepper(newest)

    rows = candidates.rows(emitted)
    return [
        _hypothesis(emitted[i], *rows[i], config, len(prefixes[i]) + max_steps)
        for i in range(len(prefixes))
    ]


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


class _Stepper:
    """From the newest tokens [live rows, new] to their logits [live rows, new, vocab]."""

    def __init__(
        self, model: Model, src: Tensor | None, memory: Tensor | None, max_target: int
    ) -> None:
        self._model = model
        self._memory = self._mask = None
        self._banned = list(model.config.banned_ids)
        num_source = 0
        if not isinstance(model, LanguageModel):
            if src is None:
                raise ValueError("an encoder-decoder model needs a source")
            num_source, mask = src.size(1), model.source_mask(src)
            if not mask.any(-1).all():
                raise ValueError(
                    "every source needs at least one token: attention to nothing is undefined"
                )
            self._memory = model.encode(src, mask) if memory is None else memory
            self._mask = None if mask.all() else mask
        self._cache = DecoderCache(model.config.num_decoder_layers, max_target, num_source)

    def __call__(self, tokens: Tensor) -> Tensor:
        """Banned tokens get no chance."""
        logits = self._model.decoder(tokens, self._memory, src_mask=self._mask, cache=self._cache)
        if self._banned:
            logits[..., self._banned] = -torch.inf
        return logits

    def keep(self, places: Sequence[int]) -> None:
        """Leaves all rows out but those at these places."""
        self._cache.keep(places)
        self._memory = None if self._memory is None else self._memory[places]
        self._mask = None if self._mask is None else self._mask[places]


def _prefixes(
    prefix: Sequence[int] | Sequence[Sequence[int]] | Tensor, batch: int | None
) -> list[list[int]]:
    """One for each row; `batch` is None where it is for the prefixes to say how many there are."""
    values = cast(list[Any], prefix.tolist() if isinstance(prefix, Tensor) else list(prefix))
    if values and not isinstance(values[0], int):
        rows = [list(row) for row in values]
        if batch not in (None, len(rows)):
            raise ValueError(f"{len(rows)} prefixes for {batch} sources")
        return rows
    return [values] * (batch or 1)


def _each(
    sampling: Sampling | Sequence[Sampling | None] | None, batch: int
) -> list[Sampling | None]:
    if sampling is None or isinstance(sampling, Sampling):
        return [sampling] * batch
    if len(sampling) != batch:
        raise ValueError(f"{len(sampling)} samplings for {batch} rows")
    return list(sampling)


def _hypothesis(
    ids: list[int],
    candidates: Steps,
    drawn: Drawn | None,
    config: TransformerConfig,
    most: int,
) -> Hypothesis:
    reason: StopReason = "max_length" if config.max_length < most else "max_steps"
    if ids[-1:] == [config.eos_id]:
        reason = "eos"
    return Hypothesis(tuple(ids), reason, candidates, drawn)
