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

from ..errors import HeadlightError
from ..text.lines import read_lines
from ..trace.came_along import came_along
from .line_index import LineIndex
from .places import checkpoints_folder


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
        """An index of the lines' sources."""
        return LineIndex([line.source for line in self.lines])


def own_text(name: str, card: Mapping[str, Any]) -> OwnText:
    """The lines that a model has read.

    Args:
        name: of its checkpoint.
        card: the checkpoint's, which names the files.
    Raises:
        HeadlightError: its card names none, or they are not here.
    """
    others: dict[str, str] = card.get("training_text", {}).get("others", {})
    text = _read(tuple(_parts(card)), tuple(others.items()))
    if not text.lines:
        raise HeadlightError("no_training_text", f"No line that {name} has learnt from lies here.")
    return text


def has_own_text(card: Mapping[str, Any]) -> bool:
    """Whether a file that a checkpoint's card names lies here."""
    return any(True for _ in _parts(card))


def some_sources(card: Mapping[str, Any], count: int) -> list[str]:
    """Sources of the first of the files, as far apart as it goes; none where no file is here.

    The rest is not kept in memory, of which a hundred thousand lines take 50 MB.
    """
    for part in _parts(card):
        if sources := [line.source for line in _lines(part)]:
            return [sources[i * len(sources) // count] for i in range(count)]
    return []


class _Part(NamedTuple):
    path: Path
    changed: int
    columns: tuple[int, int]
    ranges: tuple[tuple[int, int], ...]


def _parts(card: Mapping[str, Any]) -> Iterator[_Part]:
    declared: Any = card.get("training_text", {})
    for file in cast(list[Any], declared.get("files", [])):
        # A card is somebody's text: it may name nothing that lies elsewhere.
        named = Path(file["name"]).name
        folders = (checkpoints_folder(), came_along("corpora"))
        path = next((each for folder in folders if (each := folder / named).is_file()), None)
        if path and path.suffix == ".tsv":
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
