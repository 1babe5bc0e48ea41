"""Hugging Face's Marian models (OPUS-MT) as checkpoints of ours; no other library's."""

from pathlib import Path

from ...errors import CheckpointError
from ...model.config import TransformerConfig
from ...text.tokenizer import Tokenizer
from ..family import Family
from ..folder import CONFIG, MARIAN_TOKENIZERS, SRC_TOKENIZER, read_tokenizers
from .card import card, readme
from .config import marian_config
from .names import check, place_weights


def _tokenizers(folder: Path, config: TransformerConfig) -> tuple[Tokenizer, Tokenizer]:
    src, tgt = read_tokenizers(folder, config)
    if tgt is None:
        raise CheckpointError(folder / SRC_TOKENIZER, "a Marian model has one")
    return src, tgt


MARIAN = Family(
    files=(
        *(CONFIG, *MARIAN_TOKENIZERS),
        *("generation_config.json", "tokenizer_config.json", "README.md"),
    ),
    config=marian_config,
    tokenizers=_tokenizers,
    check=check,
    place=place_weights,
    card=card,
    readme=readme,
)
