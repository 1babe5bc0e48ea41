"""How long the parts of a layer take on this machine, the longer the text."""

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from threading import Lock
from weakref import WeakKeyDictionary

import torch
from torch import Tensor

from ..ask.analysis import Result, analysis
from ..model.attention import attention_scores, attention_weights
from ..translator import Translator

LENGTHS = (32, 64, 128, 256, 512)
"""Tokens."""

REPEATS = 7
"""The least of so many runs: what else the machine does only ever makes one longer."""

_measured: WeakKeyDictionary[Translator, "Costs"] = WeakKeyDictionary()
_lock = Lock()


@dataclass(frozen=True, kw_only=True, eq=False)
class Costs(Result):
    """How long each part of a model's first decoder layer takes.

    Attributes:
        lengths: of texts, in tokens.
        d_model, d_ff, num_heads: the model's.
        threads: that PyTorch had.
        seconds: by part, one number a length. `attention` is softmax(QKᵀ/√d_head)·V of all heads,
            O(n²·d); `projections` the products with W_Q, W_K, W_V and W_O, O(n·d²); `feed_forward`
            O(n·d·d_ff), which is O(n·d²) as d_ff is a multiple of d; `norm` O(n·d).
    """

    schema = """
    lengths: integer [length] tokens
    d_model: integer
    d_ff: integer
    num_heads: integer
    threads: integer
    seconds: number {part} [length] seconds
    """

    lengths: tuple[int, ...]
    d_model: int
    d_ff: int
    num_heads: int
    threads: int
    seconds: Mapping[str, tuple[float, ...]]


@analysis(ours_alone="the parts of a layer are timed in our own models alone")
def costs(translator: Translator) -> Costs:
    """Times the parts of a layer by the length of the text: under 1 s, once for each model."""
    with _lock:
        if translator not in _measured:
            _measured[translator] = _measure(translator)
        return _measured[translator]


def _measure(translator: Translator) -> Costs:
    config = translator.config
    layer = translator.model.decoder.layers[0]
    attention = layer.self_attention
    device = translator.device

    def parts(length: int) -> dict[str, Callable[[], object]]:
        x = torch.randn(1, length, config.d_model, device=device)
        head = torch.randn(1, config.num_heads, length, config.d_head, device=device)
        return {
            "attention": lambda: attention_weights(attention_scores(head, head)) @ head,
            "projections": lambda: (attention.query_key_value(x), attention.output(x)),
            "feed_forward": lambda: layer.feed_forward(x),
            "norm": lambda: layer.feed_forward_residual.norm(x),
        }

    seconds: dict[str, list[float]] = {}
    with torch.inference_mode():
        for length in LENGTHS:
            for name, run in parts(length).items():
                seconds.setdefault(name, []).append(_time(run, device))
    return Costs(
        lengths=LENGTHS,
        d_model=config.d_model,
        d_ff=config.d_ff,
        num_heads=config.num_heads,
        threads=torch.get_num_threads(),
        seconds={name: tuple(times) for name, times in seconds.items()},
    )


def _time(run: Callable[[], Tensor | object], device: torch.device) -> float:
    def once() -> float:
        start = time.perf_counter()
        run()
        if device.type == "cuda":  # else only the launch would be timed
            torch.cuda.synchronize(device)
        return time.perf_counter() - start

    once()  # the first packs weights and takes memory
    return min(once() for _ in range(REPEATS))
