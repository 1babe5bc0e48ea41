"""Which words of two languages go together, learned from sentence pairs alone, without attention.

It is what attention's alignments are judged against where nobody has drawn gold links, and what a
foreign word is explained by.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

import numpy as np
import numpy.typing as npt

from ..checkpoint.lexicon import Entry, Lexicon, Side, holds
from ..text.tokenizer import SPECIAL_PIECES, Tokenizer
from ..trace.words import is_punctuation, word_texts, words_of

Array = npt.NDArray[np.float64]
Ids = npt.NDArray[np.int64]
Words = Sequence[str]
Pair = tuple[Words, Words]

ROUNDS = 6

DIAGONAL = 3.0
"""How much two words at different places of their sentences are kept apart."""

LIKELY = 0.5
"""A word has a gloss if this share of its occurrences is linked to it."""

OFTEN = 5
"""Times that a word must have been met."""

SELDOM = 0.01
"""Links that fewer of a word's occurrences have are chance."""

BYTES = 100_000
"""The most that a lexicon's file holds."""


def words_in(tokenizer: Tokenizer, text: str) -> list[str]:
    """The words of a text as its tokenizer cuts it, without punctuation and what it cannot read."""
    pieces = tokenizer.pieces(tokenizer.encode(text))
    texts = word_texts(pieces, words_of(pieces))
    return [text for text in texts if not ({text} & {"", *SPECIAL_PIECES} or is_punctuation(text))]


def link_probabilities(pairs: Sequence[Pair]) -> list[Array]:
    """For each word of each target, how likely each word of its source is to have made it.

    Args:
        pairs: the words of each source and of its target.
    Returns:
        For each pair, [target word, source word]; each row sums to 1.
    """
    learnt = _Links(pairs)
    links = learnt.agreed()
    links /= np.bincount(learnt.tgt_at, links)[learnt.tgt_at]
    ends = np.cumsum([len(src) * len(tgt) for src, tgt in pairs]).tolist()
    return [
        links[end - len(src) * len(tgt) : end].reshape(len(tgt), len(src))
        for end, (src, tgt) in zip(ends, pairs, strict=True)
    ]


def learn_lexicon(pairs: Iterable[Pair]) -> Lexicon:
    """What the words of two languages stand for, as far as sentence pairs tell.

    A word has a gloss if at least `LIKELY` of its occurrences are linked to it, or to words that
    hold it: 买 is what *bought* is, whether the tokenizer says 买, 买了 or 买到. Case counts
    nothing, but a gloss is written as it mostly is where no sentence begins. Numbers need none.

    Args:
        pairs: the words of each source and of its target.
    """
    given = [(src, tgt) for src, tgt in pairs if src and tgt]
    lower = [(_lower(src), _lower(tgt)) for src, tgt in given]
    if not lower:
        return Lexicon(())
    links = _Links(lower)
    shared = np.bincount(links.which, links.agreed())  # [distinct link]
    entries: list[tuple[int, Entry]] = []
    sides: tuple[tuple[Side, list[str], Ids, list[str], Ids], ...] = (
        ("src", links.src_words, links.src_of, links.tgt_words, links.tgt_of),
        ("tgt", links.tgt_words, links.tgt_of, links.src_words, links.src_of),
    )
    for own, (side, words, own_of, others, other_of) in enumerate(sides):
        counts = Counter(word for pair in lower for word in pair[own])
        written = _written(pair[1 - own] for pair in given)
        shares: dict[str, dict[str, float]] = {}
        for link in np.flatnonzero(shared).tolist():
            word = words[own_of[link]]
            if counts[word] >= OFTEN and shared[link] >= SELDOM * counts[word]:
                share = float(shared[link] / counts[word])
                shares.setdefault(word, {})[others[other_of[link]]] = share
        for word, linked in shares.items():
            gloss, probability = _likeliest(linked)
            if probability >= LIKELY and not any(map(str.isdigit, word)):
                entry = Entry(side, word, written[gloss], min(probability, 1.0))
                entries.append((counts[word], entry))
    entries.sort(key=lambda entry: -entry[0])
    return Lexicon(_within_bytes([entry for _, entry in entries]))


def _likeliest(linked: Mapping[str, float]) -> tuple[str, float]:
    """The longest likely enough of the words that a word is linked to, and how often.

    If none is, the one that the most of it holds.
    """
    totals = {
        gloss: sum(share for word, share in linked.items() if holds(word, gloss))
        for gloss in linked
    }
    likely = {gloss: len(gloss) for gloss, total in totals.items() if total >= LIKELY}
    best = max(totals, key=lambda gloss: (likely.get(gloss, 0), totals[gloss]))
    return best, totals[best]


