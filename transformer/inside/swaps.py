"""One word for another of the same length in tokens: pairs of sentences for `patching`."""

from dataclasses import dataclass

import torch

from ..ask.analysis import MACHINE, Result, analysis
from ..trace.trace import AttentionTrace
from ..trace.words import word_texts, words_of
from ..translator import Translator
from .word_families import relatives

SHOWN = 4
"""Swaps of each word that are shown, at most."""


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

    Only words that a person would put there, of one kind by `word_families`: none for most. Those
    whose embeddings are nearest come first.
    """

    schema = """
    swaps: Swap [swap]
    """

    swaps: tuple[Swap, ...]


@analysis(
    by=MACHINE,
    ours_alone="words that fit in another's place are looked for in our own lexicons",
)
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
    pairs: list[Swap] = []
    spans = tokenizer.spans(text)
    words = words_of(labels)
    spelled = len(words) > 1 and all(len(labels[place]) == 1 for place, *_ in words)
    for (place, *more), word in zip(words, word_texts(labels, words), strict=True):
        if more:
            continue
        start, end = spans[place]
        written = text[start:end]
        begun = start + len(written) - len(written.lstrip())
        offered: list[tuple[float, Swap]] = []
        for other in relatives(word, spelled=spelled):
            swapped = text[:begun] + other + text[end:]
            again = translator.encode(swapped)
            # As many tokens, and no other than this one is cut anew.
            if len(again) != len(ids) or sum(a != b for a, b in zip(again, ids, strict=True)) != 1:
                continue
            near = torch.cosine_similarity(vectors[ids[place]], vectors[again[place]], dim=-1)
            offered.append((-float(near), Swap(word=word, other=other, text=swapped)))
        pairs.extend(swap for _, swap in sorted(offered, key=lambda each: each[0])[:SHOWN])
    return Swaps(swaps=tuple(pairs))
