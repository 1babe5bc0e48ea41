"""What strangers send to take the server from everybody is refused before it costs anything."""

import asyncio
import tracemalloc
from typing import Any

import pytest

from tests.serving.asking import ask, run
from transformer import HeadlightError, Translator
from transformer.ask.options import Sent
from transformer.serving import Service
from transformer.serving.traces import TraceAnswer
from transformer.serving.wire.requests import TRACE, read_trace_asked
from transformer.trace.trace import AttentionTrace

PATIENT = ["decoder_self.L2=first", "causal=inverted"]


def hollow(layers: int, heads: int, tokens: int) -> dict[str, Any]:
    """A trace of a decoder-only model whose weights have no number in them."""
    names, ids = ["a"] * tokens, [1] * tokens
    packed = {"shape": [layers, heads, tokens, tokens], "dtype": "float16", "data": ""}
    return {
        "schema": "headlight-trace",
        "version": 1,
        "model": "x",
        "source": "x",
        "translation": "x",
        "prefix_length": 0,
        "stop_reason": "eos",
        "interventions": [],
        "src": [],
        "src_ids": [],
        "tgt_in": names,
        "tgt_out": names,
        "tgt_ids": ids,
        "candidates": [[]] * tokens,
        "encoder_self": None,
        "cross": None,
        "decoder_self": packed,
    }


@pytest.mark.parametrize("version", [1, 2])
@pytest.mark.parametrize("shape", [(20_000_000, 0, 3), (0, 8, 9_000), (20_000_000, 8, 0)])
def test_a_trace_without_numbers_is_refused_before_anything_of_its_size_is_made(
    shape: tuple[int, int, int], version: int
) -> None:
    sent = hollow(*shape) | {"version": version}
    tracemalloc.start()
    try:
        with pytest.raises(ValueError, match="no layer, head or token at all"):
            AttentionTrace.from_dict(sent)
        _, most = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert most < 5_000_000


@pytest.mark.parametrize(
    "request_of",
    [
        lambda trace: {"ask": "bertviz", "view": "model", "theme": "light", "trace": trace},
        lambda trace: {"ask": "file", "format": "npz", "trace": trace},
    ],
)
def test_the_server_refuses_it_too(service: Service, request_of: Any) -> None:
    answer = ask(service, request_of(hollow(20_000_000, 0, 3)))
    assert answer["error"]["code"] == "bad_request"


def test_what_leaves_a_row_nothing_to_attend_to_is_refused_by_name(
    service: Service, translator: Translator
) -> None:
    with pytest.raises(HeadlightError, match=r"decoder_self\.L2=first and causal=inverted"):
        translator.trace("I love you.", interventions=PATIENT)
    asked = {"ask": "trace", "source": "I love you.", "model": "en-zh", "interventions": PATIENT}
    error = ask(service, asked)["error"]
    assert error == {"code": "masked_row", "details": {"intervention": "decoder_self.L2=first"}}
    # Each alone, and others with them, can be had.
    for changes in (PATIENT[:1], PATIENT[1:], ["cross.L2=first", "causal=inverted"]):
        assert translator.trace("I love you.", interventions=changes).tgt_out


def test_it_fails_nobody_elses(service: Service) -> None:
    async def many() -> list[TraceAnswer | BaseException]:
        asked = [
            {
                "source": f"I have {i} cats.",
                "model": "en-zh",
                "interventions": PATIENT * bool(i % 3),
            }
            for i in range(12)
        ]
        answers = (service.traces.answer(read_trace_asked(Sent(each, TRACE))) for each in asked)
        return await asyncio.gather(*answers, return_exceptions=True)

    for i, answer in enumerate(run(many())):
        assert isinstance(answer, HeadlightError) == bool(i % 3)


def test_a_change_said_twice_is_done_once(translator: Translator) -> None:
    many = ["cross.L2H4=double"] * 500 + ["temperature=2", "temperature=3"]
    trace = translator.trace("I love you.", interventions=many)
    assert [*map(str, trace.interventions)] == ["cross.L2H4=double", "temperature=3"]
