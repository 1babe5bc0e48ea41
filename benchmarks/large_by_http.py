"""Large traces by HTTP: what comes before the first picture, a head, all beside `generate`."""

import http.client
import json
import tempfile
from collections.abc import Iterator
from pathlib import Path
from statistics import median
from typing import Any
from urllib.parse import urlsplit

import brotli
import torch

from tests.guests.folders import bytes_of_pairs, save
from transformer.serving.guests.answers import MOST_STEPS

from .guests import seconds, warm
from .row import Row
from .server import serve

SHAPES = {"deep": (28, 16, 256, 0.1), "small": (12, 12, 768, 0.02)}
"""Layers, heads, d_model and the spread of weights: one of many heads, which look at few tokens
each, and GPT-2 small as it begins."""

WRITTEN = MOST_STEPS["decoder"]
HEADS = 30
"""That are asked for, of layers all over."""

ROUNDS = 3


def rows() -> Iterator[Row]:
    """Of 28 × 16 heads the bytes and a head; of GPT-2 small's shape a trace."""
    torch.set_num_threads(1)
    with tempfile.TemporaryDirectory() as folder:
        places = {name: save_model(Path(folder, name), *shape) for name, shape in SHAPES.items()}
        with serve(guests=[*places.values()]) as server:
            page = Page(server.url)
            # What nobody waits for twice: the process and the models.
            for name in SHAPES:
                page.trace(name, "The bank")
            yield _first(page, 256)
            yield _heads(page, 512)
            yield _beside_generate(page, places["small"], 512)


class Page:
    """A page's connection to the server.

    Attributes:
        size: of the last answer, in bytes, as it travelled.
    """

    def __init__(self, url: str) -> None:
        self.size = 0
        address = urlsplit(url)
        self._connection = http.client.HTTPConnection(str(address.hostname), address.port)

    def ask(self, **request: object) -> bytes:
        """The body of an answer, asked for until it is there."""
        while True:
            headers = {"Content-Type": "application/json", "Accept-Encoding": "br"}
            self._connection.request(
                "POST", "/headlight/answer", json.dumps(request).encode(), headers
            )
            answer = self._connection.getresponse()
            body = answer.read()
            self.size = len(body)
            if answer.headers["Content-Encoding"] == "br":
                body = brotli.decompress(body)
            if not body.startswith(b'{"waiting"'):
                return body

    def trace(self, model: str, source: str) -> bytes:
        """What comes first of a trace, on a new connection: one that rests too long is closed."""
        self._connection.close()
        body = self.ask(ask="trace", model=model, source=source, prefix=[])
        if body.startswith(b'{"error"'):
            raise RuntimeError(body.decode())
        return body


def _first(page: Page, tokens: int) -> Row:
    body, sent = page.trace("deep", text_of(tokens - WRITTEN)), page.size
    read = len(json.loads(body)["trace"]["tgt_in"])
    size = f"28 × 16 heads × {read} tokens"
    weights = json.loads(body)["large"]["decoder_self"]["thumbnails"]["data"]
    detail = f"{len(body) / 1e6:.2f} as JSON, {len(weights) / 1e6:.2f} of it thumbnails"
    return Row(f"before the first picture, {size}", sent / 1e6, "MB", 0.6, detail)


def _heads(page: Page, tokens: int) -> Row:
    source = text_of(tokens - WRITTEN)
    page.trace("deep", source)
    took: list[float] = []
    for number in range(HEADS):
        head = f"decoder_self.L{1 + 7 * number % 28}H{1 + number % 16}"
        request = {"model": "deep", "source": source, "prefix": [], "heads": [head]}
        took.append(1000 * seconds(lambda request=request: page.ask(ask="weights", **request)))
    detail = f"{min(took):.0f} to {max(took):.0f} ms, by loopback"
    return Row(f"a head of {tokens} tokens, asked for", median(took), "ms", 30, detail)


def _beside_generate(page: Page, place: Path, tokens: int) -> Row:
    from transformers import AutoModelForCausalLM, AutoTokenizer

    model: Any = AutoModelForCausalLM.from_pretrained(place)
    tokenizer: Any = AutoTokenizer.from_pretrained(place)
    plain, traced = [], []
    for number in range(ROUNDS):
        # What was asked before is kept: another text warms up.
        other, source = (text_of(tokens - WRITTEN, first=2 * number + it) for it in (0, 1))
        ids = tokenizer(source, return_tensors="pt").input_ids
        options = {"attention_mask": torch.ones_like(ids), "max_new_tokens": WRITTEN}
        plain.append(warm(lambda i=ids, t=options: model.generate(i, **t, do_sample=False)))
        page.trace("small", other)
        traced.append(seconds(lambda s=source: page.trace("small", s)))
    detail = f"{median(traced):.2f} s beside {median(plain):.2f}"
    what = f"trace by HTTP / generate, GPT-2 small's shape, {tokens - WRITTEN} + {WRITTEN} tokens"
    return Row(what, median(traced) / median(plain), "x", 1.3, detail)


def save_model(folder: Path, layers: int, heads: int, width: int, spread: float) -> Path:
    """A GPT-2 with random weights, saved in a folder, whose text does not end by itself."""
    from transformers import GPT2Config, GPT2LMHeadModel

    torch.manual_seed(0)
    tokenizer = bytes_of_pairs()
    sizes = {"n_layer": layers, "n_head": heads, "n_embd": width, "n_positions": 1024}
    options: Any = {"initializer_range": spread, "bos_token_id": 0, "eos_token_id": 0}
    model: Any = GPT2LMHeadModel(GPT2Config(vocab_size=len(tokenizer), **sizes, **options))
    model.generation_config.eos_token_id = None
    return save(folder, model, tokenizer)


def text_of(tokens: int, first: int = 0) -> str:
    """So many tokens: a digit is one, whatever stands beside it."""
    return "".join(str((first + i * i) % 10) for i in range(tokens))
