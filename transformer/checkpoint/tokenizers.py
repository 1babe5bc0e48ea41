"""A checkpoint's tokenizers on disk: SentencePiece's own file, or Marian's and its vocabulary."""

import json
from collections.abc import Callable, Mapping
from dataclasses import asdict
from functools import lru_cache
from pathlib import Path
from typing import Any, TypeVar

from ..errors import CheckpointError
from ..model.config import TransformerConfig
from ..text.added import AddedToken
from ..text.tokenizer import Tokenizer, load_processor
from ..text.vocabulary import VocabularyTokenizer
from ..trace.words import is_code
from .json_object import read_json, read_regular

TOKENIZER = "tokenizer.model"
OWN_TOKENIZERS = ("source_tokenizer.model", "target_tokenizer.model")
SRC_TOKENIZER, TGT_TOKENIZER = "source.spm", "target.spm"
VOCABULARY, TGT_VOCABULARY = "vocab.json", "target_vocab.json"
ADDED = "added_tokens.json"
MARIAN_TOKENIZERS = (SRC_TOKENIZER, TGT_TOKENIZER, VOCABULARY, TGT_VOCABULARY, ADDED)
TOKENIZER_FILES = (TOKENIZER, *OWN_TOKENIZERS, *MARIAN_TOKENIZERS)

Parsed = TypeVar("Parsed")


def tokenizer_files(src: Tokenizer, tgt: Tokenizer | None) -> dict[str, bytes]:
    """What to write for the tokenizer of both languages, or for the two of them, by file name."""
    if tgt is None:
        return {TOKENIZER: src.to_bytes()}
    if not isinstance(tgt, VocabularyTokenizer):
        return dict(zip(OWN_TOKENIZERS, (src.to_bytes(), tgt.to_bytes()), strict=True))
    files = {SRC_TOKENIZER: src.to_bytes(), TGT_TOKENIZER: tgt.to_bytes()}
    vocabulary = src.vocabulary if isinstance(src, VocabularyTokenizer) else tgt.vocabulary
    files[VOCABULARY] = json.dumps(vocabulary, ensure_ascii=False).encode()
    if tgt.vocabulary != vocabulary:
        files[TGT_VOCABULARY] = json.dumps(tgt.vocabulary, ensure_ascii=False).encode()
    added = tgt.added | (src.added if isinstance(src, VocabularyTokenizer) else {})
    if added:
        flags = {piece: asdict(token) for piece, token in added.items()}
        files[ADDED] = json.dumps(flags, ensure_ascii=False).encode()
    return files


def read_tokenizers(folder: Path, config: TransformerConfig) -> tuple[Tokenizer, Tokenizer | None]:
    """The tokenizer of both languages; or the source's and the target's, if they differ.

    Raises:
        CheckpointError: a file is missing, unreadable or contradicts `config`.
    """
    if (folder / OWN_TOKENIZERS[0]).exists():
        paths = [folder / name for name in OWN_TOKENIZERS]
        src, tgt = (_parse(path, Tokenizer) for path in paths)
        _check_tokenizer(paths[0], src, config.src_vocab_size, config)
        _check_tokenizer(paths[1], tgt, config.tgt_vocab_size, config)
        return src, tgt
    if (folder / TOKENIZER).exists() or not (folder / SRC_TOKENIZER).exists():
        tokenizer = _parse(folder / TOKENIZER, Tokenizer)
        sizes = {config.tgt_vocab_size}
        if not config.decoder_only:
            sizes.add(config.src_vocab_size)
        for size in sizes:
            _check_tokenizer(folder / TOKENIZER, tokenizer, size, config)
        return tokenizer, None
    tgt_file = VOCABULARY if not (folder / TGT_VOCABULARY).exists() else TGT_VOCABULARY
    added = _parse(folder / ADDED, _read_added) if (folder / ADDED).exists() else {}
    src = _read_vocabulary_tokenizer(folder / SRC_TOKENIZER, folder / VOCABULARY, added)
    tgt = _read_vocabulary_tokenizer(folder / TGT_TOKENIZER, folder / tgt_file, added)
    _check_tokenizer(folder / VOCABULARY, src, config.src_vocab_size, config)
    _check_tokenizer(folder / tgt_file, tgt, config.tgt_vocab_size, config)
    return src, tgt


def _read_vocabulary_tokenizer(
    model: Path, vocabulary: Path, added: Mapping[str, AddedToken]
) -> VocabularyTokenizer:
    content = read_sentencepiece(model)
    pieces = read_vocabulary(vocabulary)
    of_vocabulary = {piece: token for piece, token in added.items() if piece in pieces}
    try:
        return VocabularyTokenizer(content, pieces, of_vocabulary)
    except ValueError as error:
        raise CheckpointError(vocabulary, str(error)) from error


def read_sentencepiece(path: Path) -> bytes:
    """The bytes of a SentencePiece model.

    Raises:
        CheckpointError: the file is missing, or holds something else.
    """
    _parse(path, load_processor)
    return path.read_bytes()


def read_vocabulary(path: Path) -> dict[str, int]:
    """Each piece's id.

    Raises:
        CheckpointError: the file is missing, or holds something else.
    """
    vocabulary = read_json(path)
    if any(type(token) is not int for token in vocabulary.values()):
        raise CheckpointError(path, "it must be an object from pieces to ids")
    return vocabulary


def language_codes(folder: Path) -> list[str]:
    """The languages that a checkpoint's texts may ask to be translated into, such as ">>fra<<".

    Raises:
        CheckpointError: the vocabulary is broken.
    """
    path = folder / VOCABULARY
    return _codes(path, path.stat().st_mtime_ns) if path.exists() else []


@lru_cache(100)  # the page asks each time it opens
def _codes(path: Path, _written: int) -> list[str]:
    return [piece for piece in read_vocabulary(path) if is_code(piece)]


def _read_added(text: bytes) -> dict[str, AddedToken]:
    tokens: Any = json.loads(text)
    try:
        return {str(piece): AddedToken(**flags) for piece, flags in tokens.items()}
    except (AttributeError, TypeError) as error:
        raise ValueError("it must be an object from pieces to how each is found") from error


def _parse(path: Path, parse: Callable[[bytes], Parsed]) -> Parsed:
    try:
        return parse(read_regular(path))
    except OSError as error:
        raise CheckpointError(path, "the file is missing or cannot be read") from error
    except (ValueError, RecursionError) as error:
        raise CheckpointError(path, str(error)) from error


def _check_tokenizer(
    path: Path, tokenizer: Tokenizer, size: int, config: TransformerConfig
) -> None:
    if size != tokenizer.vocab_size:
        raise CheckpointError(
            path, f"it has {tokenizer.vocab_size} pieces, but config.json says {size}"
        )
    ids = (config.pad_id, config.bos_id, config.eos_id)
    pad, bos, eos = tokenizer.pieces(ids) if max(ids) < size else ("", "", "")
    # Marian starts from its padding token.
    if pad != "<pad>" or bos not in ("<s>", "<pad>") or eos != "</s>":
        raise CheckpointError(path, "config.json gives its special tokens other ids")
