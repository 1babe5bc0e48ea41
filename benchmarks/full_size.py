"""A translator of OPUS-MT's size, as `import-marian` installs it: how long and how large.

Each figure is of a process of its own, which has done nothing else.
"""

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from statistics import median
from time import perf_counter

import torch

from transformer import Translator
from transformer.checkpoint.importing.import_model import import_model

from .row import Row

WORDS = "Where is the station? She reads a book every warm evening."
STEPS = 14
NAME = "full-size"


def rows() -> Iterator[Row]:
    """Import of a pickle, load, a first and a later trace of ten words, and the memory of each."""
    with tempfile.TemporaryDirectory() as folder:
        _in_a_process("save", Path(folder))
        imported, served = (_in_a_process(what, Path(folder)) for what in ("import", "serve"))
    name = "full size"  # 6+6×512, 58,101 pieces
    of_file, memory = f"{imported['file']:.0f} MB pickled", f"{imported['memory']:.0f} MB of memory"
    yield Row(f"import, {name}", imported["seconds"], "s", 8, f"{of_file}, {memory}")
    memory = f"{served['memory']:.0f} MB of memory"
    yield Row(f"load, {name}", served["load"], "s", 4, memory)
    yield Row(f"memory, {name}", served["memory"], "MB", 1_000)
    yield Row(f"first trace of ten words, {name}", served["first"], "s", 4, "packs the weights")
    yield Row(f"trace of ten words, {name}", 1000 * served["trace"], "ms", 1_000)


def _in_a_process(what: str, folder: Path) -> dict[str, float]:
    environment = {**os.environ, "HEADLIGHT_CHECKPOINTS": str(folder / "installed")}
    command = [sys.executable, "-m", "benchmarks.full_size", what, str(folder / NAME)]
    done = subprocess.run(command, env=environment, check=True, stdout=subprocess.PIPE)
    return json.loads(done.stdout or b"{}")


def _save(folder: Path) -> None:
    from tests.checkpoint.marian import SHAPES, save_marian

    model, _ = save_marian(folder, **SHAPES["OPUS-MT's size"])
    (folder / "model.safetensors").unlink()
    torch.save(model.state_dict(), folder / "pytorch_model.bin")


def _import(folder: Path) -> dict[str, float]:
    start = perf_counter()
    import_model(str(folder))
    seconds = perf_counter() - start
    size = (folder / "pytorch_model.bin").stat().st_size / 1e6
    return {"seconds": seconds, "memory": _most_memory(), "file": size}


def _serve() -> dict[str, float]:
    torch.set_num_threads(1)
    times = [perf_counter()]
    translator = Translator.load(NAME, device="cpu")
    times.append(perf_counter())
    for _ in range(6):
        translator.trace(WORDS, max_steps=STEPS)
        times.append(perf_counter())
    load, first, *others = (after - before for before, after in pairwise(times))
    return {"load": load, "first": first, "trace": median(others), "memory": _most_memory()}


def _most_memory() -> float:
    """The most megabytes that this process has held."""
    import resource

    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return most / 1e6 if sys.platform == "darwin" else most / 1e3


if __name__ == "__main__":
    what, path = sys.argv[1], Path(sys.argv[2])
    if what == "save":
        _save(path)
    else:
        print(json.dumps(_import(path) if what == "import" else _serve()))
