"""The checker against the corpus: correct models in many conventions, and their mutations."""

import hashlib
import json
import time
import warnings
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Executor, ProcessPoolExecutor, as_completed
from multiprocessing import get_context
from pathlib import Path
from typing import Any, NamedTuple

import torch
from rich.console import Console
from rich.table import Table

from tests.checker import architectures
from tests.checker.mutations import FILES, Mutation, correct_models, examine, mutations
from transformer.checker import Report
from transformer.checker.basis.clues import CODES

from .row import Row

ROOT = Path(__file__).parents[1]
SEEDS = 20
WAYS = ((False, True), (True, True), (False, False), (True, False))  # (in train(), padded)
OUTCOMES = ("named", "with others", "wrong", "unknown", "silent")


def outcome(report: Report, code: str) -> str:
    """What a report makes of a bug: one of OUTCOMES."""
    if report.codes == (code,):
        return "named"
    if code in report.codes:
        return "with others"
    if report.codes:
        return "wrong"
    return "unknown" if code in report.unknown else "silent"


def rows() -> Iterator[Row]:
    """Each correct model in its turn of seeds and ways, then each mutation once; a core each."""
    models = [model for file in FILES for model in correct_models(file)]
    wrong = [mutation for file in FILES for mutation in mutations(file)]
    with ProcessPoolExecutor(initializer=_begin, mp_context=get_context("spawn")) as pool:
        cache = Kept(pool, ROOT / "runs" / "checker" / f"{_digest()}.jsonl")
        of_models = cache.each(_ways, list(enumerate(models)))
        yield from _models([Run(*run) for runs in of_models for run in runs], len(models))
        of_architectures = cache.each(_architecture, architectures.ALL)
        yield _architectures([Run(*run) for run in of_architectures])
        yield from _mutations(list(zip(wrong, cache.each(_outcome, wrong), strict=True)))


class Kept:
    """What each worker has found, kept in a file, so that a run that was stopped goes on.

    Args:
        pool: of processes.
        file: of one version of the checker and its corpus, a line of JSON a result.
    """

    def __init__(self, pool: Executor, file: Path) -> None:
        self._pool = pool
        self._file = file
        file.parent.mkdir(parents=True, exist_ok=True)
        lines = file.read_text(encoding="utf-8").splitlines() if file.exists() else []
        self._results: dict[str, Any] = dict(json.loads(line) for line in lines)

    def each(self, work: Callable[[Any], Any], items: Sequence[Any]) -> list[Any]:
        """What comes of each item, in their order."""
        names = [f"{work.__name__} {item}" for item in items]
        todo = {n: i for n, i in zip(names, items, strict=True) if n not in self._results}
        names_by_future = {self._pool.submit(work, item): name for name, item in todo.items()}
        with self._file.open("a", encoding="utf-8") as file:
            for future in as_completed(names_by_future):
                self._results[names_by_future[future]] = future.result()
                file.write(json.dumps([names_by_future[future], future.result()]) + "\n")
                file.flush()
        return [self._results[name] for name in names]


def _digest() -> str:
    """Of all that a figure depends on here."""
    folders = ("transformer/checker", "transformer/eyes", "tests/checker")
    files = sorted(path for folder in folders for path in (ROOT / folder).rglob("*.py"))
    return hashlib.sha256(b"".join(path.read_bytes() for path in files)).hexdigest()[:16]


def _begin() -> None:
    warnings.simplefilter("ignore")
    torch.set_num_threads(1)


class Run(NamedTuple):
    """One report on a correct model: its alarm, codes, open ones, its seconds of a core."""

    alarm: str
    codes: int
    unknown: int
    seconds: float


def _ways(item: tuple[int, Mutation]) -> list[Run]:
    turn, model = item
    runs: list[Run] = []
    has_loss = hasattr(model.module(), "loss")
    for number, (train, padded) in enumerate(WAYS):
        start = time.process_time()
        seed = (turn * len(WAYS) + number) % SEEDS
        report = examine(model, seed, padded=padded, train=train)
        seconds = time.process_time() - start
        open_ = [c for c in report.unknown if has_loss or "loss=" not in report.reasons[c]]
        text = f"{model.name}: {', '.join(report.codes)}" if report.codes else ""
        runs.append(Run(text, len(CODES), len(open_), seconds))
    return runs


def _architecture(item: tuple[str, str]) -> Run:
    form, name = item
    start = time.process_time()
    report = architectures.examine(form, name)
    text = ", ".join((*report.codes, *report.problems))
    text = f"{name} ({form}): {text}" if text else ""
    return Run(text, len(CODES), len(report.unknown), time.process_time() - start)


def _outcome(mutation: Mutation) -> str:
    return outcome(examine(mutation), mutation.code)


def _models(runs: list[Run], models: int) -> Iterator[Row]:
    alarms = [run.alarm for run in runs if run.alarm]
    detail = "; ".join(alarms) or f"{models} models, {len(runs)} runs"
    yield Row("checker: correct models called wrong", len(alarms), "", 0, detail)
    unknown = 100 * sum(run.unknown for run in runs) / sum(run.codes for run in runs)
    yield Row("checker: codes unknown on them", unknown, "%", 5)
    yield Row("checker: time of a run on a small model", _middle(runs), "s", 0.3)


def _architectures(runs: list[Run]) -> Row:
    """Those of transformers, each with random weights."""
    alarms = [run.alarm for run in runs if run.alarm]
    detail = "; ".join(alarms) or f"{len(runs)} architectures, {_middle(runs):.2f} s each"
    return Row("checker: architectures of transformers called wrong", len(alarms), "", 0, detail)


def _middle(runs: list[Run]) -> float:
    return sorted(run.seconds for run in runs)[len(runs) // 2]


def _mutations(outcomes: list[tuple[Mutation, str]]) -> Iterator[Row]:
    by_code: dict[str, Counter[str]] = {code: Counter() for code in CODES}
    for mutation, came in outcomes:
        by_code[mutation.code][came] += 1
        if came != "named":
            Console(width=160).print(f"{came}: {mutation.name}", markup=False, highlight=False)
    table = Table("code", *OUTCOMES)
    for code, counts in by_code.items():
        table.add_row(code, *(str(counts[name] or "") for name in OUTCOMES))
    Console(width=100).print(table)
    counts, total = sum(by_code.values(), Counter[str]()), len(outcomes)
    yield Row("checker: mutations named", 100 * counts["named"] / total, "%", None, f"of {total}")
    missed = 100 * (total - counts["named"] - counts["with others"]) / total
    yield Row("checker: mutations not named", missed, "%", 2)
    yield Row("checker: mutations named wrongly", counts["wrong"], "", 0)
    yield Row("checker: mutations passed in silence", counts["silent"], "", 0)