class _Links:
    """Every link that there could be, in any pair: between which words, of which occurrences.

    Attributes:
        src_words, tgt_words: all there are.
        src_at, tgt_at: [link]: the occurrence of the source's and of the target's word, from 0.
        which: [link]: the same number for links between the same two words.
        src_of, tgt_of: [distinct link]: these two words.
        apart: [link]: how far they stand from one another, as shares of their sentences' lengths.
    """

    def __init__(self, pairs: Sequence[Pair]) -> None:
        src_ids, tgt_ids = _numbering(src for src, _ in pairs), _numbering(tgt for _, tgt in pairs)
        self.src_words, self.tgt_words = list(src_ids), list(tgt_ids)
        src_at: list[Ids] = []
        tgt_at: list[Ids] = []
        links: list[Ids] = []
        apart: list[Array] = []
        src_start = tgt_start = 0
        for src, tgt in pairs:
            sources = np.array([src_ids[word] for word in src], np.int64)
            targets = np.array([tgt_ids[word] for word in tgt], np.int64)
            i, j = np.arange(len(src)), np.arange(len(tgt))
            links.append((targets[:, None] * len(src_ids) + sources).ravel())
            src_at.append(np.tile(src_start + i, len(tgt)))
            tgt_at.append(np.repeat(tgt_start + j, len(src)))
            places = (i + 0.5) / max(1, len(src)), (j + 0.5) / max(1, len(tgt))
            apart.append(np.abs(places[1][:, None] - places[0]).ravel())
            src_start, tgt_start = src_start + len(src), tgt_start + len(tgt)
        self.src_at, self.tgt_at = np.concatenate(src_at), np.concatenate(tgt_at)
        self.apart = np.concatenate(apart)
        distinct, self.which = np.unique(np.concatenate(links), return_inverse=True)
        self.src_of, self.tgt_of = distinct % len(src_ids), distinct // len(src_ids)

    def agreed(self) -> Array:
        """How likely each link is in either direction, [link].

        Words that keep turning up in the same pairs belong together; expectation maximisation finds
        them, starting from every link being equally likely but for how far it stands off the
        diagonal. Both directions learn from what both of them hold likely: alone, either gives a
        rare word whatever stands beside it.

        Source: Liang et al. 2006, "Alignment by Agreement", with Brown et al. 1993, Model 1; the
        diagonal as in Dyer et al. 2013, "A Simple, Fast, and Effective Reparameterization of IBM
        Model 2".
        """
        near = np.exp(-DIAGONAL * self.apart)
        of_tgt = of_src = np.ones(len(self.src_of))  # p(target | source) and p(source | target)
        agreed = near
        for round_number in range(ROUNDS + 1):
            forward, back = near * of_tgt[self.which], near * of_src[self.which]
            forward /= np.bincount(self.tgt_at, forward)[self.tgt_at]
            back /= np.bincount(self.src_at, back)[self.src_at]
            agreed = forward * back
            # At first each direction by itself: nothing is known yet that they could agree on.
            counted = (agreed, agreed) if round_number else (forward, back)
            ahead, behind = (np.bincount(self.which, links) for links in counted)
            of_tgt = ahead / np.maximum(np.bincount(self.src_of, ahead), 1e-300)[self.src_of]
            of_src = behind / np.maximum(np.bincount(self.tgt_of, behind), 1e-300)[self.tgt_of]
        return agreed


def _numbering(sentences: Iterable[Words]) -> dict[str, int]:
    return {word: i for i, word in enumerate({word: None for s in sentences for word in s})}


def _lower(words: Words) -> list[str]:
    return [word.casefold() for word in words]


def _written(sentences: Iterable[Words]) -> dict[str, str]:
    """Forms, by the word in lower case, in which it mostly stands where no sentence begins."""
    forms: dict[str, Counter[str]] = {}
    for words in sentences:
        for place, word in enumerate(words):
            form = forms.setdefault(word.casefold(), Counter())
            # A sentence's beginning says nothing of a word's case, unless it stands nowhere else.
            form[word] += 1 if place else 0
    return {lower: form.most_common(1)[0][0] for lower, form in forms.items()}


def _within_bytes(entries: Sequence[Entry]) -> list[Entry]:
    prefix: list[Entry] = []
    size = 0
    for entry in entries:
        size += len(Lexicon((entry,)).to_bytes())
        if size > BYTES:
            break
        prefix.append(entry)
    return prefix
