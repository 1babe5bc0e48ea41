"""Models on disk: reading, writing and finding them, and importing those of other libraries.

Nothing here runs a model.
"""

from ..errors import CheckpointError
from .folder import CONFIG, Checkpoint, load, read_card, read_config, save
from .places import available, checkpoints_folder, find, is_installed, trained_folder
from .tokenizers import OWN_TOKENIZERS, TOKENIZER, language_codes, read_tokenizers, tokenizer_files
from .weights import WEIGHTS

DEFAULT_MODEL = "en-zh"
"""What the page and the command line take where nobody names a model."""

__all__ = [
    "CONFIG",
    "DEFAULT_MODEL",
    "OWN_TOKENIZERS",
    "TOKENIZER",
    "WEIGHTS",
    "Checkpoint",
    "CheckpointError",
    "available",
    "checkpoints_folder",
    "find",
    "is_installed",
    "language_codes",
    "load",
    "read_card",
    "read_config",
    "read_tokenizers",
    "save",
    "tokenizer_files",
    "trained_folder",
]
