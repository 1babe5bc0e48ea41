"""What a correction cost: what the model says of other sentences, before and after."""

from collections.abc import Sequence
from dataclasses import dataclass
from weakref import WeakKeyDictionary

from ..ask.analysis import Result
from ..ask.pieces import Pieces, finish
from ..checkpoint.own_text import some_sources
from ..decoding import decode
from ..model.padding import pad
from ..translator import Translator

LINES = 20
"""Lines of the first file that the model's card names, as far apart as it goes."""

ROWS = 4
"""Sentences that are translated at a time: it takes about as long as a step of training."""

MOST_STEPS = 40


@dataclass(frozen=True)
class Sentence(Result):
    """A sentence, and what was said of it."""

    source: str
    before: str
    after: str


@dataclass(frozen=True, kw_only=True, eq=False)
class Forgetting(Result):
    """What is said of sentences that no correction was about.

    Attributes:
        sentences: the examples of the model's card, then twenty fixed lines of its training text,
            if some lies beside it: each with its greedy translation before and after.
        examples: how many of them are examples.
        changed: how many are said otherwise now.

    It shows that something else moved, not whether it is worse; and 26 sentences are few. Source:
    McCloskey and Cohen 1989, "Catastrophic Interference in Connectionist Networks".
    """

    sentences: tuple[Sentence, ...]
    examples: int
    changed: int


def forgetting(before: Translator, after: Translator) -> Forgetting:
    """What two states of a model say of the same sentences.

    Args:
        before: the model as it was.
        after: the same, taught (`Taught.translator`).
    """
    return finish(compare(before, after))


def compare(before: Translator, after: Translator) -> Pieces[Forgetting]:
    """`forgetting`, cut into pieces, so that others have their turn between them."""
    if before not in _texts_of:
        sources = [*before.card.get("examples", []), *some_sources(before.card, LINES)]
        texts = yield from _say(before, sources)
        _texts_of[before] = list(zip(sources, texts, strict=True))
    texts_before = _texts_of[before]
    now = yield from _say(after, [source for source, _ in texts_before])
    return Forgetting(
        sentences=tuple(Sentence(*each, new) for each, new in zip(texts_before, now, strict=True)),
        examples=len(before.card.get("examples", [])),
        changed=sum(one != other for (_, one), other in zip(texts_before, now, strict=True)),
    )


_texts_of: "WeakKeyDictionary[Translator, list[tuple[str, str]]]" = WeakKeyDictionary()
"""The sentences, and what a model says of them, which does not change."""


def _say(translator: Translator, sources: Sequence[str]) -> Pieces[list[str]]:
    texts: list[str] = []
    for start in range(0, len(sources), ROWS):
        read = [translator.read(text) for text in sources[start : start + ROWS]]
        prompts = [prompt for _, prompt in read]
        batch = pad([src for src, _ in read], translator.config.pad_id, translator.device)
        decoded = decode(translator.model, batch, prefix=prompts, max_steps=MOST_STEPS, top_k=0)
        texts += [translator.tgt_tokenizer.decode(each.ids) for each in decoded]
        yield
    return texts
