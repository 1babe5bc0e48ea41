"""Files that the page asks the server for, from a trace that anyone may have written."""

import base64
import io
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.serving.asking import ask as ask_service
from tests.tiny import same_weights
from transformer import Translator
from transformer.serving import Service
from transformer.serving.wire.requests import MAX_TRACE
from transformer.show.replay import replay_html
from transformer.trace.kinds import KINDS
from transformer.trace.trace import AttentionTrace

SERVICE = Service()


@pytest.fixture(scope="module")
def payload(translator: Translator) -> dict[str, Any]:
    trace = translator.trace("I love you.", max_steps=5, top_k=3)
    return json.loads(json.dumps(trace.to_dict("float16")))


def ask(**request: Any) -> dict[str, Any]:
    return ask_service(SERVICE, {"ask": "file", **request})


def test_npz_holds_the_trace(payload: dict[str, Any], tmp_path: Path) -> None:
    content = base64.b64decode(ask(format="npz", trace=payload)["file"])
    (tmp_path / "trace.npz").write_bytes(content)
    loaded, sent = AttentionTrace.load(tmp_path / "trace.npz"), AttentionTrace.from_dict(payload)
    assert same_weights(loaded, sent)
    assert loaded.tgt_out == sent.tgt_out
    with np.load(io.BytesIO(content)) as archive:  # as anybody's NumPy reads it
        assert set(archive) == {"labels", *KINDS}


def test_a_trace_that_the_server_can_make_is_named(
    translator: Translator, payload: dict[str, Any], tmp_path: Path
) -> None:
    named: dict[str, Any] = {"model": "en-zh", "source": "I love you."}
    parts: dict[str, Any] = {"prefix": payload["tgt_ids"][:2], "interventions": ["cross.L1=first"]}
    content = base64.b64decode(ask(format="npz", **named, **parts)["file"])
    (tmp_path / "trace.npz").write_bytes(content)
    loaded = AttentionTrace.load(tmp_path / "trace.npz")
    assert same_weights(loaded, translator.trace("I love you.", **parts)), "to the last bit"
    assert ask(format="npz", **named | {"model": "none"})["error"]["code"] == "unknown_model"
    assert ask(format="npz", **named, prefix="x")["error"]["code"] == "bad_request"
    assert ask(format="npz")["error"]["code"] == "bad_request"


def test_html_is_what_python_writes(payload: dict[str, Any]) -> None:
    content = base64.b64decode(ask(format="html", trace=payload)["file"]).decode()
    assert content == replay_html(AttentionTrace.from_dict(payload))


@pytest.mark.parametrize(
    "change",
    [
        {"trace": None},
        {"trace": []},
        {"trace": {}},
        {"format": "pkl"},
        {"format": ["npz"]},
        {"format": "../npz"},
    ],
)
def test_another_request_is_refused(payload: dict[str, Any], change: dict[str, Any]) -> None:
    answer = ask(**{"format": "npz", "trace": payload, **change})
    assert answer == {"error": {"code": "bad_request", "details": {}}}


@pytest.mark.parametrize(
    "change",
    [
        {"version": 3},
        {"source": 5},
        {"src": [["x"]]},
        {"candidates": "x"},
        {"tgt_out": ["x"]},
        {"cross": {"shape": [2**40, 2**40], "dtype": "float16", "data": ""}},
        {"cross": {"shape": "x", "dtype": "float16", "data": "AAAA"}},
        {"interventions": ["<script>"]},
        {"model": "x" * MAX_TRACE},
    ],
)
def test_a_hostile_trace_is_refused(payload: dict[str, Any], change: dict[str, Any]) -> None:
    answer = ask(format="html", trace={**payload, **change})
    assert answer == {"error": {"code": "bad_request", "details": {}}}
