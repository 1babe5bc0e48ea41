"""Words that can stand in one another's place in a sentence, by hand: no embedding tells so much.

Words that a model has learnt to take alike are often of different kinds ("new" and "groom", of
what one buys); a sentence that nobody would write shows what its oddness does, not the word.
"""

from functools import cache
from importlib.resources import files


@cache
def _by_word() -> dict[str, tuple[str, ...]]:
    lines = (
        (files("transformer.inside") / "word_families.txt").read_text(encoding="utf-8").splitlines()
    )
    families: dict[str, tuple[str, ...]] = {}
    for family in map(str.split, lines):
        for word in family:
            families[word] = (
                *families.get(word, ()),
                *(other for other in family if other != word),
            )
    return families


def relatives(word: str, *, spelled: bool = False) -> tuple[str, ...]:
    """Words for one that is written so, or with a capital.

    Args:
        word: as it stands in a sentence.
        spelled: it is a letter of a text that is spelled: any other one will do.
    """
    if spelled and len(word) == 1 and word.isascii() and word.islower():
        return tuple(chr(code) for code in range(ord("a"), ord("z") + 1) if chr(code) != word)
    families = _by_word()
    if word in families:
        return families[word]
    lowered = word[:1].lower() + word[1:]
    return tuple(other[:1].upper() + other[1:] for other in families.get(lowered, ()))
