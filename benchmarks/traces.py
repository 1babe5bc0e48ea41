"""A whole trace against Hugging Face Marian's `generate(output_attentions=True)`.

Both have the same shape, the same 20 source tokens, 24 steps and one thread, and take turns.
Marian's weights drive ours out of the processor's cache: a decode that nobody times brings them
back, or whichever of ours is timed first would pay for both.
"""

from collections.abc import Callable, Iterator
from statistics import median
from time import perf_counter
from typing import NamedTuple

import torch
from transformers import MarianConfig, MarianMTModel

from transformer.decoding import Hypothesis, decode
from transformer.model.config import TransformerConfig
from transformer.model.half_linear import read_weights_as_half
from transformer.model.towers import Transformer
from transformer.recording.batch import Decoded, Sentence, decode_and_record

from .row import Row

STEPS = 24
ROUNDS = 15


class Shape(NamedTuple):
    """A model's size; `budget` is the largest share of Marian's time that a trace may take."""

    layers: int
    d_model: int
    d_ff: int
    vocab_size: int
    budget: float


SHAPES = (Shape(3, 256, 1024, 8_000, 0.24), Shape(6, 512, 2048, 32_000, 0.28))


def rows() -> Iterator[Row]:
    """A trace's time relative to Marian's, and recording's share of it, for each shape."""
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        for shape in SHAPES:
            yield from _compare(shape)
    finally:
        torch.set_num_threads(threads)


def _compare(shape: Shape) -> Iterator[Row]:
    torch.manual_seed(0)
    marian, model = _marian(shape), _ours(shape)
    src = torch.randint(3, shape.vocab_size, (1, 20))

    sentence = Sentence(src[0].tolist())

    def trace() -> list[Decoded]:
        return decode_and_record(model, [sentence], STEPS)

    def write() -> list[Hypothesis]:
        return decode(model, src, max_steps=STEPS)

    def generate() -> None:
        generated = marian.generate(  # pyright: ignore[reportAttributeAccessIssue]
            src,
            num_beams=1,
            do_sample=False,
            min_new_tokens=STEPS,
            max_new_tokens=STEPS,
            output_attentions=True,
            return_dict_in_generate=True,
        )
        assert generated.sequences.shape[1] == STEPS + 1

    [hypothesis] = write()
    if len(hypothesis.ids) != STEPS:
        raise RuntimeError(f"the model stopped after {len(hypothesis.ids)} steps, not {STEPS}")
    marian_ms, _, trace_ms, decode_ms = _medians(generate, write, trace, write)
    record_ms = trace_ms - decode_ms
    name = f"{shape.layers}+{shape.layers}×{shape.d_model}"
    yield Row(
        f"trace / Marian, {name}",
        trace_ms / marian_ms,
        "×",
        shape.budget,
        f"{trace_ms:.1f} ms / {marian_ms:.1f} ms",
    )
    share = 100 * record_ms / trace_ms
    yield Row(f"recording / trace, {name}", share, "%", 6, f"{record_ms:.1f} ms")


def _medians(*functions: Callable[[], object]) -> list[float]:
    """Each function's median milliseconds; they take turns, so that all meet the same noise."""
    times: list[list[float]] = [[] for _ in functions]
    for turn in range(ROUNDS + 2):
        for function, spent in zip(functions, times, strict=True):
            start = perf_counter()
            function()
            if turn >= 2:  # the first turns warm up
                spent.append(1000 * (perf_counter() - start))
    return [median(spent) for spent in times]


def _ours(shape: Shape) -> Transformer:
    model = Transformer(
        TransformerConfig(
            src_vocab_size=shape.vocab_size,
            tgt_vocab_size=shape.vocab_size,
            d_model=shape.d_model,
            d_ff=shape.d_ff,
            num_encoder_layers=shape.layers,
            num_decoder_layers=shape.layers,
            tied_embeddings="all",
        )
    )
    # As `Translator.load` does: a checkpoint's weights are float16 numbers.
    model = model.half().float().eval()
    read_weights_as_half(model)
    return model


def _marian(shape: Shape) -> MarianMTModel:
    return MarianMTModel(
        MarianConfig(
            vocab_size=shape.vocab_size,
            d_model=shape.d_model,
            encoder_layers=shape.layers,
            decoder_layers=shape.layers,
            encoder_ffn_dim=shape.d_ff,
            decoder_ffn_dim=shape.d_ff,
            encoder_attention_heads=8,
            decoder_attention_heads=8,
            pad_token_id=0,
            eos_token_id=2,
            forced_eos_token_id=None,
            decoder_start_token_id=0,
            attn_implementation="eager",  # pyright: ignore[reportCallIssue]
        )
    ).eval()
