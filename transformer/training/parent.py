"""Starting a run from what another model has learned."""

import torch

from .. import checkpoint
from ..checkpoint import Checkpoint
from ..errors import HeadlightError
from ..model import Model
from ..tokenizer import Tokenizer
from .errors import TrainingError
from .recipe import Recipe

FREE = frozenset({"dropout", "banned_ids", "src_vocab_size", "tgt_vocab_size"})
"""What a child may have otherwise; its tokenizer decides the size of its vocabulary."""

VOCABULARY_TABLES = ("embedding.token.weight", "decoder.output.weight", "decoder.output.bias")


def load_parent(recipe: Recipe) -> Checkpoint:
    """The checkpoint that a run starts from.

    Raises:
        TrainingError: there is none, it is broken, or the recipe asks for another shape.
    """
    try:
        parent = checkpoint.load(checkpoint.find(recipe.start_from))
    except HeadlightError as error:
        raise TrainingError(f"--start-from: {error}") from error
    asked = recipe.config(recipe.vocab_size).to_dict()
    for name, value in parent.model.config.to_dict().items():
        if asked[name] != value and name not in FREE:
            raise TrainingError(
                f"--start-from: {recipe.start_from} has {name} {value}, but the recipe asks for "
                f"{asked[name]}"
            )
    return parent


def has_languages_of(recipe: Recipe, parent: Checkpoint) -> bool:
    """Whether the parent's vocabulary is of the recipe's languages, whichever is the source."""
    of_parent = {parent.card.get("source_language"), parent.card.get("target_language")}
    return of_parent == {recipe.source_language, recipe.target_language}


@torch.no_grad()
def inherit(model: Model, tokenizer: Tokenizer, parent: Checkpoint) -> None:
    """Sets the weights of `model`, of the parent's shape, to the parent's.

    Where the vocabularies differ, only the pieces that both know take their embeddings over; the
    others keep theirs.
    """
    old_ids = {piece: i for i, piece in enumerate(_pieces(parent.tokenizer))}
    shared = [(i, old_ids[piece]) for i, piece in enumerate(_pieces(tokenizer)) if piece in old_ids]
    new_rows, old_rows = (torch.tensor(rows) for rows in zip(*shared, strict=True))
    learned = dict(parent.model.named_parameters())
    for name, parameter in model.named_parameters():
        if name.endswith(VOCABULARY_TABLES):
            parameter[new_rows] = learned[name][old_rows]
        else:
            parameter.copy_(learned[name])


def _pieces(tokenizer: Tokenizer) -> list[str]:
    return tokenizer.pieces(range(tokenizer.vocab_size))
