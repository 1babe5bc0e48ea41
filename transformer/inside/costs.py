"""How long the parts of a layer take on this machine, the longer the text."""

import time
from collections.abc import Callable
from statistics import median
from threading import Lock
from typing import Any
from weakref import WeakKeyDictionary

import torch
from torch import Tensor

from ..model.attention import attention_scores, attention_weights
from ..model.layers import DecoderLayer
from ..translator import Translator

LENGTHS = (32, 64, 128, 256, 512)
"""Tokens."""

REPEATS = 5
"""The median of so many runs."""

_measured: WeakKeyDictionary[Translator, dict[str, Any]] = WeakKeyDictionary()
_lock = Lock()


def costs(translator: Translator) -> dict[str, Any]:
    """Seconds that each part of a model's first decoder layer takes, by the length of the text.

    Measured once for each model, under 1 s, with as many threads as PyTorch has.

    Returns:
        `lengths`: in tokens; `d_model`, `d_ff`, `num_heads`: the model's; `threads`; `seconds`: by
        part, one number a length. `attention` is softmax(QKᵀ/√d_head)·V of all heads, O(n²·d);
        `projections` the products with W_Q, W_K, W_V and W_O, O(n·d²); `feed_forward` O(n·d·d_ff),
        which is O(n·d²) as d_ff is a multiple of d; `norm` O(n·d).
    """
    with _lock:
        if translator not in _measured:
            _measured[translator] = _measure(translator)
        return _measured[translator]


def _measure(translator: Translator) -> dict[str, Any]:
    config = translator.config
    layer = translator.model.decoder.layers[0]
    assert isinstance(layer, DecoderLayer)
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
    return {
        "lengths": list(LENGTHS),
        "d_model": config.d_model,
        "d_ff": config.d_ff,
        "num_heads": config.num_heads,
        "threads": torch.get_num_threads(),
        "seconds": seconds,
    }


def _time(run: Callable[[], Tensor | object], device: torch.device) -> float:
    def once() -> float:
        start = time.perf_counter()
        run()
        if device.type == "cuda":  # else only the launch would be timed
            torch.cuda.synchronize(device)
        return time.perf_counter() - start

    once()  # the first packs weights and takes memory
    return median(once() for _ in range(REPEATS))
