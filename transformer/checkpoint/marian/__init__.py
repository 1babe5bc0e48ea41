"""Hugging Face's Marian models (OPUS-MT) as checkpoints of ours; no other library's."""

from ..family import Family
from ..folder import CONFIG
from ..tokenizers import MARIAN_TOKENIZERS
from .card import card, readme
from .config import marian_config
from .generation import GENERATION
from .names import check, place_weights
from .tokenizers import SPECIAL_TOKENS, TOKENIZER_CONFIG, marian_tokenizers

MARIAN = Family(
    files=(CONFIG, *MARIAN_TOKENIZERS, GENERATION, TOKENIZER_CONFIG, SPECIAL_TOKENS, "README.md"),
    config=marian_config,
    tokenizers=marian_tokenizers,
    check=check,
    place=place_weights,
    card=card,
    readme=readme,
)
