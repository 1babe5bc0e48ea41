"""Starting a run from what another model has learned."""

import torch
from torch import Tensor

from .. import checkpoint
from ..checkpoint import Checkpoint
from ..errors import HeadlightError
from ..model.towers import Model
from ..text.tokenizer import UNK_ID, Tokenizer
from ..trace.words import WORD_START
from .errors import TrainingError
from .recipe import Recipe

FREE = frozenset({"dropout", "banned_ids", "src_vocab_size", "tgt_vocab_size"})
"""What a child may have otherwise; its tokenizers decide the sizes of its vocabularies."""

SOURCE_TABLE = "encoder.embedding.token.weight"
TARGET_TABLES = ("decoder.embedding.token.weight", "decoder.output.weight", "decoder.output.bias")


def load_parent(recipe: Recipe) -> Checkpoint:
    """The checkpoint that a run starts from.

    Raises:
        TrainingError: there is none, it is broken, or the recipe asks for another shape.
    """
    try:
        parent = checkpoint.load(checkpoint.find(recipe.start_from))
    except HeadlightError as error:
        raise TrainingError(f"--start-from: {error}") from error
    sizes = recipe.source_vocab_size, recipe.target_vocab_size
    shape = recipe.config(*(size or recipe.vocab_size for size in sizes)).to_dict()
    for name, value in parent.model.config.to_dict().items():
        grown = name == "d_ff" and shape[name] >= value
        # One table for both languages can become the beginning of two.
        parted = name == "tied_embeddings" and (value, shape[name]) == ("all", "output")
        if shape[name] != value and name not in FREE and not grown and not parted:
            raise TrainingError(
                f"--start-from: {recipe.start_from} has {name} {value}, but the recipe asks for "
                f"{shape[name]}"
            )
    return parent


@torch.no_grad()
def inherit(
    model: Model, tokenizer: Tokenizer, tgt_tokenizer: Tokenizer, parent: Checkpoint
) -> None:
    """Sets the weights of `model` to the parent's, so that it computes what the parent does.

    Where a vocabulary differs, see `rows_of`; where d_ff is larger, the new inner units start
    without an effect.

    Args:
        model: as `load_parent` has checked, freshly initialised.
        tokenizer: of both languages, or of the source's.
        tgt_tokenizer: of the target.
        parent: what to start from.
    Source: Gee et al. 2022, "Fast Vocabulary Transfer for Language Model Compression"; Chen et al.
        2016, "Net2Net".
    """
    source_rows = rows_of(tokenizer, parent.tokenizer)
    target_rows = rows_of(tgt_tokenizer, parent.tgt_tokenizer or parent.tokenizer)
    for name, parameter in model.named_parameters():
        learned = parent.model.get_parameter(name)
        if name == SOURCE_TABLE or name in TARGET_TABLES:
            _move_rows(learned, parameter, source_rows if name == SOURCE_TABLE else target_rows)
            continue
        if parameter.shape != learned.shape and name.endswith("outer.weight"):
            parameter.zero_()
        parameter[tuple(map(slice, learned.shape))] = learned


def rows_of(new: Tokenizer, old: Tokenizer) -> list[list[int]]:
    """For each piece of `new`, the ids of the pieces of `old` that spell it.

    The same piece, if there is one; otherwise those that `old` cuts it into; none, if a character
    of it has no piece there.
    """
    old_ids = {piece: i for i, piece in enumerate(_pieces(old))}
    return [
        [old_ids[piece]] if piece in old_ids else _spelling(piece, old) for piece in _pieces(new)
    ]


def _spelling(piece: str, old: Tokenizer) -> list[int]:
    # SentencePiece takes its own ▁ for a space even where it would drop one.
    ids = old.encode(piece.replace(WORD_START, "▁"))
    return [] if UNK_ID in ids else ids


def _move_rows(learned: Tensor, parameter: Tensor, rows: list[list[int]]) -> None:
    """Sets each row of `parameter` to the mean of its rows in `learned`, if it has any."""
    for i, old in enumerate(rows):
        if old:
            parameter[i] = learned[old].mean(0)


def _pieces(tokenizer: Tokenizer) -> list[str]:
    return tokenizer.pieces(range(tokenizer.vocab_size))
