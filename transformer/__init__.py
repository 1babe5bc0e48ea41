"""Headlight's instrumented Transformer: see where every attention head looks."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .checker import check
    from .errors import CheckpointError, HeadlightError
    from .model.config import TransformerConfig
    from .model.towers import LanguageModel, Transformer, build_model
    from .recording.hooks import intervene, record
    from .text.tokenizer import Tokenizer
    from .trace.candidates import Candidate
    from .trace.interventions import Intervention
    from .trace.sampling import Sampling
    from .trace.trace import AttentionTrace
    from .translator import Translator

# A trace is read, and drawn as a page, without PyTorch: each name brings its own module alone.
_HOMES = {
    "AttentionTrace": "trace.trace",
    "Candidate": "trace.candidates",
    "CheckpointError": "errors",
    "HeadlightError": "errors",
    "Intervention": "trace.interventions",
    "LanguageModel": "model.towers",
    "Sampling": "trace.sampling",
    "Tokenizer": "text.tokenizer",
    "Transformer": "model.towers",
    "TransformerConfig": "model.config",
    "Translator": "translator",
    "build_model": "model.towers",
    "check": "checker",
    "intervene": "recording.hooks",
    "record": "recording.hooks",
}

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


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f".{_HOMES[name]}", __name__), name)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
