"""`import headlight`; and `headlight.trace` beside a plain forward pass, at GPT-2 small's size."""

import subprocess
import sys
import time
from collections.abc import Callable, Iterator

import torch
from torch import Tensor, nn

import headlight

from .row import Row

LENGTH, RUNS = 256, 5
IMPORT = "import time; t = time.perf_counter(); import headlight; print(time.perf_counter() - t)"


def rows() -> Iterator[Row]:
    """The time of an import, alone in a process; what a trace takes of a plain pass."""
    times = [
        float(
            subprocess.run([sys.executable, "-c", IMPORT], capture_output=True, check=True).stdout
        )
        for _ in range(RUNS)
    ]
    yield Row("import headlight", _middle(times), "s", 0.2, f"{RUNS} processes")
    from transformers import GPT2Config, GPT2LMHeadModel

    torch.manual_seed(0)
    module = GPT2LMHeadModel(GPT2Config()).eval()
    ids = torch.randint(50_000, (1, LENGTH))

    def call(module: nn.Module, ids: Tensor) -> Tensor:
        with torch.no_grad():
            return module(ids, use_cache=False).logits

    call(module, ids)
    pairs = [
        (
            _seconds(lambda: headlight.trace(module, ids, call=call)),
            _seconds(lambda: call(module, ids)),
        )
        for _ in range(RUNS)
    ]
    ratio = _middle([traced / plain for traced, plain in pairs])
    plain = _middle([plain for _, plain in pairs])
    detail = f"GPT-2 small, {LENGTH} tokens; a pass takes {plain:.2f} s of CPU"
    yield Row("headlight.trace beside the forward pass", ratio, "x", 2, detail)


def _seconds(run: Callable[[], object]) -> float:
    """CPU time: other processes may want the cores."""
    start = time.process_time()
    run()
    return time.process_time() - start


def _middle(times: list[float]) -> float:
    return sorted(times)[len(times) // 2]
