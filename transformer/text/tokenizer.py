"""Text to token ids and back, with SentencePiece."""

import io
import re
import string
import tempfile
import unicodedata
from collections.abc import Iterable, Sequence
from pathlib import Path

import sentencepiece as spm

from ..trace.words import WORD_START
from .model_file import without_rules_path

PAD_ID, BOS_ID, EOS_ID, UNK_ID = range(4)
SPECIAL_PIECES = ("<pad>", "<s>", "</s>", "<unk>")

WITHOUT_SPACES = ("zh", "ja", "th")
"""Languages that put no space between words."""

ASCII = string.digits + string.ascii_letters + string.punctuation


def has_spaces(language: str) -> bool:
    """Whether a language, given by its code ("zh-TW", say), puts spaces between words."""
    return bool(language) and language.partition("-")[0] not in WITHOUT_SPACES


class Tokenizer:
    """One SentencePiece model: a vocabulary and the way text is cut into it.

    Args:
        model: the bytes of a `tokenizer.model` file.

    Raises:
        ValueError: the bytes are no SentencePiece model, or its special tokens have other ids than
            `<pad>` 0, `<s>` 1, `</s>` 2, `<unk>` 3.
    """

    def __init__(self, model: bytes) -> None:
        self._model = model
        self._processor = load_processor(model)
        self._labels: dict[
            int, str
        ] = {}  # of the tokens that were asked for: a trace has a hundred
        specials = tuple(self._processor.IdToPiece(i) for i in range(min(4, self.vocab_size)))
        if specials != SPECIAL_PIECES:
            raise ValueError(
                f"the first pieces are {' '.join(specials)}, not {' '.join(SPECIAL_PIECES)}"
            )

    @classmethod
    def load(cls, path: Path) -> "Tokenizer":
        """Reads a `tokenizer.model` file."""
        return cls(path.read_bytes())

    @classmethod
    def train(
        cls,
        sentences: Iterable[str],
        vocab_size: int,
        *,
        character_coverage: float = 0.9995,
        characters: bool = False,
        whole_words: bool = False,
        spaces: bool = False,
    ) -> "Tokenizer":
        """Learns a vocabulary from text.

        Args:
            sentences: one a line, of all languages that share the vocabulary.
            vocab_size: number of pieces, the four special ones included.
            character_coverage: share of the text's characters that get a piece of their own; the
                rarest of the rest become `<unk>`.
            characters: make every piece a single character; there may be fewer than `vocab_size`.
            whole_words: merge frequent pairs of pieces (byte-pair encoding) for as long as the
                vocabulary lasts, which keeps words whole, where the default (unigram) would rather
                make up the text from few pieces. Every ASCII character has a piece, and digits
                stay single.
            spaces: put a space before a text, so that its first word is the piece that it is
                anywhere else; a language written without spaces gets none.

        Raises:
            ValueError: the text supports no vocabulary of this size; the sentence names the limit.
        """
        model = io.BytesIO()
        model_type = "char" if characters else "bpe" if whole_words else "unigram"
        with tempfile.TemporaryDirectory() as folder:
            rules = Path(folder, "normalization.tsv")
            rules.write_text(_normalization_rules(), encoding="utf-8")
            try:
                spm.SentencePieceTrainer.Train(
                    sentence_iterator=iter(sentences),
                    model_writer=model,
                    model_type=model_type,
                    vocab_size=vocab_size,
                    character_coverage=character_coverage,
                    normalization_rule_tsv=str(rules),
                    add_dummy_prefix=spaces,
                    split_digits=whole_words,
                    required_chars=ASCII if whole_words else "",
                    pad_id=PAD_ID,
                    bos_id=BOS_ID,
                    eos_id=EOS_ID,
                    unk_id=UNK_ID,
                    unk_surface="⁇",
                    minloglevel=2,
                )
            except RuntimeError as error:
                if limit := re.search(r"value <= (\d+)", str(error)):
                    remedy = f"choose at most {limit[1]}"
                elif limit := re.search(r"\d+ vs (\d+)", str(error)):
                    remedy = f"choose at least {limit[1]}, or cover fewer characters"
                else:
                    remedy = "there is no text"
                raise ValueError(
                    f"this text does not support a vocabulary of {vocab_size} pieces: {remedy}"
                ) from error
        return cls(without_rules_path(model.getvalue()))

    def to_bytes(self) -> bytes:
        """The bytes of a `tokenizer.model` file."""
        return self._model

    @property
    def vocab_size(self) -> int:
        """Number of pieces, special ones included."""
        return self._processor.GetPieceSize()

    @property
    def language_codes(self) -> list[str]:
        """The languages to translate into that a text may begin with, such as ">>fra<<"."""
        return []

    def leading_code(self, text: str) -> str:
        """The language code that `text` begins with, known or not; empty if there is none."""
        return next((code for code in self.language_codes if text.startswith(code)), "")

    def encode(self, text: str) -> list[int]:
        """Token ids of `text`, without special tokens; text that spells one stays text."""
        # SentencePiece has no rule that could drop a NUL.
        return self._processor.EncodeAsIds(valid_unicode(text).replace("\0", ""))

    def spans(self, text: str) -> list[tuple[int, int]]:
        """Where in `text` the tokens of `encode` come from: first character, and the one after.

        A token's span takes in the white space before it; one that shares a character with its
        neighbour (the f of ﬁ) may be empty.
        """
        mapping = self._processor.EncodeAsOffsetMapping(valid_unicode(text).replace("\0", ""))
        return [(start, end) for start, end in mapping["offsets"]]

    def sample(self, text: str, alpha: float) -> list[int]:
        """Token ids of one way to cut `text`, drawn by chance; the smaller `alpha`, the freer.

        Seed it with `seed_sampling`.
        """
        text = valid_unicode(text).replace("\0", "")
        return self._processor.SampleEncodeAsIds(text, nbest_size=-1, alpha=alpha)

    def decode(self, ids: Sequence[int]) -> str:
        """The text that `ids` spell; special tokens are silent, `<unk>` reads ⁇."""
        return self._processor.DecodeIds(list(ids))

    def pieces(self, ids: Iterable[int]) -> list[str]:
        """A readable label for each token: ␣ marks a word's start, a byte piece reads as 0xE2."""
        return [self.piece(i) for i in ids]

    def piece(self, token_id: int) -> str:
        """The label of one token."""
        if (label := self._labels.get(token_id)) is None:
            piece: str = self._processor.IdToPiece(token_id)
            is_byte = self._processor.IsByte(token_id)
            label = piece.strip("<>") if is_byte else piece.replace("▁", WORD_START)
            self._labels[token_id] = label
        return label


