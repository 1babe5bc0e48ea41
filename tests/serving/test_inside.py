"""What the page gets of an analysis is what Python says."""

import base64
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.serving.asking import ask
from transformer import Translator, inside
from transformer.serving import Service
from transformer.trace.kinds import KINDS
from transformer.trace.trace import AttentionTrace
from transformer.training.data import Text, encode
from transformer.training.history import CURVE, FILE, History
from transformer.training.moments import add_moment, describe

SOURCE = "The cat sleeps."
REQUEST = {"ask": "inside", "source": SOURCE, "model": "en-zh"}


@pytest.fixture(scope="module")
def trace(translator: Translator) -> AttentionTrace:
    return translator.trace(SOURCE)


def unpack(packed: dict[str, Any]) -> Any:
    dtype = {"float16": "<f2", "float32": "<f4", "uint8": "u1"}[packed["dtype"]]
    return np.frombuffer(base64.b64decode(packed["data"]), dtype).reshape(packed["shape"])


def analysis_of(service: Service, name: str, **options: object) -> dict[str, Any]:
    return ask(service, REQUEST | {"name": name, "options": options})["inside"]


def test_readings_of_words(service: Service, translator: Translator, trace: AttentionTrace) -> None:
    left = inside.leave_one_out(translator, trace)
    answer = analysis_of(service, "leave_one_out")
    assert answer["words"] == list(left.words)
    np.testing.assert_array_equal(unpack(answer["deltas"]), left.deltas)
    shares = inside.contributions(translator, trace)
    assert shares.source is not None
    answer = analysis_of(service, "contributions")
    np.testing.assert_array_equal(unpack(answer["source"]), shares.source)
    np.testing.assert_array_equal(unpack(answer["prefix"]), shares.prefix)
    norms, zeroed = analysis_of(service, "value_norms"), analysis_of(service, "value_zeroing")
    assert set(norms) == set(zeroed) == {*KINDS}
    for kind, expected in inside.value_norms(translator, trace).present():
        np.testing.assert_allclose(unpack(norms[kind]), expected, rtol=1e-3, atol=1e-3)
    for kind, expected in inside.value_zeroing(translator, trace).present():
        np.testing.assert_allclose(unpack(zeroed[kind]), expected, atol=1e-3)


def test_why_not_another(service: Service, translator: Translator, trace: AttentionTrace) -> None:
    other = trace.candidates[1][1].id
    reasons = inside.why(translator, trace, 1, other)
    answer = analysis_of(service, "why", step=1, token=other)
    rows = np.vstack((reasons.deltas, reasons.value_zeroing, reasons.direct.sum(0)))
    np.testing.assert_array_equal(unpack(answer["deltas"]), rows.astype(np.float32))
    assert len(answer["readings"]) == len(rows)
    assert (answer["emitted"], answer["other"]) == (reasons.emitted, reasons.other)


def test_layers(service: Service, translator: Translator, trace: AttentionTrace) -> None:
    lens = inside.lens(translator, trace)
    answer = analysis_of(service, "lens")
    assert answer["tokens"] == [list(layer) for layer in lens.tokens]
    assert answer["rank"] == lens.rank.tolist()
    np.testing.assert_array_equal(unpack(answer["probability"]), lens.probability)
    grown = inside.decoder_lens(translator, trace)
    assert analysis_of(service, "decoder_lens")["translations"] == list(grown.translations)
    lengths = inside.residual(translator, trace)
    answer = analysis_of(service, "residual")
    assert answer["decoder_sublayers"] == list(lengths.decoder_sublayers)
    np.testing.assert_array_equal(unpack(answer["encoder"]), lengths.encoder)


@pytest.mark.parametrize(
    ("name", "options", "code"),
    [
        ("why", {"step": 99, "token": 5}, "bad_step"),
        ("why", {"step": "0", "token": 5}, "bad_request"),
        ("why", {"step": True, "token": 5}, "bad_request"),
        ("why", {"step": 0, "token": 10**8}, "bad_prefix"),
        ("why", {"step": 0}, "bad_request"),
        ("lens", {"step": 0}, "bad_request"),
        ("sweep", {"kinds": "cross"}, "bad_request"),
        ("sweep", {"kinds": ["self"]}, "bad_request"),
        ("sweep", {"kinds": ["cross"] * 4}, "bad_request"),
        ("flow", {"block": 3}, "bad_request"),
        ("effect", {"interventions": ["x"] * 501}, "bad_request"),
    ],
)
def test_nonsense_is_refused(
    service: Service, name: str, options: dict[str, object], code: str
) -> None:
    assert ask(service, REQUEST | {"name": name, "options": options})["error"]["code"] == code


def test_a_decoder_alone_is_asked_what_it_has(service: Service) -> None:
    request = {"ask": "inside", "source": "我爱你。", "model": "poet"}
    for name in ("leave_one_out", "contributions", "lens", "residual"):
        assert "inside" in ask(service, request | {"name": name}), name
    norms = ask(service, request | {"name": "value_norms"})["inside"]
    assert [kind for kind in KINDS if norms[kind]] == ["decoder_self"]
    refused = ask(service, request | {"name": "decoder_lens"})
    assert refused["error"]["code"] == "no_encoder"


def test_a_history_is_told_pair_by_pair(
    service: Service, translator: Translator, models: Path
) -> None:
    request = {"ask": "history", "model": "en-zh", "pair": 1}
    assert ask(service, request)["error"]["code"] == "no_history"
    pairs = [Text("I love you.", "我爱你。"), Text("What a day!", "多好的一天！")]
    examples = encode(pairs, translator.tokenizer, 64)
    kept = History([describe(example, translator.tokenizer) for example in examples])
    for step in (0, 5):
        add_moment(kept, step, translator.model, examples)
    path, curve = models / "en-zh" / FILE, models / "en-zh" / CURVE
    kept.save(path)
    curve.write_text("step,dev_loss,bleu\n5,2.5,17\n")
    try:
        answer = ask(service, request)["history"]
        for change, code in (
            ({"model": "none"}, "unknown_model"),
            ({"pair": 2}, "bad_request"),
            ({"pair": -1}, "bad_request"),
            ({"pair": "1"}, "bad_request"),
        ):
            assert ask(service, request | change)["error"]["code"] == code, change
        path.write_bytes(b"nothing")
        assert ask(service, request)["error"]["code"] == "no_history"
    finally:
        path.unlink()
        curve.unlink()
    assert answer["steps"] == [0, 5]
    assert answer["curve"] == [{"step": 5, "dev_loss": 2.5, "bleu": 17}]
    cross = kept.weights[5][1]["cross"]
    sent = unpack(answer["weights"]["cross"])
    assert sent.shape == (2, *cross.shape)
    np.testing.assert_allclose(sent[1] / 255, cross, atol=0.5 / 255 + 1e-3)
