"""Cross-attention as a word aligner, scored against links that people drew."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from ..inside.alignment import (
    Array,
    GoldLinks,
    Link,
    alignment_error_rate,
    pieces_of_words,
    word_links,
    word_spans,
)
from ..text.tokenizer import WITHOUT_SPACES, Tokenizer
from ..trace.head_names import head_name, layer_name
from ..translator import Translator
from .data import Text, lines_of
from .errors import TrainingError


@dataclass(frozen=True)
class AlignmentScore:
    """The alignment error rates of one head, or of the mean over a layer's heads; 0 is perfect.

    Attributes:
        layer: from 0.
        head: from 0; None for the mean.
        predicts: where the rows that predict a target word's pieces count as the word's.
        reads: where those that read them do, which stand one step later.
    """

    layer: int
    head: int | None
    predicts: float
    reads: float

    @property
    def name(self) -> str:
        """The head's name, such as "L2H4", or "L2.mean"."""
        return layer_name(self.layer) if self.head is None else head_name(self.layer, self.head)


def read_links(path: Path) -> list[GoldLinks]:
    """Reads gold links in Pharaoh format: a line for each pair, `0-0 1-2 3?2`.

    Words count from 0, the source's first; `-` is a sure link, `?` or `p` a possible one.

    Raises:
        TrainingError: the file cannot be read, or something in it is no link.
    """
    return [_parse(path, number, line) for number, line in enumerate(lines_of(path), 1)]


def _parse(path: Path, number: int, line: str) -> GoldLinks:
    sure: set[Link] = set()
    possible: set[Link] = set()
    for text in line.split():
        link = re.fullmatch(r"([0-9]{1,4})([-?p])([0-9]{1,4})", text)
        if not link:
            raise TrainingError(
                f"{path}, line {number}: {text!r} is no link; one is written 0-0 if it is sure, "
                "0?0 if it is possible"
            )
        (sure if link[2] == "-" else possible).add((int(link[1]), int(link[3])))
    return GoldLinks(frozenset(sure), frozenset(possible))


def score_alignment(
    translator: Translator, texts: Sequence[Text], gold: Sequence[GoldLinks]
) -> list[AlignmentScore]:
    """The error rates of every layer's mean and of each of its heads, in their order.

    The model reads each pair as it is, teacher-forced. A word is what white space separates; the
    spaces of Chinese, Japanese and Thai are taken out before the model reads them.

    Args:
        translator: an encoder-decoder.
        texts: the pairs.
        gold: the links of each.
    Raises:
        TrainingError: there are not as many lines of links as pairs, or a link names a word that
            is not there.
        HeadlightError: a text is empty or too long for the model.
    """
    if len(texts) != len(gold):
        raise TrainingError(f"{len(texts)} pairs, but {len(gold)} lines of links")
    # A sign that is left out would take a word of the links with it.
    translator = Translator(replace(translator.loaded, normalise=False))
    predicted: dict[tuple[int, int | None], dict[str, list[set[Link]]]] = {}
    for number, (text, links) in enumerate(zip(texts, gold, strict=True), 1):
        source, target = text.source.split(), text.target.split()
        for i, j in links.possible:
            if i >= len(source) or j >= len(target):
                raise TrainingError(
                    f"line {number}: the link {i}-{j} names a word that is not there: the source "
                    f"has {len(source)}, the target {len(target)}"
                )
        for layer, head, rows, of_pair in _links_of(translator, source, target):
            predicted.setdefault((layer, head), {}).setdefault(rows, []).append(of_pair)
    return [
        AlignmentScore(
            layer,
            head,
            *(
                alignment_error_rate(zip(by_rows[rows], gold, strict=True))
                for rows in ("predicts", "reads")
            ),
        )
        for (layer, head), by_rows in predicted.items()
    ]


def _links_of(
    translator: Translator, source: list[str], target: list[str]
) -> Iterator[tuple[int, int | None, str, set[Link]]]:
    """Layer, head (None for the mean), which rows, and the links that they make."""
    card = translator.card
    src_text, src = _words(translator.tokenizer, source, card.get("source_language", ""))
    tgt_text, tgt = _words(translator.tgt_tokenizer, target, card.get("target_language", ""))
    cross = translator.trace(src_text, tgt_text).cross
    assert cross is not None
    # The last column is </s>, which is no word.
    for layer, heads in enumerate(cross[..., :-1].astype(np.float64)):
        for head, weights in ((None, heads.mean(0)), *enumerate(heads)):
            # Row t predicts piece t; the row after it reads it.
            yield layer, head, "predicts", word_links(weights[:-1], src, tgt)
            yield layer, head, "reads", word_links(weights[1:], src, tgt)


def _words(tokenizer: Tokenizer, words: list[str], language: str) -> tuple[str, Array]:
    """The text that the model reads, and which of its pieces make which words."""
    # The file separates words by spaces even where the model must read none.
    separator = "" if language.partition("-")[0] in WITHOUT_SPACES else " "
    text = separator.join(words)
    return text, pieces_of_words(tokenizer.spans(text), word_spans(words, separator))
