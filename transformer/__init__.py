"""Headlight's instrumented Transformer: see where every attention head looks."""

from .checker import check
from .checkpoint import CheckpointError
from .decoding import Sampling
from .errors import HeadlightError
from .model.config import TransformerConfig
from .model.towers import LanguageModel, Transformer, build_model
from .recording.candidates import Candidate
from .recording.hooks import intervene, record
from .recording.interventions import Intervention
from .recording.trace import AttentionTrace
from .text.tokenizer import Tokenizer
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
    "check",
    "intervene",
    "record",
]
