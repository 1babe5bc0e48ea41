"""Tokens as people read them, and which word each is of, by the marks of their tokenizer."""

import re
import unicodedata
from collections.abc import Container, Iterable, Sequence
from typing import Any, NamedTuple

from ..trace.words import SPACELESS, WORD_START

SPECIAL = re.compile(r"\[(?!UNK|MASK)[A-Z]+\d*\]|<(?!unk|mask|0x)[^<>\s]+>")
LINE, TAB = "↵", "⇥"
UNSEEN = ("Cc", "Cf", "Zs", "Zl", "Zp")
"""Categories of signs that are drawn as nothing, or as an empty box."""
SELECTORS = ("\ufe0e", "\ufe0f")
"""How an emoji is to be drawn; alone they are nothing."""
PART = re.compile(r"(?:\\x[0-9a-f]{2})+")
"""Bytes that are no letter alone."""
NAMED = re.compile(r"\[[A-Z]+\d*\]|<[^<>\s]+>")
"""Tokens that stand for something else than their letters."""

BYTE = re.compile(r"<0x([0-9A-F]{2})>")


class Labels(NamedTuple):
    """The tokens of one side.

    Attributes:
        shown: labels; ␣ begins a word.
        words: by token the number of its word; None for special tokens.
    """

    shown: tuple[str, ...]
    words: tuple[int | None, ...]


class Marks(NamedTuple):
    """How a tokenizer writes its tokens.

    Attributes:
        byte_level: bytes as GPT-2 writes them: Ġ for a space, Ċ for a line's end.
        word_piece: as BERT: what is no ## begins a word.
        ended: </w> ends a word.
    """

    byte_level: bool
    word_piece: bool
    ended: bool


def marks_of(tokenizer: Any) -> Marks | None:
    """The commonest marks of a tokenizer's vocabulary; None where there are none.

    A step's few candidates may show none of their marks, and GPT-2 has a token that is called ##.
    """
    vocabulary: Iterable[str] = getattr(tokenizer, "get_vocab", dict[str, int])()
    counts = {"Ġ": 0, "▁": 0, "##": 0, "</w>": 0}
    for token in vocabulary:
        for mark in counts:
            counts[mark] += token.endswith(mark) if mark == "</w>" else token.startswith(mark)
    most = max(counts, key=lambda mark: counts[mark])
    return Marks(most == "Ġ", most == "##", most == "</w>") if counts[most] else None


def read_labels(
    tokens: Sequence[str],
    *,
    prettify: bool = True,
    marks: Marks | None = None,
    added: Container[str] = (),
) -> Labels:
    """Labels and words, by what marks a word's start: Ġ, ▁, ## or </w>.

    Args:
        tokens: as a tokenizer names them.
        prettify: False leaves labels as they are; words are read all the same.
        marks: the tokenizer's; None reads them off the tokens.
        added: tokens that are written as people read them, whatever its marks.
    """
    if marks is None:
        ended = any(token.endswith("</w>") for token in tokens)
        marks = Marks(_is_byte_level(tokens), _is_word_piece(tokens), ended)
    texts = [_text(it, marks.byte_level and it not in added) for it in tokens]
    starts = _starts(tokens, texts, marks)
    words: list[int | None] = []
    count, after_special = -1, True
    for token, start in zip(tokens, starts, strict=True):
        if is_special(token):
            words.append(None)
            after_special = True
            continue
        count += start or after_special
        after_special = False
        words.append(count)
    if not prettify:
        return Labels(tuple(tokens), tuple(words))
    spaced = marks.word_piece or marks.ended
    labels: list[str] = []
    for token, text, start in zip(tokens, texts, starts, strict=True):
        bare = text.replace(" ", WORD_START)
        begins = start and spaced and not NAMED.fullmatch(token) and not bare.startswith(WORD_START)
        labels.append(f"{WORD_START}{bare}" if begins and not _is_sign(bare) else bare)
    return Labels(tuple(labels), tuple(words))


