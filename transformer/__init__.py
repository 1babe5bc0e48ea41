"""Headlight's instrumented Transformer: see where every attention head looks."""

from .checkpoint import CheckpointError
from .config import TransformerConfig
from .decoding import Sampling
from .errors import HeadlightError
from .hooks import Intervention, intervene, record
from .model import LanguageModel, Transformer, build_model
from .tokenizer import Tokenizer
from .trace import AttentionTrace, Candidate
from .translator import Translator

__all__ = [
    "AttentionTrace",
    "Candidate",
    "CheckpointError",
    "HeadlightError",
    "Intervention",
    "LanguageModel",
    "Sampling",
    "Tokenizer",
    "Transformer",
    "TransformerConfig",
    "Translator",
    "build_model",
    "intervene",
    "record",
]
