"""Answers as they are sent: JSON, the same for whoever asks the same."""

import base64
import hashlib
import json
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from ...ask.options import Sent
from ...trace.trace import AttentionTrace

_ENCODER = json.JSONEncoder(separators=(",", ":"), check_circular=False)
"""Nothing that is answered holds itself: looking for that takes an eighth of the time."""

Question = tuple[str, bytes]
"""The state of the model that is asked, and a digest of what it is asked."""


def as_json(value: dict[str, Any]) -> bytes:
    """An answer as it is sent."""
    return _ENCODER.encode(value).encode()


def question(checkpoint: str, sent: Sent) -> Question:
    """What tells a question from every other one."""
    text = json.dumps(sent.values, sort_keys=True)
    return checkpoint, hashlib.sha256(text.encode()).digest()


def file_of(trace: AttentionTrace, suffix: str) -> str:
    """What `AttentionTrace.save` writes, as base64."""
    with TemporaryDirectory() as folder:
        path = Path(folder, f"trace.{suffix}")
        trace.save(path)
        return base64.b64encode(path.read_bytes()).decode()


def trace_in(file: str) -> AttentionTrace:
    """The trace of a file of NumPy's, as base64."""
    with TemporaryDirectory() as folder:
        path = Path(folder, "trace.npz")
        path.write_bytes(base64.b64decode(file))
        return AttentionTrace.load(path)
