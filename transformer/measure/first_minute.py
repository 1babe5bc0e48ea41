"""A sentence on which a newcomer sees in a minute what attention does, chosen by measurement.

The page's first card has them guess which source word matters for the next token, shows where what
the page opens on looks (a head, or the mean of a layer's), and leads the beam elsewhere. So it
wants a sentence where all of this works.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

import numpy as np
import numpy.typing as npt

from ..inside.without_words import without_words
from ..trace.head_names import parse_head
from ..trace.trace import AttentionTrace, Candidate
from ..trace.words import Word, is_punctuation, word_texts, words_of
from ..translator import TraceRequest, Translator

MEAN = ".mean"

LONGEST = 9
"""Tokens that a source has at most, besides `</s>`: all of them are seen at once."""

CLEAR_LOOK = 0.5
"""Weight that the word has at least: the page says that the head looks there."""

CLEAR_CHANGE = 0.25
"""Probability that the new first candidate gains, at least."""

ENOUGH = 20
"""Lines on which it works, of which the clearest is taken."""


@dataclass(frozen=True, kw_only=True)
class Start:
    """What a checkpoint's card says of it, as its "start".

    Attributes:
        source: the sentence.
        step: the one whose token is guessed, from 1 as the page counts; never the first.
        word: the source word that means the token, at which the page's opening head looks.
        elsewhere: the source word that the step translates instead, once all cross-attention looks
            there alone; none that had been translated before.
    """

    source: str
    step: int
    word: str
    elsewhere: str


@dataclass(frozen=True, kw_only=True)
class Measured:
    """How clearly a start works.

    Attributes:
        start: which.
        weight: on the word.
        emitted: what the step says.
        led: what it says first with all cross-attention elsewhere.
        without: what it says first without the word.
        translations: of the sentence, and of the sentence with the beam led elsewhere.
    """

    start: Start
    weight: float
    emitted: Candidate
    led: Candidate
    without: Candidate
    translations: tuple[str, str]

    @property
    def clearness(self) -> float:
        """The weakest of all that the card shows."""
        return min(self.weight, *(c.probability for c in (self.emitted, self.led, self.without)))


def find_start(translator: Translator, pairs: Iterable[tuple[str, str]] = ()) -> Measured | None:
    """The clearest example of a card on which the first minute works, else the clearest line.

    Args:
        translator: whose weights, opening head and lexicon decide.
        pairs: sentences and their translations; one counts that the model translates like this.
    Returns:
        None if it works on none of them.
    """
    examples: list[str] = translator.card.get("examples", [])
    if moments := [each for example in examples for each in measure(translator, example)]:
        return _clearest(moments)
    clearest = (
        moments
        for source, target in pairs
        if _fits(translator, source) and translator.translate(source) == target
        if (moments := _clearest(measure(translator, source)))
    )
    return _clearest(islice(clearest, ENOUGH))


def measure(translator: Translator, source: str) -> list[Measured]:
    """Every way in which the first minute works on a sentence."""
    if "cross" not in translator.representative_heads or not _fits(translator, source):
        return []
    trace = translator.trace(source)
    words = words_of(trace.src)
    texts = word_texts(trace.src, words)
    # The card names words: each is to be one of its kind.
    named = [i for i, text in enumerate(texts) if texts.count(text) == 1 and _is_word(text)]
    complete = trace.stop_reason == "eos"
    return [
        measured
        for step in range(1, len(trace.tgt_out) if complete else 0)
        for word, weight in [_looked_at(trace, words, step)]
        if weight >= CLEAR_LOOK and word in named and _means(translator, texts[word], trace, step)
        for measured in _led_from(translator, trace, step, word, weight, named)
    ]


def opening_weights(trace: AttentionTrace) -> npt.NDArray[np.float32]:
    """Weights [step, source token] of what the page opens on: a head, or a layer's mean."""
    assert trace.cross is not None
    opening = trace.heads["cross"]
    name = opening.opening.head if opening.opening else opening.head
    if name.endswith(MEAN):
        layer, _ = parse_head(name.removesuffix(MEAN) + "H1")
        return trace.cross[layer].mean(0)
    return trace.cross[parse_head(name)]


def _led_from(
    translator: Translator,
    trace: AttentionTrace,
    step: int,
    word: int,
    weight: float,
    named: Sequence[int],
) -> Iterator[Measured]:
    """What is measured of each other word that makes the step clearly say something else."""
    words = words_of(trace.src)
    texts = word_texts(trace.src, words)
    best, *_ = trace.candidates[step]
    without = without_words(translator, trace, step).without[word][0]
    if without.id == best.id:
        return
    before = {candidate.id: candidate.probability for candidate in trace.candidates[step]}
    others = [
        i
        for i in named
        if not any(_means(translator, texts[i], trace, earlier) for earlier in range(step + 1))
    ]
    keys = [",".join(str(key + 1) for key in words[i]) for i in others]
    changes = [TraceRequest(trace.source, (), (f"cross@{step + 1}=aim:{each}",)) for each in keys]
    for i, led in zip(others, translator.traces(changes), strict=True):
        if not isinstance(led, AttentionTrace) or led.stop_reason != "eos":
            continue
        now = led.candidates[step][0]
        gain = now.probability - before.get(now.id, 0.0)
        if gain >= CLEAR_CHANGE and _means(translator, texts[i], led, step):
            yield Measured(
                start=Start(
                    source=trace.source, step=step + 1, word=texts[word], elsewhere=texts[i]
                ),
                weight=weight,
                emitted=best,
                led=now,
                without=without,
                translations=(trace.translation, led.translation),
            )


def _looked_at(trace: AttentionTrace, words: Sequence[Word], step: int) -> tuple[int, float]:
    """The word on which what the page opens on puts most at a step, and how much."""
    row = opening_weights(trace)[step]
    weights = [float(row[list(word)].sum()) for word in words]
    most = max(range(len(words)), key=weights.__getitem__)
    return (most, weights[most]) if int(row.argmax()) in words[most] else (most, 0.0)


def _means(translator: Translator, word: str, trace: AttentionTrace, step: int) -> bool:
    """Whether a source word stands for what a step writes, which is a whole word."""
    words = words_of(trace.tgt_out)
    if (step,) not in words:
        return False
    text = word_texts(trace.tgt_out, [(step,)])[0]
    lexicon = translator.lexicon
    return _is_word(text) and (lexicon.linked(word, text) if lexicon else text == word)


def _is_word(text: str) -> bool:
    return bool(text) and not is_punctuation(text)


def _fits(translator: Translator, source: str) -> bool:
    return len(translator.encode(source)) <= LONGEST


def _clearest(moments: Iterable[Measured]) -> Measured | None:
    return max(moments, key=lambda each: each.clearness, default=None)
