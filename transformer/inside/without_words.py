"""What a step would say without a word: each word left out in turn, and the token chosen anew."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from ..ask.analysis import Result, analysis
from ..ask.options import WholeNumber
from ..ask.passes import (
    as_traced_without,
    check_step,
    decoder_logits,
    logits_without,
    src_of,
    tgt_of,
)
from ..decoding.candidates import Candidates
from ..trace.candidates import Candidate
from ..trace.changes import is_stepwise
from ..trace.trace import AttentionTrace
from ..trace.words import Word, word_texts, words_of
from ..translator import Translator

TOP = 5
"""Candidates of each variant."""

Ranking = tuple[Candidate, ...]


@dataclass(frozen=True, kw_only=True, eq=False)
class WithoutWords(Result):
    """The candidates of a step with every word there, and with each word deleted.

    What was written before the step stays. Each list has the five likeliest tokens, best first, and
    after them the token that the trace has at this step if it is none of them.

    Attributes:
        step: from 0.
        words: what could be left out: source words; of a decoder-only model, those that it has
            read at this step.
        pieces: which tokens make each: indices into `src`, or of a decoder-only model into
            `tgt_in`.
        before: with all of them.
        without: for each word, without it.

    Source: Li et al. 2016, "Understanding Neural Networks through Representation Erasure".
    """

    schema = """
    step: integer
    words: text [word]
    pieces: integer [word, piece]
    before: Candidate [candidate]
    without: Candidate [word, candidate]
    """

    step: int
    words: tuple[str, ...]
    pieces: tuple[Word, ...]
    before: Ranking
    without: tuple[Ranking, ...]


@analysis(
    needs=("steps",),
    cost="read",
    step=WholeNumber(),
    ours_alone="leave_one_out says what every token loses without a word",
)
def without_words(translator: Translator, trace: AttentionTrace, step: int) -> WithoutWords:
    """Deletes the pieces of each word in turn, and asks what the step would say: all at once.

    `leave_one_out` tells what all tokens of the trace lose by it.

    Args:
        translator: whose model made the trace.
        trace: whatever was changed in it stays changed; what a step was made to look at is
            forgotten with its word.
        step: from 0.
    Raises:
        HeadlightError: there is no such step.
    """
    check_step(trace, step)
    read = tgt_of(translator, trace)
    if all(map(is_stepwise, trace.interventions)):
        read = read[:, : step + 1]
    alone = translator.config.decoder_only
    labels = trace.tgt_in if alone else trace.src
    words = [word for word in words_of(labels) if not alone or word[-1] <= step]
    with torch.inference_mode():
        variants = [(), *words]
        if alone:
            logits = _shorter_texts(translator, trace, variants, read, step)
        else:
            logits = (each[:, step] for each in logits_without(translator, trace, variants, read))
        before, *without = _candidates(translator, logits, trace.tgt_ids[step])
    return WithoutWords(
        step=step,
        words=word_texts(labels, words),
        pieces=tuple(words),
        before=before,
        without=tuple(without),
    )


def _shorter_texts(
    translator: Translator,
    trace: AttentionTrace,
    variants: Sequence[Word],
    read: Tensor,
    step: int,
) -> Iterable[Tensor]:
    """Logits [1, vocab] of the step, of the text so far without each of these."""
    nothing = translator.model.encode(src_of(translator, trace))
    for tokens in variants:
        positions = [i for i in range(read.size(1)) if i not in tokens]
        with as_traced_without(translator, trace, "tgt", [tokens]):
            logits = decoder_logits(translator, read[:, positions], nothing)
        # A step whose own input is gone is said by the one before.
        yield logits[:, sum(i <= step for i in positions) - 1]


def _candidates(translator: Translator, logits: Iterable[Tensor], emitted: int) -> list[Ranking]:
    rows = torch.cat(list(logits))[:, None]  # [variants, 1, vocab]
    chosen = Candidates(TOP, [None] * len(rows))
    chosen.add(rows, rows.new_full((len(rows), 1), emitted, dtype=torch.long), range(len(rows)))
    label = translator.tgt_tokenizer.piece
    return [
        tuple(Candidate(label(i), i, probability) for i, probability, _ in step)
        for (step,) in chosen.rows([[emitted]] * len(rows))
    ]
