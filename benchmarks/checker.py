"""The checker against the corpus: correct models in many conventions, and their mutations."""

import time
import warnings
from collections import Counter
from collections.abc import Iterator

from rich.console import Console
from rich.table import Table

from tests.checker import architectures
from tests.checker.mutations import FILES, Mutation, correct_models, examine, mutations
from transformer.checker import Report
from transformer.checker.basis.clues import CODES

from .row import Row

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
    """Each correct model in its turn of seeds and ways, then each mutation once."""
    warnings.simplefilter("ignore")
    models = [model for file in FILES for model in correct_models(file)]
    alarms, unknown, runs, asked = list[str](), 0, 0, 0
    times = list[float]()
    for turn, model in enumerate(models):
        for number, (train, padded) in enumerate(WAYS):
            seed = (turn * len(WAYS) + number) % SEEDS
            start = time.perf_counter()
            report = examine(model, seed, padded=padded, train=train)
            times.append(time.perf_counter() - start)
            has_loss = hasattr(model.module(), "loss")
            told = [c for c in report.unknown if has_loss or "loss=" not in report.reasons[c]]
            alarms += [f"{model.name}: {', '.join(report.codes)}"] * bool(report.codes)
            runs, asked, unknown = runs + 1, asked + len(CODES), unknown + len(told)
    detail = "; ".join(alarms) or f"{len(models)} models, {runs} runs"
    yield Row("checker: correct models called wrong", len(alarms), "", 0, detail)
    yield Row("checker: codes unknown on them", 100 * unknown / asked, "%", 5)
    yield Row("checker: time of a run on a small model", _middle(times), "s", 0.3)
    yield from _architectures()
    table, found = _mutants()
    Console(width=100).print(table)
    total = sum(found.values())
    yield Row("checker: mutations named", 100 * found["named"] / total, "%", None, f"of {total}")
    missed = 100 * (total - found["named"] - found["with others"]) / total
    yield Row("checker: mutations not named", missed, "%", 2)
    yield Row("checker: mutations named wrongly", found["wrong"], "", 0)
    yield Row("checker: mutations passed in silence", found["silent"], "", 0)


def _architectures() -> Iterator[Row]:
    """Those of transformers, each with random weights."""
    alarms, times = list[str](), list[float]()
    for form, name in architectures.ALL:
        start = time.perf_counter()
        report = architectures.examine(form, name)
        times.append(time.perf_counter() - start)
        told = (*report.codes, *report.problems)
        alarms += [f"{name} ({form}): {', '.join(told)}"] * bool(told)
    count = len(architectures.ALL)
    detail = "; ".join(alarms) or f"{count} architectures, {_middle(times):.2f} s each"
    yield Row("checker: architectures of transformers called wrong", len(alarms), "", 0, detail)


def _middle(times: list[float]) -> float:
    return sorted(times)[len(times) // 2]


def _mutants() -> tuple[Table, Counter[str]]:
    by_code: dict[str, Counter[str]] = {code: Counter() for code in CODES}
    for file in FILES:
        for mutation in mutations(file):
            by_code[mutation.code][_one(mutation)] += 1
    table = Table("code", *OUTCOMES)
    for code, found in by_code.items():
        table.add_row(code, *(str(found[name] or "") for name in OUTCOMES))
    return table, sum(by_code.values(), Counter[str]())


def _one(mutation: Mutation) -> str:
    found = outcome(examine(mutation), mutation.code)
    if found != "named":
        Console(width=160).print(f"{found}: {mutation.name}", markup=False, highlight=False)
    return found
