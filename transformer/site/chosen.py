"""Which files of a model the engine reads, and what they hold."""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from .. import checkpoint
from ..checkpoint import CONFIG, OWN_TOKENIZERS, TOKENIZER
from ..checkpoint.checksums import check_files
from ..checkpoint.lexicon import LEXICON
from ..checkpoint.measured_heads import HEADS
from ..checkpoint.weights import weight_files
from ..errors import HeadlightError

GOES_ALONG = {"reverse": "_patient"}
"""The clinic examines a patient beside the healthy model."""

OPTIONAL = (HEADS, LEXICON)
"""What a model works without."""

SENT_BY_ALL = {".json": "", ".tsv": ".txt"}
"""What a file's name gets behind it, by its ending; any other gets `.bin`. Some servers send none
with an ending that they do not know: IIS answers 404."""


@dataclass(frozen=True)
class Chosen:
    """A model that a site brings along.

    Attributes:
        name: of the checkpoint.
        hash: of its weights and tokenizers.
        files: by name, the bytes of each.
    """

    name: str
    hash: str
    files: dict[str, bytes]

    def path(self, file: str) -> str:
        """Where a file lies, as the page's own files see it: under another name if it changes."""
        return f"../{self.folder}{file}{SENT_BY_ALL.get(Path(file).suffix, '.bin')}"

    @property
    def folder(self) -> str:
        """The folder of the model's files in the site."""
        whole = hashlib.sha256(b"".join(self.files.values())).hexdigest()[:8]
        # Not `_patient`: some servers hide what begins so.
        return f"models/{self.name.strip('_')}-{whole}/"

    def listing(self) -> dict[str, Any]:
        """The model as the page is told it, as JSON values."""
        return {
            "checkpoint": self.hash,
            "bytes": sum(map(len, self.files.values())),
            "files": [
                {
                    "name": name,
                    "path": self.path(name),
                    "size": len(content),
                    "sha256": hashlib.sha256(content).hexdigest(),
                    **({"optional": True} if name in OPTIONAL else {}),
                }
                for name, content in self.files.items()
            ],
        }


def choose(names: Sequence[str]) -> list[Chosen]:
    """The models of these names, and those that go along with them.

    Raises:
        HeadlightError: there is no such model, or it is broken, or the engine cannot read it, or
            nobody can ask it.
    """
    for name in names:
        if name.startswith("_"):
            raise HeadlightError(
                "not_for_a_site",
                f"{name} is no model to ask: it comes along by itself, beside the one that it "
                "belongs to; leave it out of --models",
                model=name,
            )
    more = [GOES_ALONG[name] for name in names if name in GOES_ALONG]
    wanted = dict.fromkeys([*names, *(name for name in more if checkpoint.is_installed(name))])
    return [_read(checkpoint.find(name)) for name in wanted]


def is_readable(folder: Path) -> bool:
    """Whether the engine reads a model's tokenizers: SentencePiece's own, without a vocabulary."""
    return any((folder / name).is_file() for name in (TOKENIZER, OWN_TOKENIZERS[0]))


def _read(folder: Path) -> Chosen:
    loaded = checkpoint.load(folder)  # and so checked
    if not is_readable(folder):
        raise HeadlightError(
            "not_for_a_site",
            f"{folder.name} numbers its pieces by a vocabulary of its own, as imported models do, "
            "which a page without a server cannot read: leave it out of --models",
            model=folder.name,
        )
    tokenizers = [folder / name for name in (TOKENIZER, *OWN_TOKENIZERS)]
    paths = [folder / CONFIG, *weight_files(folder), *tokenizers, folder / HEADS, folder / LEXICON]
    files = {path.name: path.read_bytes() for path in paths if path.is_file()}
    assert loaded.hash == check_files(folder, CONFIG)
    return Chosen(loaded.name, loaded.hash, files)
