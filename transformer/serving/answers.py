"""Answers as they are sent: JSON, the same for whoever asks the same."""

import hashlib
import json
from typing import Any

from ..ask.options import Sent

Question = tuple[str, bytes]
"""The state of the model that is asked, and a digest of what it is asked."""


def as_json(value: dict[str, Any]) -> bytes:
    """An answer as it is sent."""
    return json.dumps(value, separators=(",", ":")).encode()


def question(checkpoint: str, sent: Sent) -> Question:
    """What tells a question from every other one."""
    said = json.dumps(sent.values, sort_keys=True)
    return checkpoint, hashlib.sha256(said.encode()).digest()
