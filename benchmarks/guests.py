"""Models of Hugging Face's as guests: a trace beside `generate` alone, at GPT-2 small's size."""

import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from statistics import median
from typing import Any

import torch

from transformer.guests.hugging_face.guest import HuggingFaceModel

from .row import Row

SHAPES = ((64, 32), (512, 16))
"""Tokens of the prompt, and of what goes on with it."""

ROUNDS = 5
VOCAB = 50_257
MEMORY = """
import sys, torch
from pathlib import Path
from transformers import GPT2Config, GPT2LMHeadModel
from benchmarks.guests import Numbers
from transformer.guests.hugging_face.guest import HuggingFaceModel
torch.manual_seed(0)
torch.set_num_threads(1)
model = GPT2LMHeadModel(GPT2Config()).eval()
model.generation_config.eos_token_id = None
ids = torch.randint(0, 50_257, (1, 512))
with HuggingFaceModel(model, Numbers(), "gpt2") as guest:
    def run(ids, steps):
        if sys.argv[1] == "trace":
            return guest.trace(" ".join(map(str, ids[0].tolist())), max_steps=steps)
        options = {"attention_mask": torch.ones_like(ids), "do_sample": False}
        return model.generate(ids, max_new_tokens=steps, **options)
    run(ids[:, :8], 2)
    kilobytes = lambda name: int(Path("/proc/self/status").read_text().split(name)[1].split()[0])
    Path("/proc/self/clear_refs").write_text("5")
    before = kilobytes("VmRSS:")
    kept = run(ids, 16)
    print(kilobytes("VmHWM:") - before)
"""
"""What a process holds at most from here on, in kilobytes: on Linux, which counts anew if asked."""

PLAIN = {"MALLOC_MMAP_THRESHOLD_": "65536", "MALLOC_ARENA_MAX": "1"}
"""So that what is freed goes back at once, and the most that is held is the most that is used."""


class Numbers:
    """A tokenizer of numbers: what is measured needs no words."""

    is_fast = True
    all_special_ids: tuple[int, ...] = ()

    def __call__(self, text: str) -> dict[str, list[int]]:
        """The numbers that a text is."""
        return {"input_ids": [int(word) for word in text.split()]}

    def convert_ids_to_tokens(self, ids: list[int]) -> list[str]:
        """Numbers as texts."""
        return [f"{number} " for number in ids]

    def decode(self, ids: list[int], skip_special_tokens: bool) -> str:  # noqa: ARG002
        """The text that numbers are."""
        return " ".join(map(str, ids))


def rows() -> Iterator[Row]:
    """A trace, a replay and what they are beside, in one run: every round does each of them."""
    from transformers import GPT2Config, GPT2LMHeadModel

    torch.manual_seed(0)
    torch.set_num_threads(1)
    model: Any = GPT2LMHeadModel(GPT2Config()).eval()
    model.generation_config.eos_token_id = None
    eager: Any = GPT2LMHeadModel(GPT2Config(attn_implementation="eager")).eval()  # pyright: ignore
    eager.load_state_dict(model.state_dict())
    words: Any = Numbers()
    for given, steps in SHAPES:
        ids = torch.randint(0, VOCAB, (1, given))
        text = " ".join(map(str, ids[0].tolist()))
        whole = torch.randint(0, VOCAB, (1, given + steps))

        def generate(ids: Any = ids, steps: int = steps) -> None:
            mask = torch.ones_like(ids)
            model.generate(ids, attention_mask=mask, max_new_tokens=steps, do_sample=False)

        def look(whole: Any = whole) -> None:
            with torch.no_grad():
                eager(whole, output_attentions=True, use_cache=False)

        plain, forward, trace, replay = [], [], [], []
        for _ in range(ROUNDS):
            plain.append(warm(generate))
            forward.append(warm(look))
            with HuggingFaceModel(model, words, "gpt2") as guest:
                tokens = whole[0].tolist()
                read = " ".join(map(str, tokens))
                replay.append(warm(lambda g=guest, r=read, t=tokens: g.replay(r, (*t[1:], 0))))
                trace.append(
                    warm(lambda g=guest, t=text, n=steps: g.trace(t, max_steps=n, top_k=5))
                )
        size = f"{given} + {steps} tokens"
        detail = f"{1000 * median(trace):.0f} ms beside {1000 * median(plain):.0f}"
        yield Row(
            f"trace / generate with SDPA, {size}", median(trace) / median(plain), "x", 1.2, detail
        )
        detail = f"{1000 * median(replay):.0f} ms beside {1000 * median(forward):.0f}"
        yield Row(
            f"replay / eager with its attentions, {size}",
            median(replay) / median(forward),
            "x",
            1.1,
            detail,
        )
    yield memory()


def memory() -> Row:
    """What a trace takes besides what `generate` does, each alone in a process."""
    peaks = [
        int(
            subprocess.run(
                [sys.executable, "-c", MEMORY, what],
                capture_output=True,
                check=True,
                text=True,
                env={**os.environ, **PLAIN},
            ).stdout.split()[-1]
        )
        for what in ("trace", "generate")
    ]
    layer = 4 * 12 * 527**2 / 1e6
    detail = f"{peaks[0] / 1e3:.0f} MB beside {peaks[1] / 1e3:.0f}; its weights and a layer more"
    most = (peaks[0] - peaks[1]) / 1e3
    return Row("memory of a trace, 512 + 16 tokens", most, "MB", 13 * layer, detail)


def warm(run: Callable[[], object]) -> float:
    """Seconds of a second run, which takes its memory from what the first gave back.

    A virtual machine hands memory that lies free for two seconds to its host: of 160 MB the first
    touch then costs a third of a second, which is none of the model's.
    """
    run()
    return seconds(run)


def seconds(run: Callable[[], object]) -> float:
    """How long something takes."""
    start = time.perf_counter()
    run()
    return time.perf_counter() - start