def seed_sampling(seed: int) -> None:
    """Makes what `Tokenizer.sample` draws from now on repeatable; `seed` is taken modulo 2**32."""
    spm.set_random_generator_seed(seed % 2**32)


def load_processor(model: bytes) -> spm.SentencePieceProcessor:
    """SentencePiece itself, with the model of these bytes.

    Raises:
        ValueError: the bytes are no SentencePiece model.
    """
    processor = spm.SentencePieceProcessor()
    try:
        loaded = bool(model) and processor.LoadFromSerializedProto(model)
    except RuntimeError:
        loaded = False
    if not loaded:
        raise ValueError("not a SentencePiece model")
    return processor


def valid_unicode(text: str) -> str:
    """`text` with ? for halves of surrogate pairs, which JSON can carry but UTF-8 cannot."""
    return text.encode("utf-8", "replace").decode("utf-8")


def _normalization_rules() -> str:
    """SentencePiece rules: Unicode NFKC, but full-width punctuation stays as Chinese writes it.

    Control and zero-width characters vanish; every kind of white space becomes a space.
    """
    rules: dict[str, str] = {}
    for code in (*range(1, 0xD800), *range(0xE000, 0x30000)):
        char = chr(code)
        category = unicodedata.category(char)
        if char.isspace():
            rules[char] = " "
        elif category in ("Cc", "Cf"):
            rules[char] = ""
        elif category.startswith("P"):
            continue
        elif (normal := unicodedata.normalize("NFKC", char)) != char:
            rules[char] = normal
        # A letter typed as a base and combining accents is the one letter.
        if len(parts := unicodedata.normalize("NFD", char)) > 1 and category[0] == "L":
            if unicodedata.normalize("NFC", parts) == char and not 0xAC00 <= code <= 0xD7A3:
                rules[parts] = char
    rules.pop(" ")
    return "".join(f"{_hex(old)}\t{_hex(new)}\n" for old, new in rules.items())


def _hex(text: str) -> str:
    return " ".join(f"{ord(char):X}" for char in text)
