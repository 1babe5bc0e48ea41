"""A Marian model's two tokenizers and its vocabularies, as Hugging Face numbers their pieces."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any, cast

from ...errors import CheckpointError
from ...model.config import TransformerConfig
from ...text.added import AddedToken
from ...text.tokenizer import Tokenizer
from ...text.vocabulary import SPECIAL, VocabularyTokenizer, unnamed
from ...trace.words import is_code
from ..json_object import read_json
from ..tokenizers import (
    ADDED,
    SRC_TOKENIZER,
    TGT_TOKENIZER,
    TGT_VOCABULARY,
    VOCABULARY,
    read_sentencepiece,
    read_vocabulary,
)

TOKENIZER_CONFIG, SPECIAL_TOKENS = "tokenizer_config.json", "special_tokens_map.json"
"""Where Hugging Face writes of added tokens; the second, and `ADDED`, before the first had them."""

MATCHING = ("lstrip", "rstrip", "single_word")


def marian_tokenizers(folder: Path, config: TransformerConfig) -> tuple[Tokenizer, Tokenizer]:
    """The tokenizers of source and target.

    An embedding without a piece, as there are where rows were added to make their number round,
    gets one that no text becomes.

    Raises:
        CheckpointError: a file is missing or broken, or contradicts the configuration.
    """
    missing = [n for n in (SRC_TOKENIZER, TGT_TOKENIZER, VOCABULARY) if not (folder / n).exists()]
    if len(missing) == 3:
        raise CheckpointError(
            folder / SRC_TOKENIZER,
            "the file is missing, and so is all of the tokenizer: have it written into the folder, "
            f"too (tokenizer.save_pretrained), or copy {SRC_TOKENIZER}, {TGT_TOKENIZER} and "
            f"{VOCABULARY} from the model that this one was made of",
        )
    models = [read_sentencepiece(folder / name) for name in (SRC_TOKENIZER, TGT_TOKENIZER)]
    added, ids = _added(folder)
    separate = has_two(folder)
    src_file = folder / VOCABULARY
    tgt_file = folder / TGT_VOCABULARY if separate else src_file
    src = _vocabulary(src_file, ids, config.src_vocab_size)
    tgt = src
    if separate:
        order = source_order(folder, config)
        numbers = {old: new for new, old in enumerate(order)}
        src = {piece: numbers[old] for piece, old in src.items()}
        # The source's numbers of added tokens may be the target's of other pieces.
        taken = set(read_vocabulary(tgt_file).values())
        own = {p: i for p, i in ids.items() if i < config.tgt_vocab_size and i not in taken}
        tgt = _vocabulary(tgt_file, own, config.tgt_vocab_size)
    pair = [
        _tokenizer(path, model, vocabulary, added)
        for path, model, vocabulary in zip((src_file, tgt_file), models, (src, tgt), strict=True)
    ]
    _check_special(folder, tgt_file, tgt, config)
    return pair[0], pair[1]


def has_two(folder: Path) -> bool:
    """Whether the target has a vocabulary of its own."""
    if read_json(folder / TOKENIZER_CONFIG, optional=True).get("separate_vocabs") is False:
        return False
    return (folder / TGT_VOCABULARY).exists()


def language_codes(folder: Path) -> list[str]:
    """The languages that a text may ask to be translated into, such as ">>fra<<"."""
    return [
        piece
        for piece in read_vocabulary(folder / VOCABULARY) | _added(folder)[1]
        if is_code(piece)
    ]


def source_order(folder: Path, config: TransformerConfig) -> list[int]:
    """The ids of a vocabulary that is the source's alone, in the order that ours takes them.

    That is their own, unless the source's vocabulary numbers `<pad>` or `</s>` otherwise than the
    target's: our Transformer has one number for both, so these change places with what is there.
    """
    path = folder / VOCABULARY
    vocabulary = read_vocabulary(path)
    order = list(range(config.src_vocab_size))
    for piece, ours in (("</s>", config.eos_id), ("<pad>", config.pad_id)):
        if piece not in vocabulary:
            raise CheckpointError(path, f"the vocabulary has no {piece}")
        if ours >= len(order) or vocabulary[piece] not in order:
            raise CheckpointError(path, f"{piece} lies outside its {len(order)} pieces")
        at = order.index(vocabulary[piece])
        order[at], order[ours] = order[ours], order[at]
    if config.tied_embeddings == "all" and order != sorted(order):
        raise CheckpointError(
            path,
            f"it numbers <pad> or </s> otherwise than {TGT_VOCABULARY}, and both are one matrix",
        )
    return order


def _vocabulary(path: Path, added: Mapping[str, int], size: int) -> dict[str, int]:
    """Every id's piece: the file's, the added ones, and names for those that have none."""
    vocabulary = {**read_vocabulary(path), **added}
    ids = set(vocabulary.values())
    if len(ids) < len(vocabulary) or min(ids, default=0) < 0:
        raise CheckpointError(
            path, "a vocabulary's ids are the whole numbers from 0 up, each given once"
        )
    last = max(vocabulary, key=lambda piece: vocabulary[piece], default="")
    if last and vocabulary[last] >= size:
        raise CheckpointError(
            path if last not in added else path.with_name(TOKENIZER_CONFIG),
            f"{last} is token {vocabulary[last]}, but config.json says that there are {size}: "
            "there is no embedding for it",
        )
    nameless = set(range(size)) - ids
    return vocabulary | {unnamed(token): token for token in nameless}


def _tokenizer(
    path: Path, model: bytes, vocabulary: dict[str, int], added: Mapping[str, AddedToken]
) -> VocabularyTokenizer:
    of_vocabulary = {piece: token for piece, token in added.items() if piece in vocabulary}
    try:
        return VocabularyTokenizer(model, vocabulary, of_vocabulary)
    except ValueError as error:
        raise CheckpointError(path, str(error)) from error


def _check_special(
    folder: Path, path: Path, vocabulary: Mapping[str, int], config: TransformerConfig
) -> None:
    pieces = {token: piece for piece, token in vocabulary.items()}
    for name, token, allowed in (
        ("pad_token_id", config.pad_id, ("<pad>",)),
        ("eos_token_id", config.eos_id, ("</s>",)),
        # Marian starts from its padding token.
        ("decoder_start_token_id", config.bos_id, ("<pad>", "<s>")),
    ):
        if pieces[token] not in allowed:
            raise CheckpointError(
                folder / "config.json",
                f"{name} is {token}, which is {pieces[token]} in {path.name}, "
                f"not {' or '.join(allowed)}",
            )


def _added(folder: Path) -> tuple[dict[str, AddedToken], dict[str, int]]:
    """How each added token is found, and its id.

    The vocabulary's own special tokens are among them there, but no text becomes those here.
    """
    current = read_json(folder / TOKENIZER_CONFIG, optional=True)
    before = read_json(folder / SPECIAL_TOKENS, optional=True)
    ids: dict[str, int] = {}
    added: dict[str, AddedToken] = {}
    try:
        special = {piece for values in (current, before) for piece in _special(values)}
        if "added_tokens_decoder" in current:
            for token, how in current["added_tokens_decoder"].items():
                piece = str(how["content"])
                ids[piece] = int(token)
                flags = {name: how.get(name, False) is True for name in MATCHING}
                added[piece] = AddedToken(**flags, special=piece in special)
        else:
            ids = read_vocabulary(folder / ADDED) if (folder / ADDED).exists() else {}
            added = {piece: AddedToken(special=piece in special) for piece in {*ids, *special}}
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        raise CheckpointError(
            folder / TOKENIZER_CONFIG, "it does not say which tokens were added"
        ) from error
    return (
        {piece: token for piece, token in added.items() if piece and piece not in SPECIAL},
        {piece: token for piece, token in ids.items() if piece and piece not in SPECIAL},
    )


def _special(config: dict[str, Any]) -> list[str]:
    """The special tokens beside the usual ones, under Hugging Face's new or old name for them."""
    listed: Any = (
        config.get("extra_special_tokens") or config.get("additional_special_tokens") or []
    )
    tokens = cast(list[Any], [*listed.values()] if isinstance(listed, dict) else listed)
    return [str(each if isinstance(each, str) else each["content"]) for each in tokens]
