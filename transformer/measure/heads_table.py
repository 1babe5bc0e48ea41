"""What every head does, over any files: measured, printed, and written a row a head."""

import csv
import json
from collections.abc import Iterator, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.progress import Progress
from rich.table import Table

from ..ask.observed import observe
from ..command_line import console
from ..errors import HeadlightError
from ..inside.heads import ship
from ..inside.statistics import KindStatistics, Statistics, statistics_over
from ..trace.head_names import every_head, head_name
from ..trace.kinds import Kind
from ..translator import Translator
from .corpus import Corpus, DataFile, Pair

FORMATS = (".csv", ".json", ".parquet")


def check_format(out: Path) -> None:
    """Sees to it that a table can be written as the file's suffix says.

    Raises:
        HeadlightError: it has another suffix, or what writes it is not installed.
    """
    if out.suffix not in FORMATS:
        raise HeadlightError("bad_format", f"--out writes {', '.join(FORMATS)}, not {out.name!r}")
    if out.suffix == ".parquet" and find_spec("pyarrow") is None:
        raise HeadlightError(
            "no_pyarrow", "to write .parquet, pip install pyarrow; .csv and .json need nothing"
        )


def measure(
    translator: Translator, files: Sequence[DataFile], folder: Path | None = None
) -> Statistics:
    """The statistics of every head over some files, with a progress bar where somebody watches.

    Args:
        translator: whose heads.
        files: sentences.
        folder: of the checkpoint, if what is found is to be kept there.
    Raises:
        HeadlightError: the data cannot be used.
    """
    corpus = Corpus(translator, files)
    size = sum(file.path.stat().st_size for file in files)
    names = ", ".join(file.path.name for file in files)
    stderr = Console(stderr=True)
    with Progress(console=stderr, transient=True, disable=not stderr.is_terminal) as progress:
        task = progress.add_task(names, total=size * (2 if folder else 1))

        def pairs() -> Iterator[Pair]:
            return corpus.pairs(lambda size: progress.advance(task, size))

        if folder is None:
            measured = statistics_over(observe(translator, pairs()))
        else:
            measured = ship(translator, folder, pairs)
    if not measured.sentences:
        raise HeadlightError("no_data", f"{names}: no sentence that {translator.name} can read")
    if corpus.too_long:
        stderr.print(f"{corpus.too_long} lines left out as too long", highlight=False)
    return measured


def rows_of(measured: Statistics) -> Iterator[dict[str, Any]]:
    """One row a head: names and numbers, each number beside what chance would give."""
    for kind, of_kind in measured.present():
        for layer, head in every_head(of_kind.sharpness):
            yield _row(kind, of_kind, layer, head)


def _row(kind: Kind, of_kind: KindStatistics, layer: int, head: int) -> dict[str, Any]:
    row: dict[str, Any] = {"kind": kind, "head": head_name(layer, head)}
    row["role"] = of_kind.role(layer, head) or "unclear"
    for name, numbers in of_kind.measured().items():
        row[name] = _number(float(numbers[layer, head]))
        row[f"{name}_by_chance"] = _number(of_kind.by_chance[name])
    return row


def _number(value: float) -> float | None:
    """JSON has no NaN."""
    return None if value != value else value


def write_rows(path: Path, rows: Sequence[dict[str, Any]]) -> None:
    """Writes a table of heads, as the file's suffix says."""
    names = list({name: None for row in rows for name in row})
    if path.suffix == ".json":
        path.write_text(json.dumps(rows, indent=1), encoding="utf-8")
    elif path.suffix == ".csv":
        with path.open("w", encoding="utf-8", newline="") as file:
            writer = csv.DictWriter(file, names)
            writer.writeheader()
            writer.writerows(rows)
    else:
        import pandas

        pandas.DataFrame(rows, columns=names).to_parquet(path)


def print_table(measured: Statistics) -> None:
    """Prints a line a head."""
    table = Table("kind", "head", "role", "share", "by chance", box=None, padding=(0, 2, 0, 0))
    for title in ("sharpness", "entropy", "offset"):
        table.add_column(title, justify="right")
    for kind, of_kind in measured.present():
        for layer, head in every_head(of_kind.sharpness):
            role = of_kind.role(layer, head)
            table.add_row(
                *(kind, head_name(layer, head), role or "no clear role"),
                f"{of_kind.shares[role][layer, head]:.2f}" if role else "",
                f"{of_kind.by_chance[role]:.2f}" if role else "",
                f"{of_kind.sharpness[layer, head]:.2f}",
                f"{of_kind.entropy[layer, head]:.2f}",
                f"{of_kind.offset[layer, head]:+.1f}",
            )
    out = console()
    out.print(table)
    out.print(f"Over {measured.sentences:,} sentences. Entropy in nats, offset in tokens.")
