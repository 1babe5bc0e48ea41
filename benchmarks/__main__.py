"""Runs every benchmark, or those named, and prints one table."""

import argparse
from collections.abc import Callable, Iterator

from rich.console import Console
from rich.table import Table

from transformer.printed import print_safely

from . import (
    any_module,
    attack,
    bertviz,
    beside_a_guest,
    checker,
    class_that_teaches,
    class_together,
    crowd,
    endurance,
    engine,
    full_size,
    growth,
    guests,
    inside,
    large,
    large_by_http,
    page,
    traces,
    training,
    views,
)
from .row import Row

BENCHMARKS: dict[str, Callable[[], Iterator[Row]]] = {
    "traces": traces.rows,
    "full-size": full_size.rows,
    "any-module": any_module.rows,
    "guests": guests.rows,
    "views": views.rows,
    "inside": inside.rows,
    "page": page.rows,
    "large": large.rows,
    "large-by-http": large_by_http.rows,
    "engine": engine.rows,
    "crowd": crowd.rows,
    "beside-a-guest": beside_a_guest.rows,
    "class": class_together.rows,
    "class-that-teaches": class_that_teaches.rows,
    "attack": attack.rows,
    "endurance": endurance.rows,
    "growth": growth.rows,
    "bertviz": bertviz.rows,
    "training": training.rows,
    "checker": checker.rows,
}


def main() -> None:
    """Measures and prints; a figure over its budget is marked, and is no failure."""
    print_safely()
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("only", nargs="*", choices=[[], *BENCHMARKS], help="default: all")
    chosen = parser.parse_args().only or list(BENCHMARKS)
    table = Table("what", "figure", "budget", "", "detail")
    console = Console(width=100)
    for name in chosen:
        with console.status(f"measuring: {name}"):
            for row in BENCHMARKS[name]():
                over = row.budget is not None and row.figure > row.budget
                budget = "" if row.budget is None else f"≤ {row.budget:g} {row.unit}"
                figure = f"{row.figure:.3g} {row.unit}"
                table.add_row(row.what, figure, budget, "over" if over else "", row.detail)
                console.print(f"{row.what}: {figure}")  # all of them take half an hour
    console.print(table)


if __name__ == "__main__":
    main()
