"""A large trace of a guest's: what travels first, and its heads one by one."""

import base64
import gzip
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.guests.folders import decoder, pair
from tests.serving.asking import ask
from transformer.errors import HeadlightError
from transformer.guests.hugging_face.guest import HuggingFaceModel
from transformer.guests.hugging_face.loading import load
from transformer.inside.statistics import statistics
from transformer.serving import Service
from transformer.serving.guests.answers import TRACES_BYTES, GuestAnswers
from transformer.serving.guests.kept_trace import KeptTrace
from transformer.trace.guest import Layers
from transformer.trace.head_names import parse_choice
from transformer.trace.kinds import KINDS
from transformer.trace.packing import WHOLE, Weights
from transformer.trace.parts import HeadsInParts
from transformer.trace.trace import AttentionTrace

TEXT = "The bank of the river was muddy. She put the money in the bank."
PART = 1 / WHOLE
MADE = {"decoder": decoder, "pair": pair}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A decoder and an encoder-decoder."""
    root = tmp_path_factory.mktemp("large")
    for name, make in MADE.items():
        make(root / name)
    return root


@pytest.fixture(scope="module")
def large(folder: Path) -> Iterator[Service]:
    """A server to which any guest's trace is large."""
    service = Service()
    service.guests.most_whole = 0
    for name in MADE:
        service.guests.add(str(folder / name))
    yield service
    service.close()


def own(folder: Path, name: str) -> AttentionTrace:
    """What the page's numbers are to be: the same model's, here."""
    steps = {"decoder": 32, "pair": 64}[name]
    with load(folder / name) as model:
        return model.trace(TEXT, max_steps=steps)


def answer(service: Service, request: dict[str, Any]) -> dict[str, Any]:
    """An answer, asked for until it is there."""
    while "waiting" in (reply := ask(service, request)):
        pass
    return reply


def read(reply: dict[str, Any]) -> dict[str, Weights]:
    """Heads by kind and name, as the page reads them."""
    heads: dict[str, Weights] = {}
    for kind, each in reply["weights"].items():
        _, _, queries, keys = each["packed"]["shape"]
        kept = np.ones((queries, keys), bool)
        if each["packed"]["triangle"]:
            kept = np.tri(queries, dtype=bool)
        for name, data in zip(each["names"], each["packed"]["data"], strict=True):
            planes = np.frombuffer(gzip.decompress(base64.b64decode(data)), np.uint8)
            high, low = planes.reshape(2, -1).astype(np.float32)
            weights = np.zeros((queries, keys), np.float32)
            weights[kept] = (256 * high + low) / WHOLE
            heads[f"{kind}.{name}"] = weights
    return heads


@pytest.mark.parametrize("name", MADE)
def test_heads_that_are_asked_for_are_those_of_the_trace(
    large: Service, folder: Path, name: str
) -> None:
    trace, about = own(folder, name), {"model": name, "source": TEXT}
    first = answer(large, {"ask": "trace", **about})
    assert not first["trace"].keys() & set(KINDS)
    assert tuple(first["trace"]["tgt_in"]) == trace.tgt_in
    # And it is opened where Python says that it is.
    assert first["trace"]["heads"] == trace.to_dict()["heads"] != {}
    assert first["guest"]["form"] == {"pair": "encoder-decoder"}.get(name, name)
    for kind, weights in trace.present():
        assert first["large"][kind]["counts"] == [len(layer) for layer in weights]
        # The page's opening one of each kind comes at once.
        (opening,) = first["weights"][kind]["names"]
        at = f"{kind}.{opening}"
        names = [at, f"{kind}.L1H2", f"{kind}.L2.mean", f"{kind}.H4.max", f"{kind}.mean.max"]
        heads = read(first) | read(answer(large, {"ask": "weights", **about, "heads": names[1:]}))
        layer, head = (int(it) - 1 for it in opening[1:].split("H"))
        expected = {
            at: weights[layer, head],
            f"{kind}.L1H2": weights[0, 1],
            f"{kind}.L2.mean": weights[1].mean(0),
            f"{kind}.H4.max": weights[:, 3].max(0),
            f"{kind}.mean.max": weights.max(1).mean(0),
        }
        for one in names:
            np.testing.assert_allclose(heads[one], expected[one], atol=2 * PART)


