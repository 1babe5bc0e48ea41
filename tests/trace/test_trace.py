import base64
import dataclasses
import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.tiny import same_weights
from transformer import Translator
from transformer.trace.candidates import Candidate, Glosses
from transformer.trace.head_names import RepresentativeHead
from transformer.trace.interventions import Intervention
from transformer.trace.kinds import KINDS
from transformer.trace.sampling import Sampling
from transformer.trace.trace import UNSAID, AttentionTrace


@pytest.fixture(scope="module")
def trace(translator: Translator) -> AttentionTrace:
    return translator.trace("I love you. 我爱你。", max_steps=5, top_k=3)


@pytest.fixture(scope="module")
def decoder_only(continuer: Translator) -> AttentionTrace:
    return continuer.trace("I love you.", max_steps=4, top_k=3)


def copy(array: Any) -> Any:
    return np.array(array)


def frozen(array: Any) -> Any:
    array.flags.writeable = False
    return array


def changed(array: Any, index: tuple[int, ...], value: float) -> Any:
    array = copy(array)
    array[index] = value
    return frozen(array)


CORRUPTIONS: list[tuple[str, Callable[[AttentionTrace], dict[str, Any]], str]] = [
    ("a label too many", lambda t: {"tgt_in": (*t.tgt_in, "x")}, "tokens read"),
    ("an output too few", lambda t: {"tgt_out": t.tgt_out[1:]}, "tokens read"),
    ("an id too few", lambda t: {"tgt_ids": t.tgt_ids[1:]}, "ids"),
    ("no candidates", lambda _: {"candidates": ()}, "0 lists of candidates"),
    ("a source id too few", lambda t: {"src_ids": t.src_ids[1:]}, "source tokens, but"),
    ("a source label too few", lambda t: {"src": t.src[1:], "src_ids": t.src_ids[1:]}, "ask for"),
    ("a gloss too few", lambda t: {"glosses": Glosses(t.src[1:], t.tgt_out)}, "glosses of"),
    ("a negative prefix", lambda _: {"prefix_length": -1}, "a prefix of -1 in 5 steps"),
    ("a long prefix", lambda _: {"prefix_length": 6}, "a prefix of 6 in 5 steps"),
    ("no cross", lambda _: {"cross": None}, "come together"),
    ("no encoder_self", lambda _: {"encoder_self": None}, "come together"),
    ("turned axes", lambda t: {"cross": frozen(copy(t.cross).swapaxes(2, 3))}, "cross has shape"),
    ("three axes", lambda t: {"cross": frozen(copy(t.cross)[0])}, "cross has shape"),
    ("writable", lambda t: {"cross": copy(t.cross)}, "read-only float32"),
    ("float64", lambda t: {"cross": frozen(copy(t.cross).astype(float))}, "read-only float32"),
    ("NaN", lambda t: {"cross": changed(t.cross, (0, 0, 0, 0), np.nan)}, "not finite"),
    ("infinite", lambda t: {"cross": changed(t.cross, (0, 0, 0, 0), np.inf)}, "not finite"),
    ("negative", lambda t: {"cross": changed(t.cross, (0, 0, 0, 0), -0.1)}, "negative"),
    ("not 1", lambda t: {"cross": frozen(copy(t.cross) * 1.0001)}, "sum is off by 0.0001"),
    ("future", lambda t: {"decoder_self": changed(t.decoder_self, (1, 3, 3, 4), 1e-9)}, "future"),
    (
        "twice the layers",
        lambda t: {"cross": frozen(np.tile(copy(t.cross), (2, 1, 1, 1)))},
        "both kinds",
    ),
    ("a head less", lambda t: {"encoder_self": frozen(copy(t.encoder_self)[:, 1:])}, "one number"),
    ("zeros", lambda t: {"cross": frozen(copy(t.cross) * 0)}, "sum is off by 1"),
    (
        "not zero where switched off",
        lambda _: {"interventions": (Intervention("cross", 1, 2, "zero"),)},
        "sum is off by 1",
    ),
]


