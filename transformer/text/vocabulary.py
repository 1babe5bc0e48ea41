"""A tokenizer whose pieces are numbered by a vocabulary of their own, as Marian's are."""

import re
from collections.abc import Mapping, Sequence

from .tokenizer import WORD_START, Tokenizer, load_processor, valid_unicode

SPECIAL = ("<pad>", "</s>", "<unk>")


class VocabularyTokenizer(Tokenizer):
    """One language's SentencePiece model, which cuts text, and a vocabulary, which numbers pieces.

    Source and target often share the vocabulary, so it may hold pieces that this language's model
    never makes; those that it makes and the vocabulary lacks become `<unk>`.

    A text may begin with the code of the language to translate into (">>fra<<"), if the vocabulary
    has it.

    Args:
        model: the bytes of a SentencePiece model.
        vocabulary: each piece's id.

    Raises:
        ValueError: the bytes are no SentencePiece model, the ids are not 0 to n - 1, or `<pad>`,
            `</s>` or `<unk>` has none.
    """

    def __init__(self, model: bytes, vocabulary: Mapping[str, int]) -> None:
        self._model = model
        self._processor = load_processor(model)
        self.vocabulary = dict(vocabulary)
        self._pieces = sorted(self.vocabulary, key=self.vocabulary.__getitem__)
        if [self.vocabulary[piece] for piece in self._pieces] != list(range(len(vocabulary))):
            raise ValueError("a vocabulary's ids are the whole numbers from 0 up, each given once")
        if missing := [piece for piece in SPECIAL if piece not in vocabulary]:
            raise ValueError(f"the vocabulary has no {missing[0]}")
        self.language_codes = [
            p for p in self._pieces if p[:2] == ">>" and re.fullmatch(">>[^<>]+<<", p)
        ]
        # Text never becomes one of these, and they never become text.
        self._silent = {"<pad>", "</s>", "<s>", *self.language_codes}
        self._ids = {p: i for p, i in self.vocabulary.items() if p not in self._silent}

    @property
    def vocab_size(self) -> int:
        """Number of pieces of the vocabulary, special ones included."""
        return len(self._pieces)

    def encode(self, text: str) -> list[int]:
        """Token ids of `text`, a leading language code included, without special tokens."""
        _, code, text = self._split_code(text)
        ids = [self._ids.get(p, self._ids["<unk>"]) for p in self._processor.EncodeAsPieces(text)]
        return [self.vocabulary[code], *ids] if code else ids

    def spans(self, text: str) -> list[tuple[int, int]]:
        """See `Tokenizer.spans`; a leading language code has a span of its own."""
        indent, code, text = self._split_code(text)
        begin = indent + len(code)
        spans = [(begin + start, begin + end) for start, end in super().spans(text)]
        return [(indent, begin), *spans] if code else spans

    def _split_code(self, text: str) -> tuple[int, str, str]:
        """The number of spaces before the text, its language code, and the rest."""
        text = valid_unicode(text).replace("\0", "")
        stripped = text.lstrip()
        code = next((code for code in self.language_codes if stripped.startswith(code)), "")
        return len(text) - len(stripped), code, stripped[len(code) :]

    def decode(self, ids: Sequence[int]) -> str:
        """The text that `ids` spell; special tokens and language codes are silent."""
        pieces = [self._pieces[i] for i in ids if self._pieces[i] not in self._silent]
        # SentencePiece leaves the mark in pieces that only the other language's model knows.
        return self._processor.DecodePieces(pieces).replace("▁", " ").strip()

    def piece(self, token_id: int) -> str:
        """The label of one token."""
        return self._pieces[token_id].replace("▁", WORD_START)
