"""Tokens back into words, as far as their labels tell."""

import re
import unicodedata
from collections.abc import Sequence

Word = tuple[int, ...]

EOS = "</s>"

WORD_START = "␣"
"""How labels show SentencePiece's ▁, which is easily taken for an underscore."""

SPECIAL = (EOS, "<s>", "<pad>")

SPACELESS_LETTERS = (
    r"\u0e00-\u0e7f\u2e80-\u2fdf\u3005-\u3007\u3040-\u30ff\u31c0-\u31ff\u3400-\u4dbf\u4e00-\u9fff"
    r"\uf900-\ufaff\U00020000-\U0003ffff"
)
"""Written without spaces between words: Thai, Chinese, Japanese.
The viewer has the same letters in `assets/trace/whole_words.js`."""

SPACELESS = re.compile(f"[{SPACELESS_LETTERS}]\\Z")
"""Ends in such a letter."""


def words_of(labels: Sequence[str]) -> list[Word]:
    """The words that tokens make: the indices of each one's pieces; special tokens make none.

    A word begins where the tokenizer marks one (␣), and a punctuation mark or a symbol is one of
    its own. In writing without spaces, such as Chinese, every token is a word, as nothing marks
    longer ones; and so is every letter of a text that a model spells, where no token marks
    anything.
    """
    spelled = _is_spelled(labels)
    words: list[list[int]] = []
    joins = False  # whether the next token may go on with the last word
    for index, label in enumerate(labels):
        if is_special(label):
            joins = False
            continue
        alone = spelled or _is_sign(label) or SPACELESS.search(label)
        # Some tokenizers cut the mark of a word's start off as a token of its own.
        marked = bool(words) and labels[words[-1][-1]] == WORD_START
        if marked or (joins and not alone and not label.startswith(WORD_START)):
            words[-1].append(index)
        else:
            words.append([index])
        joins = not alone
    return [tuple(word) for word in words]


def is_special(label: str) -> bool:
    """Whether a token stands for no text: a sentence's end, or the code of a language."""
    return label in SPECIAL or is_code(label)


def word_texts(labels: Sequence[str], words: Sequence[Word]) -> tuple[str, ...]:
    """What each word reads, without the marks of its start."""
    return tuple("".join(labels[i] for i in word).replace(WORD_START, "") for word in words)


def is_punctuation(label: str) -> bool:
    """Whether a token is nothing but punctuation marks."""
    text = label.removeprefix(WORD_START)
    return bool(text) and all(unicodedata.category(char)[0] == "P" for char in text)


def _is_sign(label: str) -> bool:
    """Whether a token is nothing but punctuation marks and symbols.

    Those of arithmetic and of markup part words as a comma does.
    """
    text = label.removeprefix(WORD_START)
    return bool(text) and all(unicodedata.category(char)[0] in "PS" for char in text)


def _is_spelled(labels: Sequence[str]) -> bool:
    """Whether these are letters and no words: `reverse` reads "h e l l o", without a mark."""
    tokens = [label for label in labels if not is_special(label)]
    return all(
        len(label) == 1 and label != WORD_START and not SPACELESS.search(label) for label in tokens
    )


def is_code(piece: str) -> bool:
    """Whether a piece, or a token's label, is the code of a language."""
    return piece.startswith(">>") and re.fullmatch(r">>[^<>\s]+<<", piece) is not None
