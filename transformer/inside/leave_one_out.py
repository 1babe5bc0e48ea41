"""Which words a translation rested on: each source word left out in turn."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import torch

from ..ask.analysis import Result, analysis
from ..ask.passes import (
    Logs,
    as_traced,
    as_traced_without,
    decoder_logits,
    log_probabilities,
    logits_without,
    src_of,
    tgt_of,
)
from ..decoding import check_prefix
from ..show.maps import Figure, token_map
from ..show.matrix import steps
from ..trace.packing import Weights, read_only
from ..trace.trace import AttentionTrace
from ..trace.words import Word, word_texts, words_of
from ..translator import Translator


@dataclass(frozen=True, kw_only=True, eq=False)
class LeaveOneOut(Result):
    """What every emitted token loses when a word is not there.

    Attributes:
        words: what could be left out: source words; of a decoder-only model, those of its text.
        pieces: which tokens make each: indices into `src`, or of a decoder-only model into
            `tgt_in`.
        tgt_in, tgt_out: of the trace.
        deltas: float32 [tgt, word], nats: log p of the token without the word − with it, the same
            tokens forced before it. Negative: the word supported the token. NaN where a
            decoder-only model had not read the word yet.

    Source: Li et al. 2016, "Understanding Neural Networks through Representation Erasure".
    """

    schema = """
    words: text [word]
    pieces: integer [word, piece]
    tgt_in: text [tgt]
    tgt_out: text [tgt]
    deltas: float32 [tgt, word] nats
    """

    words: tuple[str, ...]
    pieces: tuple[Word, ...]
    tgt_in: tuple[str, ...]
    tgt_out: tuple[str, ...]
    deltas: Weights

    def figure(self) -> Figure:
        """A matrix target × word, on a diverging scale."""
        title = "Δ log-probability with a word left out"
        return token_map(self.deltas, steps(self.tgt_in, self.tgt_out), self.words, title, "nats")


@analysis(needs=("steps",), cost="read")
def leave_one_out(
    translator: Translator, trace: AttentionTrace, instead: Mapping[int, int] | None = None
) -> LeaveOneOut:
    """Deletes the pieces of each word in turn and scores the trace's tokens again.

    Args:
        translator: whose model made the trace.
        trace: what to score; whatever was changed in it stays changed.
        instead: ids of other tokens, by step, to score in place of those that were emitted; what
            each step has read stays.
    """
    ids = [(instead or {}).get(step, token) for step, token in enumerate(trace.tgt_ids)]
    for token in ids:
        check_prefix([token], translator.config)
    labels = trace.src or trace.tgt_in
    words = words_of(labels)
    score = _without_source_words if trace.src else _without_own_words
    with torch.inference_mode():
        deltas = score(translator, trace, words, ids)
    return LeaveOneOut(
        words=word_texts(labels, words),
        pieces=tuple(words),
        tgt_in=trace.tgt_in,
        tgt_out=trace.tgt_out,
        deltas=read_only(deltas),
    )


def _without_source_words(
    translator: Translator, trace: AttentionTrace, words: Sequence[Word], ids: Sequence[int]
) -> Logs:
    variants = logits_without(translator, trace, [(), *words], tgt_of(translator, trace))
    logs = np.concatenate([log_probabilities(logits, ids) for logits in variants])
    deltas: Logs = np.transpose(logs[1:] - logs[0])
    return deltas


def _without_own_words(
    translator: Translator, trace: AttentionTrace, words: Sequence[Word], ids: Sequence[int]
) -> Logs:
    """A word of the text so far: what stands after it moves up."""
    read, nothing = tgt_of(translator, trace), translator.model.encode(src_of(translator, trace))
    with as_traced(translator, trace):
        whole = log_probabilities(decoder_logits(translator, read, nothing), ids)[0]
    deltas = np.full((len(ids), len(words)), np.nan)
    for column, word in enumerate(words):
        # Input i is emitted by row i − 1; rows from the word's last piece on have read it.
        positions = [i for i in range(len(ids)) if i not in word]
        later = [row for row in positions if row > word[-1]]
        tgt_in = read[:, positions]
        with as_traced_without(translator, trace, "tgt", [word]):
            logits = decoder_logits(translator, tgt_in, nothing)
        # The row before the word now says what came after it.
        rows = [positions.index(word[0] - 1), *(positions.index(row) for row in later)]
        tokens = [word[-1], *later]
        logs = log_probabilities(logits[:, rows], [ids[token] for token in tokens])[0]
        deltas[tokens, column] = logs - whole[tokens]
    return deltas
