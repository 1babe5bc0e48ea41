"""What a guest is refused for has a code, by which the page says it in its own language."""

from typing import Any

import pytest
import torch
import transformers

import headlight
from tests.guests.families import D_MODEL, ENDS, VOCAB, tiny, tokenizer
from transformer.errors import HeadlightError
from transformer.guests.hugging_face.calling import failing_plainly
from transformer.guests.hugging_face.guest import HuggingFaceModel
from transformer.guests.hugging_face.refusals import result_of

TEXT = "w1 w2 w3 w4 w5"


def pair_without_a_head() -> Any:
    return transformers.BartModel(transformers.BartConfig(vocab_size=VOCAB, **ENDS, **D_MODEL))


@pytest.mark.parametrize(
    ("make", "asked", "code"),
    [
        (pair_without_a_head, {}, "guest_headless"),
        (lambda: tiny("bert"), {"prefix": [5]}, "not_offered"),
        (lambda: tiny("gpt2"), {"prefix": [VOCAB]}, "bad_prefix"),
    ],
)
def test_what_cannot_be_asked_has_a_code(make: Any, asked: dict[str, Any], code: str) -> None:
    guest = HuggingFaceModel(make(), tokenizer(), "small")
    with guest, pytest.raises(HeadlightError) as refused:
        guest.trace(TEXT, **asked)
    assert refused.value.code == code
    assert refused.value.details == ({"model": "small"} if code == "guest_headless" else {})


def test_a_package_that_is_lacking_is_named() -> None:
    """FSMT's tokenizer, BioGPT's and XLM's come with the library, and read with another one."""

    def read() -> None:
        raise ImportError("You need to install sacremoses to use XLMTokenizer. See https://…")

    with pytest.raises(HeadlightError, match=r"package: pip install sacremoses$") as refused:
        result_of("small", read, "a tokenizer")
    assert refused.value.code == "guest_package"
    assert refused.value.details == {"model": "small", "package": "sacremoses"}


@pytest.mark.parametrize(
    ("dtype", "advice"), [("float16", True), ("bfloat16", False), ("float32", False)]
)
def test_float32_is_advised_where_it_has_more_room(dtype: str, advice: bool) -> None:
    model = tiny("gpt2")
    model.transformer.h[0].mlp.c_proj.weight.data.fill_(torch.nan)
    with pytest.raises(HeadlightError, match="not finite: its weights are damaged") as refused:
        headlight.load(model.to(getattr(torch, dtype)), tokenizer())
    assert ("float32" in str(refused.value).partition("finite")[2]) is advice
    assert refused.value.code == ("guest_overflows" if advice else "guest_not_finite")
    assert refused.value.details == {"model": "GPT2LMHeadModel", "dtype": dtype}


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (MemoryError(), "guest_memory"),
        (RuntimeError("DefaultCPUAllocator: can't allocate memory"), "guest_memory"),
        (torch.OutOfMemoryError("CUDA out of memory. Tried to allocate 2 GiB"), "guest_memory"),
        (RuntimeError("the size of tensor a must match"), "guest_fails"),
    ],
)
def test_what_has_no_room_is_told_apart_from_what_fails(error: Exception, code: str) -> None:
    with pytest.raises(HeadlightError) as refused, failing_plainly(None, "forward"):
        raise error
    assert refused.value.code == code