def is_special(token: str) -> bool:
    """Whether a token stands for no text: [CLS], </s>, <|endoftext|>."""
    return SPECIAL.fullmatch(token) is not None


def spelled(labels: Sequence[str]) -> str:
    """The text that labels spell, but for special tokens."""
    texts = [label for label in labels if not is_special(label)]
    joined = any(WORD_START in text or SPACELESS.search(text) for text in texts)
    return ("" if joined else " ").join(texts).replace(WORD_START, " ").strip()


def _starts(tokens: Sequence[str], texts: Sequence[str], marks: Marks) -> list[bool]:
    if marks.word_piece:
        return [not token.startswith("##") for token in tokens]
    if marks.ended:
        ended = [True, *(token.endswith("</w>") or is_special(token) for token in tokens)]
        return ended[: len(tokens)]
    return _by_spaces(texts)


def _by_spaces(texts: Sequence[str]) -> list[bool]:
    """Where words start that a space stands before, if any text has one; else everywhere.

    A sign parts words as a space does; in writing without spaces every token is a word, those that
    are parts of one letter together.
    """
    spaced = any(" " in text for text in texts)
    starts: list[bool] = []
    last, pending = "", b""
    for text in texts:
        part = bytes.fromhex(text.replace("\\x", "")) if PART.fullmatch(text) else b""
        parted = any(_is_sign(it) or SPACELESS.search(it) for it in (text, last))
        alone = not spaced or text[:1] in (" ", LINE) or (parted and last != " ")
        starts.append(not pending if part else alone or (PART.fullmatch(last) is not None))
        pending += part
        if not part or _is_whole(pending):
            pending = b""
        last = text
    return starts


def _is_whole(content: bytes) -> bool:
    try:
        content.decode()
    except UnicodeDecodeError:
        return False
    return True


def _is_word_piece(tokens: Sequence[str]) -> bool:
    """Whether tokens are BERT's, where what is no ## begins a word."""
    marks = any(token.startswith("##") for token in tokens)
    return marks or ("[CLS]" in tokens and not any("Ġ" in it or "▁" in it for it in tokens))


def _is_sign(text: str) -> bool:
    return bool(sign := text.strip()) and all(unicodedata.category(it)[0] in "PS" for it in sign)


def _text(token: str, byte_level: bool) -> str:
    if is_special(token):
        return token
    if byte_level:
        values = [_BYTES.get(char) for char in token]
        if None not in values:
            return _readable(bytes(value for value in values if value is not None))
    if match := BYTE.fullmatch(token):
        return _readable(bytes([int(match[1], 16)]))
    return _visible(token.removeprefix("##").removesuffix("</w>").replace("▁", " ") or token)


def _visible(text: str) -> str:
    """A text whose control characters are signs; and whatever else is not seen, where it is all."""
    alone = all(it in SELECTORS or unicodedata.category(it) in UNSEEN for it in text)
    return "".join(
        {"\n": LINE, "\t": TAB, " ": " "}.get(it) or _code(it)
        if unicodedata.category(it) == "Cc" or alone
        else it
        for it in text
    )


def _code(sign: str) -> str:
    return f"\\x{ord(sign):02x}" if ord(sign) < 128 else f"\\u{{{ord(sign):x}}}"


def _readable(content: bytes) -> str:
    try:
        return _visible(content.decode())
    except UnicodeDecodeError:  # a part of a sign, whose other bytes are another token's
        return "".join(f"\\x{byte:02x}" for byte in content)


def _is_byte_level(tokens: Sequence[str]) -> bool:
    """Whether tokens spell bytes as GPT-2's do: Ġ for a space, Ċ for a line's end."""
    return any("Ġ" in token or "Ċ" in token for token in tokens)


def _byte_signs() -> dict[str, int]:
    """Bytes by the sign that GPT-2's tokenizer writes: the byte itself, or one from U+0100 on."""
    plain = [*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)]
    moved = [byte for byte in range(256) if byte not in plain]
    signs = {chr(byte): byte for byte in plain}
    return signs | {chr(256 + place): byte for place, byte in enumerate(moved)}


_BYTES = _byte_signs()