@pytest.mark.parametrize(
    ("corrupt", "sentence"), [row[1:] for row in CORRUPTIONS], ids=[row[0] for row in CORRUPTIONS]
)
def test_a_trace_validates_itself(
    trace: AttentionTrace, corrupt: Callable[[AttentionTrace], dict[str, Any]], sentence: str
) -> None:
    with pytest.raises(ValueError, match=sentence):
        dataclasses.replace(trace, **corrupt(trace))


def test_a_head_switched_off_may_be_zero(trace: AttentionTrace) -> None:
    cross = copy(trace.cross)
    cross[1, 2] = 0
    off = (Intervention("cross", 1, 2, "zero"),)
    assert dataclasses.replace(trace, cross=frozen(cross), interventions=off).cross is not None
    cross = copy(trace.cross)
    cross[1] = 0
    off = (Intervention("cross", 1, None, "zero"),)
    assert dataclasses.replace(trace, cross=frozen(cross), interventions=off).cross is not None


def test_it_is_frozen_and_its_arrays_are_read_only(trace: AttentionTrace) -> None:
    with pytest.raises(dataclasses.FrozenInstanceError):
        trace.source = "else"  # pyright: ignore[reportAttributeAccessIssue]
    for kind in KINDS:
        weights = trace.weights(kind)
        assert weights is not None
        with pytest.raises(ValueError, match="read-only"):
            weights[0, 0, 0, 0] = 1


def labels(trace: AttentionTrace) -> dict[str, Any]:
    values = {field.name: getattr(trace, field.name) for field in dataclasses.fields(trace)}
    return {name: value for name, value in values.items() if name not in KINDS}


@pytest.mark.parametrize("name", ["trace", "decoder_only"])
@pytest.mark.parametrize("suffix", [".json", ".npz"])
def test_it_survives_the_disk_exactly(
    request: pytest.FixtureRequest, name: str, suffix: str, tmp_path: Path
) -> None:
    trace: AttentionTrace = request.getfixturevalue(name)
    path = tmp_path / f"a trace{suffix}"
    trace.save(path)
    again = AttentionTrace.load(path)
    assert labels(again) == labels(trace)
    assert same_weights(again, trace)
    assert isinstance(again.candidates[0][0], Candidate)
    assert not again.decoder_self.flags.writeable


def test_interventions_survive_too(translator: Translator, tmp_path: Path) -> None:
    trace = translator.trace("I love you.", interventions=["cross.L2=zero"], max_steps=3)
    trace.save(tmp_path / "x.json")
    again = AttentionTrace.load(tmp_path / "x.json")
    assert again.interventions == (Intervention("cross", 1, None, "zero"),)
    assert same_weights(again, trace)


@pytest.mark.parametrize("suffix", [".json", ".npz"])
def test_sampling_survives_too(translator: Translator, tmp_path: Path, suffix: str) -> None:
    sampling = Sampling(0.8, 5, seed=7)
    trace = translator.trace("I love you.", max_steps=3, sampling=sampling)
    trace.save(tmp_path / f"x{suffix}")
    assert AttentionTrace.load(tmp_path / f"x{suffix}").sampling == sampling


def test_candidates_of_before_the_draw_was_recorded_are_still_read(trace: AttentionTrace) -> None:
    payload = trace.to_dict()
    for step in payload["candidates"]:
        for candidate in step:
            del candidate["drawn"]
    assert AttentionTrace.from_dict(payload).candidates == trace.candidates


def test_representative_heads_survive_too(trace: AttentionTrace, tmp_path: Path) -> None:
    heads = {
        "cross": RepresentativeHead("L2H4", "aligns", "reads"),
        "encoder_self": RepresentativeHead("L1H1", "next"),
    }
    for suffix in (".json", ".npz"):
        path = tmp_path / f"x{suffix}"
        dataclasses.replace(trace, heads=heads, checkpoint="0a1b2c3d").save(path)
        again = AttentionTrace.load(path)
        assert (again.heads, again.checkpoint) == (heads, "0a1b2c3d")