def test_thumbnails_are_the_largest_weights_of_what_falls_together(
    large: Service, folder: Path
) -> None:
    trace = own(folder, "decoder")
    assert trace.decoder_self is not None
    reply = answer(large, {"ask": "trace", "model": "decoder", "source": TEXT})["large"]
    small = reply["decoder_self"]["thumbnails"]
    length = len(trace.tgt_in)
    assert length > 32, "so that cells fall together"
    assert (small["rows"], small["keys"]) == (32, 32)
    data = gzip.decompress(base64.b64decode(small["data"]))
    shown = np.frombuffer(data, np.uint8).reshape(2, 4, 32, 32)
    most = np.zeros(shown.shape)
    for query in range(length):
        for key in range(length):
            at = (..., query * 32 // length, key * 32 // length)
            most[at] = np.maximum(most[at], trace.decoder_self[..., query, key])
    assert (shown >= 255 * (most - PART)).all()
    assert (shown <= 255 * (most + PART) + 1).all()


def test_numbers_and_roles_of_all_heads_travel_as_numbers(large: Service, folder: Path) -> None:
    expected = statistics(own(folder, "pair")).payload()
    reply = answer(large, {"ask": "trace", "model": "pair", "source": TEXT})["statistics"]
    for kind in KINDS:
        ours, its = expected[kind], reply[kind]
        assert its["roles"] == ours["roles"]
        assert its["rows"] == ours["rows"]
        assert its["measures"].keys() == ours["measures"].keys()
        for name, numbers in ours["measures"].items():
            for one, other in zip(numbers, its["measures"][name], strict=True):
                assert other == pytest.approx(one, abs=1e-4)


@pytest.mark.parametrize("name", MADE)
def test_a_large_trace_is_kept_in_parts(folder: Path, name: str) -> None:
    with load(folder / name) as model:
        traces = [model.trace(TEXT, max_steps=5, include_layers=it) for it in (None, [1])]
    for trace in traces:
        entry, exact = KeptTrace(trace, 0), KeptTrace(trace)
        assert exact.trace() is trace
        assert len(entry) < 0.6 * len(exact)
        again = entry.trace()
        for kind in KINDS:
            pairs = zip(again.layers(kind) or (), trace.layers(kind) or (), strict=True)
            for mine, its in pairs:
                assert (mine is None) == (its is None)
                if mine is not None and its is not None:
                    assert np.abs(mine - its).max() < PART
        assert again.header() == trace.header()


def test_one_large_trace_has_room() -> None:
    """28 layers of 16 heads and 512 tokens, of which a decoder has the lower triangle."""
    weights = np.tri(512, dtype=np.float32)[None] / np.arange(1, 513, dtype=np.float32)[:, None]
    parts = HeadsInParts.of((weights.astype(np.float32),)).parts
    assert 28 * 16 * parts.nbytes < TRACES_BYTES


def test_a_trace_that_has_more_than_its_room_is_asked_about_again(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """28 layers of 16 heads and 512 tokens take 235 MB where nothing is masked."""
    monkeypatch.setattr("transformer.serving.guests.answers.TRACES_BYTES", 100)
    guests = GuestAnswers(lambda *_, **__: None, lambda: False)
    computed: list[object] = []
    traced = HuggingFaceModel.trace

    def trace(model: HuggingFaceModel, source: Any, **how: Any) -> AttentionTrace:
        computed.append(source)
        return traced(model, source, **how)

    monkeypatch.setattr(HuggingFaceModel, "trace", trace)
    for text in (TEXT, TEXT, "We read it again.", "We read it again.", TEXT):
        values = {"ask": "trace", "model": "pair", "source": text}
        place = {"name": "pair", "place": str(folder / "pair")}
        assert guests.answer({**place, "values": values, "most_whole": 0}).heads
    assert computed == [TEXT, "We read it again.", TEXT]


def test_what_cannot_be_asked_for_alone_is_refused(large: Service) -> None:
    about = {"ask": "weights", "model": "decoder", "source": TEXT}
    for heads in (
        *(["decoder_self.L3H1"], ["decoder_self.L1H5"], ["cross.L1H1"], ["decoder_self"]),
        *(["decoder_self.L1H0"], ["decoder_self.mean."], [3], "L1H1", ["x" * 61]),
    ):
        assert answer(large, {**about, "heads": heads})["error"]["code"] == "bad_request", heads
    ours = {**about, "model": "en-zh", "heads": ["cross.L1H1"]}
    assert ask(large, ours)["error"]["code"] == "bad_request"


def test_layers_of_unlike_numbers_of_heads_are_joined_as_far_as_they_go() -> None:
    random = np.random.default_rng(0)
    layers: Layers = tuple(
        random.dirichlet(np.ones(3), (heads, 2)).astype(np.float32) if heads else None
        for heads in (2, 0, 3)
    )
    heads = HeadsInParts.of(layers)
    one, _, three = layers
    assert one is not None
    assert three is not None
    assert not heads.has((1, "mean"))
    assert heads.has(("mean", 2))
    assert not heads.has(("mean", 3))
    for name, expected in (
        ("L3H2", three[1]),
        ("H3.mean", three[2]),
        ("H1.max", np.maximum(one[0], three[0])),
        ("mean", (one.mean(0) + three.mean(0)) / 2),
    ):
        shown = heads.chosen(parse_choice(name)).reshape(2, 3) / WHOLE
        np.testing.assert_allclose(shown, expected, atol=1.5 * PART)


def test_a_trace_that_fits_travels_whole(large: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(large.guests, "most_whole", 10**6)
    reply = answer(large, {"ask": "trace", "model": "decoder", "source": f"{TEXT} Once."})
    assert reply.keys() == {"trace", "guest"}
    assert json.dumps(reply["trace"]["decoder_self"])


def test_a_head_needs_no_new_computation_while_its_trace_is_kept(large: Service) -> None:
    about = {"model": "decoder", "source": TEXT}
    first = answer(large, {"ask": "trace", **about, "heads": ["decoder_self.L1H3", "cross.L9H9"]})
    assert "L1H3" in first["weights"]["decoder_self"]["names"]
    heads = {"ask": "weights", **about, "heads": ["decoder_self.L2H1"]}
    # Of what is not kept, it is computed.
    assert answer(large, {**heads, "source": f"{TEXT} Again."})["weights"]
    large.guests.process.end()
    assert answer(large, heads)["weights"]
    assert large.guests.process.pid is None


def test_what_has_no_room_is_refused_and_a_page_holds_the_chosen_layers(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    guests = GuestAnswers(lambda *_, **__: None, lambda: False)

    def ask_for(**values: object) -> dict[str, Any]:
        values = {"model": "decoder", "source": TEXT, **values}
        asked = {"name": "decoder", "place": str(folder / "decoder"), "values": values}
        return json.loads(guests.answer({**asked, "most_whole": 0}).body)

    whole = base64.b64decode(ask_for(ask="file", format="html", layers=[1])["file"])
    for limit in ("answers.MOST_HTML", "answers.MOST_BERTVIZ", "large.MOST_HEADS"):
        monkeypatch.setattr(f"transformer.serving.guests.{limit}", 0)
    reply = ask_for(ask="file", format="html", layers=[1])
    assert reply["layers"] == [1]
    one, both = (saved_weights(it) for it in (base64.b64decode(reply["file"]), whole))
    assert one[0] is None
    assert one[1]["data"] == [both["data"][1]]
    for code, values in (
        ("guest_too_long", {"ask": "trace"}),
        ("bertviz_too_large", {"ask": "bertviz", "view": "head", "theme": "dark"}),
    ):
        with pytest.raises(HeadlightError) as refused:
            ask_for(**values)
        assert refused.value.code == code
        assert int(refused.value.details["tokens"]) > 32


def saved_weights(page: bytes) -> Any:
    """What a page in one file carries of decoder self-attention."""
    (values,) = re.findall(r'id="headlight-trace">(.*?)</script>', page.decode())
    return json.loads(values)["decoder_self"]
