"""A tokenizer whose pieces are numbered by a vocabulary of their own, as Marian's are."""

import re
from collections.abc import Iterator, Mapping, Sequence

from ..trace.words import WORD_START, is_code
from .added import AddedToken, cut_at_added
from .tokenizer import Tokenizer, load_processor, valid_unicode

SPECIAL = ("<pad>", "</s>", "<unk>")

UNNAMED = re.compile(r"<unnamed \d+>")


def unnamed(token_id: int) -> str:
    """What an id is called that a model has an embedding for, and its vocabulary no piece."""
    return f"<unnamed {token_id}>"


class VocabularyTokenizer(Tokenizer):
    """One language's SentencePiece model, which cuts text, and a vocabulary, which numbers pieces.

    Source and target often share the vocabulary, so it may hold pieces that this language's model
    never makes; those that it makes and the vocabulary lacks become `<unk>`.

    A text may begin with the code of the language to translate into (">>fra<<"). One that the
    vocabulary lacks becomes `<unk>`.

    Args:
        model: the bytes of a SentencePiece model.
        vocabulary: each piece's id.
        added: those pieces that a text becomes wherever it spells them.

    Raises:
        ValueError: the bytes are no SentencePiece model, the ids are not 0 to n - 1, or `<pad>`,
            `</s>` or `<unk>` has none.
    """

    def __init__(
        self,
        model: bytes,
        vocabulary: Mapping[str, int],
        added: Mapping[str, AddedToken] | None = None,
    ) -> None:
        self._model = model
        self._processor = load_processor(model)
        self.vocabulary = dict(vocabulary)
        self.added = dict(added or {})
        self._pieces = sorted(self.vocabulary, key=self.vocabulary.__getitem__)
        if [self.vocabulary[piece] for piece in self._pieces] != list(range(len(vocabulary))):
            raise ValueError("a vocabulary's ids are the whole numbers from 0 up, each given once")
        if missing := [piece for piece in SPECIAL if piece not in vocabulary]:
            raise ValueError(f"the vocabulary has no {missing[0]}")
        self._codes = [piece for piece in self._pieces if is_code(piece)]
        special = [piece for piece, token in self.added.items() if token.special]
        nameless = filter(UNNAMED.fullmatch, self._pieces)
        # Text never becomes one of these, and they never become text.
        self._silent = {"<pad>", "</s>", "<s>", *self._codes, *special, *nameless}
        self._ids = {p: i for p, i in self.vocabulary.items() if p not in self._silent}

    @property
    def vocab_size(self) -> int:
        """Number of pieces of the vocabulary, special ones included."""
        return len(self._pieces)

    @property
    def language_codes(self) -> list[str]:
        """See `Tokenizer.language_codes`."""
        return self._codes

    def encode(self, text: str) -> list[int]:
        """Token ids of `text`, a leading language code included, without special tokens."""
        text = _readable(text)
        unk, ids = self._ids["<unk>"], list[int]()
        for start, end, whole in self._parts(text):
            if whole:
                ids.append(self.vocabulary.get(whole, unk))
            else:
                pieces: list[str] = self._processor.EncodeAsPieces(text[start:end])
                ids += [self._ids.get(piece, unk) for piece in pieces]
        return ids

    def spans(self, text: str) -> list[tuple[int, int]]:
        """See `Tokenizer.spans`; a language code and an added token have spans of their own."""
        text = _readable(text)
        spans: list[tuple[int, int]] = []
        for start, end, whole in self._parts(text):
            if whole:
                spans.append((start, end))
            else:
                spans += [(start + a, start + b) for a, b in super().spans(text[start:end])]
        return spans

    def leading_code(self, text: str) -> str:
        """See `Tokenizer.leading_code`."""
        first = next(self._parts(_readable(text)), (0, 0, ""))[2]
        return first if is_code(first) else ""

    def _parts(self, text: str) -> Iterator[tuple[int, int, str]]:
        """Where the parts of a text lie, and the piece that one is as a whole, if it is one."""
        for start, end, token in cut_at_added(text, self.added):
            # White space before the code is easily typed and never seen.
            indent = re.match(r"\s*(?=>>[^<>\s]+<<)", text[start:end]) if start == 0 else None
            begin = start + (indent.end() if indent else 0)
            close = text.find("<<", begin, end)
            if token:
                yield start, end, token
            elif text.startswith(">>", begin, end) and close >= 0:
                yield begin, close + 2, text[begin : close + 2]
                yield close + 2, end, ""
            else:
                yield start, end, ""

    def decode(self, ids: Sequence[int]) -> str:
        """The text that `ids` spell; special tokens and language codes are silent."""
        pieces = [self._pieces[i] for i in ids if self._pieces[i] not in self._silent]
        # SentencePiece leaves the mark in pieces that only the other language's model knows.
        return self._processor.DecodePieces(pieces).replace("▁", " ").strip()

    def piece(self, token_id: int) -> str:
        """The label of one token."""
        return self._pieces[token_id].replace("▁", WORD_START)


def _readable(text: str) -> str:
    return valid_unicode(text).replace("\0", "")
