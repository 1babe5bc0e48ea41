"""What programs ask: each example of docs/programs.md runs; its answers are the model's own."""

import json
import re
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.tiny import same_weights
from transformer import Translator, inside
from transformer.trace.trace import AttentionTrace

TEXT = Path(__file__).parents[2].joinpath("docs", "programs.md").read_text(encoding="utf-8")
FROM_PYTHON, OVER_HTTP, OVER_MCP = re.findall("```python\n(.*?)```", TEXT, re.DOTALL)
SOURCE = "I love you."
TOOLS = ["translate", "trace_summary", "top_heads", "align"]


def run(example: str, address: str) -> dict[str, Any]:
    """What an example leaves in its variables; beside the loop that drives the browser."""
    assert "http://127.0.0.1:7860" in example
    scope: dict[str, Any] = {}
    code = example.replace("http://127.0.0.1:7860", address.rstrip("/"))
    with ThreadPoolExecutor(1) as beside:
        beside.submit(exec, code, scope).result()
    return scope


def post(address: str, name: str, *data: object) -> tuple[int, Any]:
    response = httpx.post(f"{address}gradio_api/run/{name}", json={"data": data}, timeout=30)
    return response.status_code, response.json()


@pytest.fixture
def answers(address: str) -> Iterator[dict[str, Any]]:
    scope = run(FROM_PYTHON, address)
    yield scope
    scope["client"].close()


def test_gradio_client_gets_what_the_model_says(
    answers: dict[str, Any], translator: Translator
) -> None:
    trace = translator.trace(SOURCE)
    assert answers["translation"] == trace.translation

    steps, heads = answers["summary"]["steps"], answers["summary"]["heads"]
    assert [(s["reads"], s["predicts"]) for s in steps] == [
        *zip(trace.tgt_in, trace.tgt_out, strict=True)
    ]
    assert heads["cross"] == {"layers": 2, "heads": 4, "representative": "L2H1", "role": "unclear"}
    assert trace.cross is not None
    for step, row, candidates in zip(steps, trace.cross[1, 0], trace.candidates, strict=True):
        assert step["probability"] == pytest.approx(candidates[0].probability, abs=1e-3)
        assert step["attends_to"] == trace.src[row.argmax()]
        assert step["weight"] == pytest.approx(row.max(), abs=1e-3)

    measured = inside.statistics(trace).encoder_self
    assert measured is not None
    confidence = {
        f"L{i + 1}H{j + 1}": measured.confidence[i, j] for i in range(2) for j in range(4)
    }
    best = sorted(confidence, key=lambda name: -confidence[name])[:3]
    assert [head["head"] for head in answers["heads"]] == best
    assert all(
        h["confidence"] == pytest.approx(confidence[h["head"]], abs=1e-3) for h in answers["heads"]
    )

    alignment = inside.alignment(trace, 1, 0)
    assert {(link["source"], link["target"]) for link in answers["links"]["links"]} == {
        (alignment.src_words[i], alignment.tgt_words[j]) for i, j in alignment.links
    }

    changed = translator.trace(SOURCE, interventions=["cross.L1=zero"])
    assert same_weights(AttentionTrace.from_dict(answers["trace"]), changed)
    assert changed.cross is not None
    assert not changed.cross[0].any()
    for name in ("summary", "heads", "links"):
        assert len(json.dumps(answers[name], ensure_ascii=False)) < 10_000


def test_plain_http_gets_the_same(address: str, translator: Translator) -> None:
    links = run(OVER_HTTP, address)["over_http"]
    assert links["translation"] == translator.translate(SOURCE)
    assert links["head"] == "L2H1"


def test_language_models_get_the_tools_and_nothing_else(
    address: str, translator: Translator
) -> None:
    pytest.importorskip("mcp", reason="pip install mcp")
    answer = run(OVER_MCP, address)
    assert answer["names"] == TOOLS
    assert answer["said"] == translator.translate(SOURCE)


@pytest.mark.parametrize(
    ("name", "data", "sentence"),
    [
        ("translate", [" ", "en-zh"], "Type a sentence to translate."),
        ("translate", ["x", "nobody"], "There is no model 'nobody'."),
        ("translate", [{"a": 1}, "en-zh"], "source is a text."),
        ("trace_summary", ["x", ["en-zh"]], "model is a text."),
        ("top_heads", ["x", "en-zh", "cross", 0], "From 1 to 20 heads can be listed."),
        ("top_heads", ["x", "en-zh", "cross", "3"], "From 1 to 20 heads can be listed."),
        ("top_heads", ["x", "poet", "cross", 3], "No 'cross': poet has decoder_self."),
        ("top_heads", ["x", "en-zh", {}, 3], "No {}: en-zh has encoder_self, decoder_self, cross."),
        ("align", ["x", "poet", ""], "poet has no source to align."),
        (
            "align",
            ["x", "en-zh", "L9H1"],
            "there is no cross-attention head L9H1: the last is L2H4",
        ),
        (
            "align",
            ["x", "en-zh", ["L1H1"]],
            "\"['L1H1']\" is no head: one is written L2H4, both counted from 1",
        ),
        ("trace", ["x", "en-zh", "7", None, None], "prefix is a list of 0 to 2000 items."),
    ],
)
def test_what_cannot_be_done_gets_a_sentence(
    address: str, name: str, data: list[object], sentence: str
) -> None:
    status, answer = post(address, name, *data)
    assert (status, answer["error"]) == (500, sentence)


def test_a_decoder_only_model_is_summed_up_too(address: str, poet: Translator) -> None:
    trace = poet.trace("我爱你。")
    status, answer = post(address, "trace_summary", "我爱你。", "poet")
    assert status == 200
    [summary] = answer["data"]
    assert summary["heads"].keys() == {"decoder_self"}
    assert trace.decoder_self is not None
    looked = [trace.tgt_in[row.argmax()] for row in trace.decoder_self[1, 0]]
    assert [step["attends_to"] for step in summary["steps"]] == looked


def test_nothing_else_is_a_program(address: str) -> None:
    for name in ("answer", "predict", "component_server"):
        assert httpx.post(f"{address}gradio_api/run/{name}", json={"data": []}).status_code == 404
