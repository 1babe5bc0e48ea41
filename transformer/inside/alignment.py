"""Attention as a word aligner: which source word belongs to which target word."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ..ask.analysis import Result
from ..show.maps import Figure, token_map
from ..trace.head_names import ROWS, Row, head_name
from ..trace.packing import Weights, read_only
from ..trace.trace import AttentionTrace
from ..trace.words import Word, word_texts, words_of

Array = npt.NDArray[np.float64]
Span = tuple[int, int]
Link = tuple[int, int]


@dataclass(frozen=True)
class GoldLinks:
    """Which words of a sentence pair belong together, as people see it.

    Attributes:
        sure: (source word, target word), from 0.
        possible: links that nobody would blame a model for; every sure link is one of them.
    """

    sure: frozenset[Link]
    possible: frozenset[Link]

    def __post_init__(self) -> None:
        object.__setattr__(self, "possible", self.possible | self.sure)


def word_spans(words: Iterable[str], separator: str) -> list[Span]:
    """Where each word stands in `separator.join(words)`: first character, and the one after."""
    spans: list[Span] = []
    start = 0
    for word in words:
        spans.append((start, start + len(word)))
        start += len(word) + len(separator)
    return spans


def pieces_of_words(pieces: Sequence[Span], words: Sequence[Span]) -> Array:
    """Which pieces share a character with which words: 1 or 0, [word, piece]."""
    # An empty span belongs to the character that it stands before.
    return np.array(
        [
            [float(start < last and max(end, start + 1) > first) for start, end in pieces]
            for first, last in words
        ]
    )


def word_links(weights: Array, src: Array, tgt: Array) -> set[Link]:
    """One link for each target word: to the source word that it attends to most.

    Attention is added up over the pieces of a word.

    Args:
        weights: of one head, or a mean of several, [target piece, source piece].
        src: which source pieces make which words, [source word, source piece].
        tgt: which target pieces make which words, [target word, target piece].
    Returns:
        (source word, target word), from 0. A target word without pieces has no link.
    """
    attention: Array = np.einsum("ip,ps,js->ij", tgt, weights, src)
    return {(int(row.argmax()), word) for word, row in enumerate(attention) if row.any()}


def alignment_error_rate(pairs: Iterable[tuple[set[Link], GoldLinks]]) -> float:
    """How far links are from people's, over all sentence pairs: 0 is perfect, 1 is all wrong.

    With A the links found, S the sure and P the possible ones: 1 − (|A∩S| + |A∩P|) / (|A| + |S|)
    (Och and Ney 2003, "A Systematic Comparison of Various Statistical Alignment Models").
    """
    agreed, total = 0, 0
    for links, gold in pairs:
        agreed += len(links & gold.sure) + len(links & gold.possible)
        total += len(links) + len(gold.sure)
    return 1 - agreed / total if total else 0.0


@dataclass(frozen=True, kw_only=True, eq=False)
class Alignment(Result):
    """What one head's attention links, word by word.

    Attributes:
        name: of the head, such as "L1H2".
        row: which decoder row of a target token counts as the token's.
        src_words, tgt_words: their texts.
        src_pieces: indices into `src` of each source word's tokens.
        tgt_pieces: indices into `tgt_out` of each target word's tokens.
        weights: float32 [tgt word, src word]: attention added up over a source word's pieces, mean
            over a target word's. What a row lacks to 1 went to `</s>`.
        links: (source word, target word), both from 0: one for each target word that has a row.

    Source: Chen et al. 2020, "Accurate Word Alignment Induction from Neural Machine Translation"
    (Shift-Att is row="reads").
    """

    name: str
    row: Row
    src_words: tuple[str, ...]
    tgt_words: tuple[str, ...]
    src_pieces: tuple[Word, ...]
    tgt_pieces: tuple[Word, ...]
    weights: Weights
    links: frozenset[Link]

    def error_rate(self, gold: GoldLinks) -> float:
        """The alignment error rate against links that people drew, 0 to 1."""
        return alignment_error_rate([(set(self.links), gold)])

    def figure(self) -> Figure:
        """A matrix target word × source word, its links marked."""
        marks = [
            ["●" if (i, j) in self.links else "" for i in range(len(self.src_words))]
            for j in range(len(self.tgt_words))
        ]
        title = f"{self.name} as a word aligner, by the row that {self.row} a word"
        axes = ("source", "target")
        return token_map(self.weights, self.tgt_words, self.src_words, title, "weight", axes, marks)


def alignment(trace: AttentionTrace, layer: int, head: int, row: Row = "reads") -> Alignment:
    """Links each target word to the source word that one head attends to most.

    Args:
        trace: of an encoder-decoder.
        layer: from 0.
        head: from 0.
        row: the row that "reads" a target token (its query is the token), or the one that
            "predicts" it, which stands one step earlier. The representative head says which.
    Raises:
        ValueError: the trace has no cross-attention, or no such layer, head or row.
    """
    if trace.cross is None:
        raise ValueError(f"{trace.model} is decoder-only: it has no source to align")
    layers, heads = trace.cross.shape[:2]
    if not (0 <= layer < layers and 0 <= head < heads) or row not in ROWS:
        raise ValueError(
            f"there is no layer {layer}, head {head}, row {row!r}: layers count from 0 to "
            f"{layers - 1}, heads to {heads - 1}, and a row is one of {', '.join(ROWS)}"
        )
    shift = 1 if row == "reads" else 0
    # What was emitted last when decoding stopped early has not been read.
    tokens = trace.tgt_out[: len(trace.tgt_in) - shift]
    src, tgt = words_of(trace.src), words_of(tokens)
    rows = trace.cross[layer, head, shift : shift + len(tokens)].astype(np.float64)
    src_of, tgt_of = _membership(src, len(trace.src)), _membership(tgt, len(tokens))
    means: Array = tgt_of / np.maximum(tgt_of.sum(-1, keepdims=True), 1)
    weights: Array = np.einsum("ip,ps,js->ij", means, rows, src_of)
    return Alignment(
        name=head_name(layer, head),
        row=row,
        src_words=word_texts(trace.src, src),
        tgt_words=word_texts(tokens, tgt),
        src_pieces=tuple(src),
        tgt_pieces=tuple(tgt),
        weights=read_only(weights),
        links=frozenset(word_links(rows, src_of, tgt_of)),
    )


def _membership(words: Sequence[Word], num_tokens: int) -> Array:
    """Which tokens make which words: 1 or 0, [word, token]."""
    members = np.zeros((len(words), num_tokens))
    for word, pieces in enumerate(words):
        members[word, list(pieces)] = 1
    return members
