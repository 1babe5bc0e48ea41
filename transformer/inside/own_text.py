"""The lines of its own training text that come along with a model: which they are, its card says.

    "training_text": {"files": [{"name": "everyday.tsv", "columns": [0, 1],
                                 "lines": [[1, 36407], [66091, 81625]]}, …],
                      "others": {"en": "…", "zh": "…"}}

`columns` are those of source and target, from 0; `lines`, counted from 1, both ends included, are
those that the model has read, where the file has grown since. `others` says what it read beside
them, which is not in the repository.
"""

from collections.abc import Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple, cast

from ..checkpoint import checkpoints_folder
from ..errors import HeadlightError
from ..translator import Translator


class Line(NamedTuple):
    """A line of a file, its number counted from 1."""

    file: str
    number: int
    source: str
    target: str


class OwnText(NamedTuple):
    """What a model has read of what lies beside it.

    Attributes:
        lines: in the order of the files.
        others: by language, what else it has read.
    """

    lines: Sequence[Line]
    others: Mapping[str, str]


def own_text(translator: Translator) -> OwnText:
    """The lines that a model has read.

    Raises:
        HeadlightError: its card names none, or they are not here.
    """
    told: Any = translator.card.get("training_text", {})
    lines: list[Line] = []
    for file in cast(list[Any], told.get("files", [])):
        # A card is somebody's text: it may name nothing that lies elsewhere.
        path = checkpoints_folder() / Path(file["name"]).name
        if path.suffix == ".tsv" and path.is_file():
            ranges = tuple((first, last) for first, last in file.get("lines", ()))
            lines.extend(_read(path, path.stat().st_mtime_ns, tuple(file["columns"]), ranges))
    if not lines:
        raise HeadlightError(
            "no_training_text", f"No line that {translator.name} has learnt from lies here."
        )
    return OwnText(lines, told.get("others", {}))


@lru_cache(16)
def _read(
    path: Path, _changed: int, sides: tuple[int, int], ranges: tuple[tuple[int, int], ...]
) -> tuple[Line, ...]:
    source, target = sides
    found: list[Line] = []
    for number, text in enumerate(path.read_text(encoding="utf-8").split("\n"), 1):
        columns = text.split("\t")
        wanted = not ranges or any(first <= number <= last for first, last in ranges)
        if wanted and len(columns) > max(source, target):
            found.append(Line(path.name, number, columns[source], columns[target]))
    return tuple(found)
