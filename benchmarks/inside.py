"""What the experiments cost, in the time of one trace, and how fast `heads` reads a file."""

import io
import os
import subprocess
import sys
import tempfile
import tracemalloc
from collections.abc import Iterator
from contextlib import redirect_stderr
from pathlib import Path
from statistics import median
from time import perf_counter

import torch

from transformer import Translator, inside, teach
from transformer.measure.corpus import DataFile
from transformer.measure.heads_table import measure

from .row import Row

SOURCE = "If it snows tomorrow, we will stay at home."
"""Ten words, as the page counts them, in English and about as many in Chinese."""

CHINESE = "如果明天下雪，我们就待在家里。"

ROUNDS = 9
LINES = 10_000
SWITCHED = ("cross.L2H4=zero", "decoder_self.L3H5=zero")


def rows() -> Iterator[Row]:
    """Each experiment relative to a trace of the same sentence; they take turns."""
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield from _experiments(Translator.load("en-zh", device="cpu"))
        yield from _teaching(Translator.load("en-zh", device="cpu"))
        yield from _heads(Translator.load("en-zh", device="cpu"))
    finally:
        torch.set_num_threads(threads)


def _experiments(translator: Translator) -> Iterator[Row]:
    trace = translator.trace(SOURCE)

    def before_and_after() -> object:
        after = translator.trace(SOURCE, interventions=SWITCHED)
        return inside.compare(trace, after), inside.effect(translator, trace, SWITCHED)

    donor = next(
        each.text for each in inside.swaps(translator, trace).swaps if each.word == "tomorrow"
    )

    experiments = {
        "before/after": (before_and_after, 2.2),
        "sweep": (lambda: inside.sweep(translator, trace), 7),
        "contributions": (lambda: inside.contributions(translator, trace), 3),
        "leave one out": (lambda: inside.leave_one_out(translator, trace), 5),
        "value zeroing": (lambda: inside.value_zeroing(translator, trace), None),
        "gradients": (lambda: inside.gradients(translator, trace, len(trace.tgt_ids) // 2), 5),
        "patching": (lambda: inside.patching(translator, trace, donor), 25),
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
    reader = Translator.load("zh-en", device="cpu")  # whose text is the longest
    written = reader.trace(CHINESE)
    start = perf_counter()
    learnt = inside.learnt_from(reader, written, 2)
    first = perf_counter() - start  # its text is read
    start = perf_counter()
    inside.learnt_from(reader, written, 2)
    text = f"{perf_counter() - start:.2f} s later; {learnt.searched:,} lines, {learnt.read} read"
    yield Row("inside: where it was learnt, the first time", first, "s", 1.5, text)
    one = median(alone)
    detail = f"{len(trace.src)} source tokens, {len(trace.tgt_ids)} steps"
    for name, (_, budget) in experiments.items():
        took = median(spent[name])
        text = f"{1000 * took:.0f} ms / {1000 * one:.0f} ms, {detail}"
        yield Row(f"inside: {name} / trace", took / one, "×", budget, text)


LEARNT = "如果明天下雪，我们就在家看电影。"
"""What it is taught to make of SOURCE: ten words, as the page counts them."""

MEMORY = f"""
import gc
from pathlib import Path
from transformer import Translator, inside, teach

def megabytes(field):
    status = dict(line.split(":", 1) for line in Path("/proc/self/status").open())
    return int(status[field].split()[0]) * 1024 / 1e6

translator = Translator.load("en-zh", device="cpu")
translator.trace({SOURCE!r})
gc.collect()
before = megabytes("VmRSS")
teach.teach(translator, {SOURCE!r}, {LEARNT!r})
print(megabytes("VmHWM") - before)
"""
"""In a process of its own, since what was needed once is never given back."""


def _teaching(translator: Translator) -> Iterator[Row]:
    """A correction of ten steps as the page gets it, without what it cost other sentences."""
    taught = teach.teach(translator, SOURCE, LEARNT)  # warms up
    spent: list[float] = []
    for _ in range(ROUNDS):
        start = perf_counter()
        teach.teach(translator, SOURCE, LEARNT).payload()
        spent.append(perf_counter() - start)
    start = perf_counter()
    cost = teach.forgetting(translator, taught.translator)
    took = 1000 * (perf_counter() - start)
    detail = f"learnt after {taught.learnt}; then {len(cost.sentences)} sentences in {took:.0f} ms"
    yield Row("inside: a correction of ten steps", median(spent), "s", 0.6, detail)
    if sys.platform == "linux":
        code = [sys.executable, "-c", MEMORY]
        environment = {**os.environ, "OMP_NUM_THREADS": "1"}
        peaks = [
            float(subprocess.run(code, check=True, capture_output=True, env=environment).stdout)
            for _ in range(3)
        ]
        text = "peak above the model's, of " + ", ".join(f"{peak:.0f}" for peak in peaks)
        yield Row("inside: a correction's memory", median(peaks), "MB", 90, text)


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
            measure(translator, [DataFile(path)])
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
