"""What is read for what is typed: one table, which Python and the engine pass."""

import json
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]

CASES: list[dict[str, Any]] = json.loads(
    (ROOT / "tests/data/normalise.json").read_text(encoding="utf-8")
)["cases"]


def source_tokenizer(model: str) -> Path:
    """The file of a shipped model's."""
    own = ROOT / "checkpoints" / model / "source_tokenizer.model"
    return own if own.exists() else own.with_name("tokenizer.model")
