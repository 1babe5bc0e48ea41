"""Tokens that somebody added to a finished vocabulary: a text that spells one becomes it, whole."""

import re
from collections.abc import Mapping
from dataclasses import dataclass

PLAIN = ""
"""What stands for text between added tokens."""


@dataclass(frozen=True)
class AddedToken:
    """How a token is found in a text, as Hugging Face's `AddedToken` says it.

    Attributes:
        lstrip: it takes the white space before it along.
        rstrip: it takes the white space after it along.
        single_word: a letter or a mark beside it makes it plain text again.
        special: it is silent in what a model says.
    """

    lstrip: bool = False
    rstrip: bool = False
    single_word: bool = False
    special: bool = False


def cut_at_added(text: str, added: Mapping[str, AddedToken]) -> list[tuple[int, int, str]]:
    """The parts of a text: first character, the one after, and the added token or `PLAIN`.

    Of two tokens that begin at one place, the longer one is found. White space that a token takes
    along is in no part.
    """
    if not added:
        return [(0, len(text), PLAIN)]
    pattern = re.compile("|".join(map(re.escape, sorted(added, key=len, reverse=True))))
    parts: list[tuple[int, int, str]] = []
    end = 0
    for match in pattern.finditer(text):
        parts += [(end, match.start(), PLAIN), (*match.span(), match[0])]
        end = match.end()
    parts.append((end, len(text), PLAIN))
    # Plain parts are the even ones.
    for at in range(1, len(parts), 2):
        _take_along(text, parts, at, added[parts[at][2]])
    return [part for part in parts if part[0] < part[1]]


def _take_along(text: str, parts: list[tuple[int, int, str]], at: int, token: AddedToken) -> None:
    (first, left, _), (start, end, _), (right, last, _) = parts[at - 1 : at + 2]
    if token.rstrip:
        right = last - len(text[right:last].lstrip())
    if token.lstrip:
        left = first + len(text[first:left].rstrip())
    if token.single_word and first < left and text[left - 1] != " ":
        left = start = end
    elif token.single_word and right < last and text[right] != " ":
        right = end = start
    parts[at - 1 : at + 2] = [
        (first, left, PLAIN),
        (start, end, parts[at][2]),
        (right, last, PLAIN),
    ]
