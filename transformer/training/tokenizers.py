"""Which tokenizers a run has: its parent's, or new ones from its own texts."""

from collections.abc import Sequence
from pathlib import Path

from .. import checkpoint
from ..checkpoint import OWN_TOKENIZERS, TOKENIZER, Checkpoint
from ..checkpoint.whole import write_whole
from ..text.tokenizer import Tokenizer, has_spaces
from .data import Text
from .errors import TrainingError
from .recipe import Recipe, option

Tokenizers = tuple[Tokenizer, Tokenizer | None]
"""Tokenizers of both languages and None, or of the source and of the target."""


def stored_tokenizers(folder: Path) -> Tokenizers | None:
    """Tokenizers that a run's folder holds, if it is an earlier run's."""
    src, tgt = (folder / name for name in OWN_TOKENIZERS)
    if tgt.exists():
        return Tokenizer.load(src), Tokenizer.load(tgt)
    shared = folder / TOKENIZER
    return (Tokenizer.load(shared), None) if shared.exists() else None


def store_tokenizers(folder: Path, tokenizers: Tokenizers) -> None:
    """Writes them into a run's folder; the target's comes last."""
    for name, content in checkpoint.tokenizer_files(*tokenizers).items():
        write_whole(folder / name, content)


def choose_tokenizers(
    texts: Sequence[Text], recipe: Recipe, parent: Checkpoint | None
) -> Tokenizers:
    """The parent's, if they are of the recipe's languages and kind; otherwise new ones.

    Raises:
        TrainingError: the texts do not support vocabularies of the sizes asked for.
    """
    if parent and _fit(recipe, parent):
        return parent.tokenizer, parent.tgt_tokenizer
    if not recipe.own_vocabularies:
        sentences = [side for text in texts for side in (text.source, text.target) if side]
        return _train(sentences, recipe, "vocab_size"), None
    return (
        _train([text.source for text in texts], recipe, "source_vocab_size"),
        _train([text.target for text in texts], recipe, "target_vocab_size"),
    )


def _fit(recipe: Recipe, parent: Checkpoint) -> bool:
    languages = [parent.card.get(key) for key in ("source_language", "target_language")]
    if not recipe.own_vocabularies:
        # A shared vocabulary serves both directions.
        of_recipe = {recipe.source_language, recipe.target_language}
        return parent.tgt_tokenizer is None and set(languages) == of_recipe
    return (
        parent.tgt_tokenizer is not None
        and languages == [recipe.source_language, recipe.target_language]
        and parent.tokenizer.vocab_size == recipe.source_vocab_size
        and parent.tgt_tokenizer.vocab_size == recipe.target_vocab_size
    )


def _train(sentences: list[str], recipe: Recipe, size: str) -> Tokenizer:
    language = {
        "source_vocab_size": recipe.source_language,
        "target_vocab_size": recipe.target_language,
    }.get(size, recipe.target_language if recipe.decoder_only else "")
    # Two languages that share their pieces make up words; one alone keeps them whole.
    alone = recipe.decoder_only and has_spaces(language) and not recipe.characters
    alphabet = alone or (recipe.own_vocabularies and has_spaces(language))
    try:
        return Tokenizer.train(
            sentences,
            getattr(recipe, size),
            # An alphabet is small: its rarest letters (Ä, Ö, Ü) need a piece as the others do.
            character_coverage=1 if alphabet else 0.9995,
            characters=recipe.characters,
            whole_words=alone or recipe.own_vocabularies,
            spaces=has_spaces(language),
        )
    except ValueError as error:
        raise TrainingError(f"{option(size)}: {error}") from error