@pytest.mark.parametrize("suffix", [".json", ".npz"])
def test_glosses_survive_too(trace: AttentionTrace, tmp_path: Path, suffix: str) -> None:
    glosses = Glosses((None,) * (len(trace.src) - 1) + ("终",), ("I",) + (None,) * 4)
    dataclasses.replace(trace, glosses=glosses).save(tmp_path / f"x{suffix}")
    assert AttentionTrace.load(tmp_path / f"x{suffix}").glosses == glosses
    broken = {**trace.to_dict(), "glosses": {"src": [7] * len(trace.src), "tgt": [None] * 5}}
    with pytest.raises(ValueError, match="glosses is not what it is in a trace"):
        AttentionTrace.from_dict(broken)


def test_a_trace_of_the_first_version_is_still_read(trace: AttentionTrace) -> None:
    values = {**trace.to_dict(), "interventions": ["decoder_self.L1H3=uniform"]}
    for name in ("sampling", "checkpoint", "heads", "glosses", "read_as"):
        del values[name]
    again = AttentionTrace.from_dict(values)
    assert (again.sampling, again.checkpoint, again.heads) == (None, "", {})
    assert again.interventions == (Intervention("decoder_self", 0, 2, "uniform"),)
    assert again.read_as is None


def test_the_payload_is_what_the_page_reads(trace: AttentionTrace) -> None:
    payload = json.loads(json.dumps(trace.to_dict("float16")))
    assert (payload["schema"], payload["version"]) == ("headlight-trace", 1)
    assert set(payload) == {
        *("schema", "version", "model", "source", "translation", "src", "tgt_in", "tgt_out"),
        *("src_ids", "tgt_ids", "candidates", "stop_reason", "prefix_length", "interventions"),
        *("sampling", "checkpoint", "heads", "glosses", "read_as", *KINDS),
    }
    assert payload["src"] == list(trace.src)
    assert payload["candidates"][2][0] == {
        "token": trace.candidates[2][0].token,
        "id": trace.candidates[2][0].id,
        "probability": trace.candidates[2][0].probability,
        "drawn": None,
    }
    for kind in KINDS:
        weights = trace.weights(kind)
        assert weights is not None
        encoded = payload[kind]
        assert (encoded["shape"], encoded["dtype"]) == (list(weights.shape), "float16")
        numbers = np.frombuffer(base64.b64decode(encoded["data"]), "<f2").reshape(weights.shape)
        # Between 1/2 and 1 a float16 is 2^-11 from the next: rounding is off by half of that.
        assert np.abs(numbers.astype(np.float32) - weights).max() <= 2**-12
        assert (numbers[weights == 0] == 0).all()


def test_a_float16_payload_is_read_with_rows_that_sum_to_one(trace: AttentionTrace) -> None:
    again = AttentionTrace.from_dict(json.loads(json.dumps(trace.to_dict("float16"))))
    for kind in KINDS:
        read, exact = again.weights(kind), trace.weights(kind)
        assert read is not None
        assert exact is not None
        assert np.abs(read - exact).max() < 5e-4
    payload = trace.to_dict("float16")
    assert trace.cross is not None
    payload["cross"] = {**payload["cross"], "data": encode(trace.cross * np.float32(0.9))}
    with pytest.raises(ValueError, match=r"sum is off by 0\.1"):
        AttentionTrace.from_dict(payload)


def encode(weights: Any) -> str:
    return base64.b64encode(weights.astype("<f2").tobytes()).decode()


