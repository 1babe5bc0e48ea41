"""Errors whose message is meant for the person who caused them."""

import zlib
from pathlib import Path
from zipfile import BadZipFile

DAMAGED = (
    *(OSError, ValueError, LookupError, TypeError, RuntimeError, MemoryError, EOFError),
    *(BadZipFile, zlib.error),
)
"""What NumPy and zipfile raise over a file of arrays that somebody has damaged."""


class HeadlightError(ValueError):
    """A refused input, in one plain English sentence.

    The page says the same in its own language: `code` is a key of its locale files, and
    `details` fills in the sentence's numbers and names.
    """

    def __init__(self, code: str, message: str, **details: str | int) -> None:
        super().__init__(message)
        self.code = code
        self.details = details


class CheckpointError(HeadlightError):
    """A checkpoint that cannot be loaded; the sentence names the file and the reason."""

    def __init__(self, file: Path, reason: str) -> None:
        super().__init__("broken_checkpoint", f"{file}: {reason}", file=file.name, reason=reason)


class GuestError(HeadlightError):
    """What cannot be of a model of another library; the sentence says why, and names the model.

    A `code` of its own is one of the page's sentences, for what a stranger's files or an address
    can bring about.
    """

    def __init__(self, sentence: str, code: str = "guest", **details: str | int) -> None:
        super().__init__(code, sentence, **details)
