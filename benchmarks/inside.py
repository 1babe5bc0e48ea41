"""What the experiments cost, in the time of one trace, and how fast `heads` reads a file."""

import io
import tempfile
import tracemalloc
from collections.abc import Iterator
from contextlib import redirect_stderr
from pathlib import Path
from statistics import median
from time import perf_counter

import torch

from transformer import Translator, inside
from transformer.inside.heads_command import measure

from .row import Row

SOURCE = "If it snows tomorrow, we will stay at home."
"""Ten words, as the page counts them, in English and about as many in Chinese."""

ROUNDS = 9
LINES = 10_000
SWITCHED = ("cross.L2H4=zero", "decoder_self.L3H5=zero")


def rows() -> Iterator[Row]:
    """Each experiment relative to a trace of the same sentence; they take turns."""
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield from _experiments(Translator.load("en-zh", device="cpu"))
        yield from _heads(Translator.load("en-zh", device="cpu"))
    finally:
        torch.set_num_threads(threads)


def _experiments(translator: Translator) -> Iterator[Row]:
    trace = translator.trace(SOURCE)

    def before_and_after() -> object:
        after = translator.trace(SOURCE, interventions=SWITCHED)
        return inside.compare(trace, after), inside.effect(translator, trace, SWITCHED)

    experiments = {
        "before/after": (before_and_after, 2.2),
        "sweep": (lambda: inside.sweep(translator, trace), 10),
        "contributions": (lambda: inside.contributions(translator, trace), 3),
        "leave one out": (lambda: inside.leave_one_out(translator, trace), 5),
        "value zeroing": (lambda: inside.value_zeroing(translator, trace), None),
        "value norms": (lambda: inside.value_norms(translator, trace), None),
        "lens": (lambda: inside.lens(translator, trace), None),
        "statistics": (lambda: inside.statistics(trace), None),
    }
    spent: dict[str, list[float]] = {name: [] for name in experiments}
    alone: list[float] = []
    for turn in range(ROUNDS + 2):
        start = perf_counter()
        translator.trace(SOURCE)
        alone += [perf_counter() - start] * (turn >= 2)  # the first turns warm up
        for name, (experiment, _) in experiments.items():
            start = perf_counter()
            experiment()
            spent[name] += [perf_counter() - start] * (turn >= 2)
    one = median(alone)
    detail = f"{len(trace.src)} source tokens, {len(trace.tgt_ids)} steps"
    for name, (_, budget) in experiments.items():
        took = median(spent[name])
        told = f"{1000 * took:.0f} ms / {1000 * one:.0f} ms, {detail}"
        yield Row(f"inside: {name} / trace", took / one, "×", budget, told)


def _heads(translator: Translator) -> Iterator[Row]:
    """Over examples of the card again and again, translated by the model itself beforehand."""
    lines = [f"{text}\t{translator.translate(text)}\n" for text in translator.card["examples"]]
    with tempfile.TemporaryDirectory() as folder, redirect_stderr(io.StringIO()):
        path = Path(folder) / "pairs.tsv"
        peaks: list[float] = []
        seconds = 0.0
        for count in (LINES // 10, LINES):
            path.write_text("".join(lines[i % len(lines)] for i in range(count)), encoding="utf-8")
            tracemalloc.start()
            start = perf_counter()
            measure(translator, path)
            seconds = perf_counter() - start
            peaks.append(tracemalloc.get_traced_memory()[1] / 1e6)
            tracemalloc.stop()
    yield Row(
        "inside: heads, time a sentence",
        1000 * seconds / LINES,
        "ms",
        1000 / 60,
        f"{LINES / seconds:.0f} sentences/s on one thread",
    )
    detail = f"{peaks[0]:.1f} MB at {LINES // 10:,} sentences, {peaks[1]:.1f} MB at {LINES:,}"
    yield Row("inside: heads, memory ten times the file", peaks[1] / peaks[0], "×", 1.2, detail)
