"""The lines of its own training text that come along with a model: which they are, its card says.

    "training_text": {"files": [{"name": "everyday.tsv", "columns": [0, 1],
                                 "lines": [[1, 36407], [66091, 81625]]}, …],
                      "others": {"en": "…", "zh": "…"}}

`columns` are those of source and target, from 0; `lines`, counted from 1, both ends included, are
those that the model has read, where the file has grown since. `others` says what it read beside
them, which is not in the repository.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any, NamedTuple, cast

from ..checkpoint import checkpoints_folder
from ..errors import HeadlightError
from ..text.lines import read_lines
from ..translator import Translator
from .line_index import LineIndex


class Line(NamedTuple):
    """A line of a file, its number counted from 1."""

    file: str
    number: int
    source: str
    target: str


@dataclass(frozen=True, eq=False)
class OwnText:
    """What a model has read of what lies beside it.

    Attributes:
        lines: in the order of the files.
        others: by language, what else it has read.
    """

    lines: Sequence[Line]
    others: Mapping[str, str]

    @cached_property
    def index(self) -> LineIndex:
        """Of the lines' sources."""
        return LineIndex([line.source for line in self.lines])


def own_text(translator: Translator) -> OwnText:
    """The lines that a model has read.

    Raises:
        HeadlightError: its card names none, or they are not here.
    """
    others = _told(translator).get("others", {})
    text = _read(tuple(_parts(translator)), tuple(others.items()))
    if not text.lines:
        raise HeadlightError(
            "no_training_text", f"No line that {translator.name} has learnt from lies here."
        )
    return text


def some_sources(translator: Translator, count: int) -> list[str]:
    """Sources of the first of the files, as far apart as it goes; none where no file is here.

    The rest is not kept in memory, of which a hundred thousand lines take 50 MB.
    """
    for part in _parts(translator):
        if sources := [line.source for line in _lines(part)]:
            return [sources[i * len(sources) // count] for i in range(count)]
    return []


def _told(translator: Translator) -> dict[str, Any]:
    return translator.card.get("training_text", {})


class _Part(NamedTuple):
    path: Path
    changed: int
    columns: tuple[int, int]
    ranges: tuple[tuple[int, int], ...]


def _parts(translator: Translator) -> Iterator[_Part]:
    for file in cast(list[Any], _told(translator).get("files", [])):
        # A card is somebody's text: it may name nothing that lies elsewhere.
        path = checkpoints_folder() / Path(file["name"]).name
        if path.suffix == ".tsv" and path.is_file():
            ranges = tuple((first, last) for first, last in file.get("lines", ()))
            yield _Part(path, path.stat().st_mtime_ns, tuple(file["columns"]), ranges)


@lru_cache(4)
def _read(parts: tuple[_Part, ...], others: tuple[tuple[str, str], ...]) -> OwnText:
    return OwnText([line for part in parts for line in _lines(part)], dict(others))


def _lines(part: _Part) -> Iterator[Line]:
    source, target = part.columns
    for number, text in enumerate(read_lines(part.path), 1):
        columns = text.split("\t")
        wanted = not part.ranges or any(first <= number <= last for first, last in part.ranges)
        if wanted and len(columns) > max(source, target):
            yield Line(part.path.name, number, columns[source], columns[target])
