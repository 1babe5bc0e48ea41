"""The protocol that the page and who answers it share, written from Python's declarations.

    python scripts/protocol.py

writes assets/trace/protocol.json, protocol.js and answers.d.ts.
"""

import json
import sys
from collections.abc import Mapping
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from transformer.serving.wire.protocol import answers_types, for_the_page, protocol

FOLDER = Path(__file__).parents[1] / "assets/trace"


def files() -> Mapping[Path, str]:
    """By path, what shall stand there."""
    return {
        FOLDER / "protocol.json": json.dumps(protocol(), indent=2) + "\n",
        FOLDER / "protocol.js": for_the_page(),
        FOLDER / "answers.d.ts": answers_types(),
    }


if __name__ == "__main__":
    for path, text in files().items():
        path.write_text(text, encoding="utf-8")
