"""What a checkpoint's files held when it was made, so that a flipped bit is found and named.

    files.json   {"sha256": {file: hex digest}}: of the bytes of weights, tokenizers,
                 vocabularies and the lexicon; of config.json its "model" alone, since the card may
                 be edited

A checkpoint without it is loaded as it is: one that somebody else has made, say.
"""

import hashlib
import json
from pathlib import Path
from typing import Any, cast

from ..errors import CheckpointError
from .json_object import MOST, read_json
from .lexicon import LEXICON
from .weights import read_header
from .whole import write_whole

FILES = "files.json"
HASHED = frozenset({".safetensors", ".model", ".spm", ".json"})
"""What weights and tokenizers are stored in."""


def write_checksums(folder: Path, config: str) -> None:
    """Writes down what a folder's files hold now; `config` names its configuration."""
    content = json.dumps({"sha256": _digests(folder, config)[0]}, indent=2) + "\n"
    write_whole(folder / FILES, content.encode())


def check_files(folder: Path, config: str) -> str:
    """Compares a folder's files with what is written down of them.

    Returns:
        The first eight hex digits of the SHA-256 of all weights and tokenizers, which tell one
        checkpoint from the next of the same name.
    Raises:
        CheckpointError: a file is another than it was, is new, or is gone.
    """
    digests, whole = _digests(folder, config)
    if is_checked(folder):
        written: Any = read_json(folder / FILES).get("sha256")
        if not isinstance(written, dict):
            raise CheckpointError(folder / FILES, 'it must hold an object "sha256"')
        expected = cast(dict[str, Any], written)
        for name in sorted({*digests, *expected}):
            if digests.get(name) != expected.get(name):
                how = "is not what it was" if name in digests else "is missing"
                raise CheckpointError(
                    folder / name,
                    f"the file {how} when the model was made (its SHA-256 in {FILES} is another): "
                    "install the model again",
                )
    return whole


def is_checked(folder: Path) -> bool:
    """Whether it is written down what the files of a folder hold."""
    return (folder / FILES).is_file()


def _digests(folder: Path, config: str) -> tuple[dict[str, str], str]:
    whole = hashlib.sha256()
    digests: dict[str, str] = {}
    if (folder / LEXICON).is_file():  # explains the model, and is no part of it
        digests[LEXICON] = hashlib.sha256((folder / LEXICON).read_bytes()).hexdigest()
    for path in sorted(filter(Path.is_file, folder.iterdir())):
        if path.suffix not in HASHED or path.name in (config, FILES) or path.name[0] == ".":
            continue
        if path.stat().st_size > MOST:  # weights alone are: their header says how large
            if path.suffix != ".safetensors":
                raise CheckpointError(path, "the file is larger than any of a checkpoint's")
            read_header(path)
        digest = hashlib.sha256()
        with path.open("rb") as file:  # in pieces: an imported model has 150 MB and more
            while piece := file.read(1 << 20):
                digest.update(piece)
                whole.update(piece)
        digests[path.name] = digest.hexdigest()
    model: Any = read_json(folder / config).get("model")
    canonical = json.dumps(model, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    digests[config] = hashlib.sha256(canonical.encode()).hexdigest()
    return digests, whole.hexdigest()[:8]