def test_a_decoder_only_payload_has_no_source(decoder_only: AttentionTrace) -> None:
    assert decoder_only.encoder_self is None
    assert decoder_only.cross is None
    payload = decoder_only.to_dict("float16")
    assert payload["encoder_self"] is payload["cross"] is None
    assert payload["src"] == ()
    assert payload["decoder_self"]["shape"][2:] == [len(decoder_only.tgt_in)] * 2


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"schema": "other"}, "schema 'other' version 1 is not 'headlight-trace' version 1"),
        ({"version": 3}, "version 3 is not"),
        ({"cross": {}}, "this is no trace"),
        ({"cross": {"shape": [1], "dtype": "float32", "data": "!"}}, "base64"),
        ({"cross": {"shape": [9, 9], "dtype": "float32", "data": "AAAA"}}, "buffer size"),
        ({"candidates": [[{"name": "x"}]]}, "candidates is not what it is in a trace"),
        ({"interventions": ["off"]}, "is no intervention"),
        ({"interventions": ["cross.L10H1=zero"]}, "cross.L10H1=zero names what is not there"),
        ({"src": 5}, "src is not what it is in a trace"),
        ({"source": ["x"]}, "source is not what it is in a trace"),
        ({"checkpoint": 7}, "checkpoint is not what it is in a trace"),
        ({"heads": []}, "representative heads are an object"),
        (
            {"heads": {"self": {"head": "L1H1", "role": "first"}}},
            "representative heads are an object",
        ),
        ({"heads": {"cross": {"head": "L1H1"}}}, "has a head and a role"),
        ({"heads": {"cross": {"head": "1.1", "role": "aligns"}}}, "'1.1' is no head"),
        ({"heads": {"cross": {"head": "L9H1", "role": "aligns"}}}, "no cross head L9H1"),
        ({"tgt_in": [1, 2, 3, 4, 5]}, "tgt_in is not what it is in a trace"),
    ],
)
def test_another_payload_is_refused(
    trace: AttentionTrace, change: dict[str, Any], sentence: str
) -> None:
    with pytest.raises(ValueError, match=sentence):
        AttentionTrace.from_dict({**trace.to_dict(), **change})


def test_a_payload_without_a_part_is_refused(trace: AttentionTrace) -> None:
    for name in set(trace.to_dict()) - {*UNSAID, "encoder_self", "cross"}:
        values = trace.to_dict()
        del values[name]
        with pytest.raises(ValueError, match=r"this is no trace|is not 'headlight-trace'"):
            AttentionTrace.from_dict(values)


@pytest.mark.parametrize("suffix", [".json", ".npz"])
def test_a_broken_file_is_refused(trace: AttentionTrace, tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"trace{suffix}"
    trace.save(path)
    whole = path.read_bytes()
    for content in (b"", b"[]", b"{}", b"\x80\x04N.", whole[:-100], whole[: len(whole) // 2]):
        path.write_bytes(content)
        with pytest.raises(ValueError, match=r"\w"):
            AttentionTrace.load(path)


def test_an_archive_of_another_version_is_refused(trace: AttentionTrace, tmp_path: Path) -> None:
    header = {key: value for key, value in trace.to_dict().items() if key not in KINDS}
    text = json.dumps({**header, "version": 3}).encode()
    arrays: dict[str, Any] = {kind: trace.weights(kind) for kind in KINDS}
    np.savez(tmp_path / "new.npz", labels=np.frombuffer(text, np.uint8), **arrays)
    with pytest.raises(ValueError, match="version 3 is not"):
        AttentionTrace.load(tmp_path / "new.npz")


def test_every_field_is_documented(trace: AttentionTrace) -> None:
    page = Path(__file__).parents[2] / "docs" / "trace-format.md"
    first, _ = page.read_text(encoding="utf-8").split("## Version 2")
    rows = re.findall(r"^\| `(\w+)` \|", first, re.MULTILINE)
    assert rows == list(trace.to_dict())


def test_another_suffix_is_refused(trace: AttentionTrace, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"saved as \.json, \.npz or \.html, not 'trace\.pkl'"):
        trace.save(tmp_path / "trace.pkl")
    assert not list(tmp_path.iterdir())
