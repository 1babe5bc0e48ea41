"""One word for another of the same length in tokens: pairs of sentences for `patching`."""

from dataclasses import dataclass
from typing import cast

import torch
from torch import Tensor

from ..ask.analysis import Result, analysis
from ..checkpoint.line_index import LineIndex
from ..checkpoint.own_text import own_text
from ..errors import HeadlightError
from ..trace.trace import AttentionTrace
from ..trace.words import WORD_START, is_punctuation, is_special, word_texts, words_of
from ..translator import Translator

NEIGHBOURS = 40
"""That are looked at for each word, the nearest first."""

SHOWN = 4
"""Of each word."""

ALIKE = 4
"""Letters: what begins alike is taken for another form of the same word."""


@dataclass(frozen=True, kw_only=True)
class Swap(Result):
    """A sentence that differs in one word.

    Attributes:
        word, other: as they stand in the two sentences.
        text: the other sentence.
    """

    word: str
    other: str
    text: str


@dataclass(frozen=True, kw_only=True)
class Swaps(Result):
    """Sentences as many tokens long as the trace's.

    Attributes:
        swaps: a few for each word that is one token, in the sentence's order.

    A word's neighbours are those of its embedding, by cosine: words that the model has learnt to
    take alike, which often, not always, are of one kind.
    """

    swaps: tuple[Swap, ...]


@analysis()
def swaps(translator: Translator, trace: AttentionTrace) -> Swaps:
    """Words that could stand in a trace's source in place of others.

    Args:
        translator: whose model made the trace.
        trace: of which each word that is one token is replaced, one at a time.
    """
    tokenizer, model = translator.tokenizer, translator.model
    text, ids = translator.reads(trace.source), translator.encode(trace.source)
    first = next(iter(model.towers().values()))
    vectors = first.embedding.token.weight.detach()
    labels = tokenizer.pieces(ids)
    known = _known(translator)
    found: list[Swap] = []
    spans = tokenizer.spans(text)
    words = words_of(labels)
    for (place, *more), word in zip(words, word_texts(labels, words), strict=True):
        if more or is_punctuation(labels[place]):
            continue
        start, end = spans[place]
        written = text[start:end]
        begun = start + len(written) - len(written.lstrip())
        some = 0
        for near in _nearest(vectors, ids[place]):
            label = tokenizer.piece(near)
            other = label.removeprefix(WORD_START)
            if not _fits(labels[place], label, word, other) or (known and other not in known):
                continue
            swapped = text[:begun] + other + text[end:]
            again = translator.encode(swapped)
            if len(again) == len(ids) and again[place] == near:
                found.append(Swap(word=word, other=other, text=swapped))
                some += 1
                if some == SHOWN:
                    break
    return Swaps(swaps=tuple(found))


def _known(translator: Translator) -> LineIndex | None:
    """The words of a model's own text: a token that is none of them is part of a word."""
    try:
        return own_text(translator.name, translator.card).index
    except HeadlightError:
        return None


def _nearest(vectors: Tensor, token: int) -> list[int]:
    """Ids, the nearest first, without the token itself."""
    with torch.inference_mode():
        near = torch.cosine_similarity(vectors, vectors[token], dim=-1)
        near[token] = -torch.inf
        return cast(list[int], near.topk(min(NEIGHBOURS, len(near) - 1)).indices.tolist())


def _fits(label: str, other_label: str, word: str, other: str) -> bool:
    """Whether a token is a word like this one, and not another form of it."""
    if is_special(other_label) or not other or is_punctuation(other_label):
        return False
    if label.startswith(WORD_START) != other_label.startswith(WORD_START):
        return False
    if not other.replace("'", "").isalpha() or word[:1].isupper() != other[:1].isupper():
        return False
    return word.casefold()[:ALIKE] != other.casefold()[:ALIKE]
