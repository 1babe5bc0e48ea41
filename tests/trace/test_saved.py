"""Traces from files: by their content, and by the rules that the page has (saved.test.js)."""

import io
import json
import pickle
import tracemalloc
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from transformer.trace import saved
from transformer.trace.trace import AttentionTrace

CASES = json.loads((Path(__file__).parents[1] / "data/traces.json").read_text(encoding="utf-8"))
TRACE: dict[str, Any] = CASES["trace"]


def changed(change: dict[str, Any], trace: dict[str, Any] = TRACE) -> dict[str, Any]:
    values = {**trace, **change}
    return {name: value for name, value in values.items() if value != "DELETED"}


@pytest.mark.parametrize("case", CASES["changes"], ids=lambda case: case["what"])
def test_a_trace_is_read_or_refused_as_the_page_does(case: dict[str, Any], tmp_path: Path) -> None:
    path = tmp_path / "trace.json"
    path.write_text(json.dumps(changed(case["change"])), encoding="utf-8")
    if case["opens"]:
        assert AttentionTrace.load(path).model == "toy"
        return
    with pytest.raises(ValueError, match=r"\w") as refused:
        AttentionTrace.load(path)
    assert "Error" not in str(refused.value) or "this is no trace" in str(refused.value)


@pytest.mark.parametrize("case", CASES["second_changes"], ids=lambda case: case["what"])
def test_version_2_is_read_or_refused_as_the_page_does(
    case: dict[str, Any], tmp_path: Path
) -> None:
    path = tmp_path / "trace.json"
    values = changed(case["change"], CASES["second"])
    path.write_text(json.dumps(values), encoding="utf-8")
    if not case["opens"]:
        with pytest.raises(ValueError, match=r"\w") as refused:
            AttentionTrace.load(path)
        assert "Error" not in str(refused.value)
        return
    trace = AttentionTrace.load(path)
    written = json.loads(json.dumps(trace.to_dict()))
    for name in ("src", "tgt_in", "tgt_out", "source", "mask", "sink", "parts", "words"):
        assert written.get(name) == values.get(name), name
    for name in ("again.json", "again.npz"):
        trace.save(tmp_path / name)
        again = AttentionTrace.load(tmp_path / name)
        assert json.loads(json.dumps(again.to_dict())) == written
        assert repr(again) == repr(trace)
    assert AttentionTrace.from_dict(trace.to_dict("float16")).src == trace.src


def test_layers_that_are_not_alike_are_read_one_by_one() -> None:
    [change] = [
        case["change"] for case in CASES["second_changes"] if "unlike heads" in case["what"]
    ]
    trace = AttentionTrace.from_dict(changed(change, CASES["second"]))
    assert [
        layer if layer is None else layer.shape for layer in trace.layers("decoder_self") or ()
    ] == [
        (1, 3, 3),
        None,
        (2, 3, 3),
    ]
    with pytest.raises(AttributeError, match=r'read trace.layers\("decoder_self"\)'):
        _ = trace.decoder_self
    assert trace.layers("cross") is None
    assert trace.tgt_out == ("b", "c", "")
    assert "1 to 2 heads" in repr(trace)
    restored = pickle.loads(pickle.dumps(trace))
    assert restored.to_dict() == trace.to_dict()


@pytest.mark.parametrize("case", CASES["files"], ids=lambda case: case["what"])
def test_what_counts_is_what_is_in_the_file(case: dict[str, Any], tmp_path: Path) -> None:
    path = tmp_path / case["name"]
    content = case["before"] + json.dumps(TRACE, ensure_ascii=False)
    path.write_bytes(content.encode(case["encoding"]))
    if case["opens"]:
        assert AttentionTrace.load(path).tgt_out == ("我", "</s>")
        return
    with pytest.raises(ValueError, match=f"^{path.name} is "):
        AttentionTrace.load(path)


def test_an_archive_may_be_called_anything(tmp_path: Path) -> None:
    for name in ("TRACE.NPZ", "x.npz"):
        AttentionTrace.from_dict(TRACE).save(tmp_path / name)
        moved = (tmp_path / name).rename(tmp_path / "trace.json")
        assert AttentionTrace.load(moved).source == "I"


def test_what_is_no_trace_is_told_without_advice_that_is_unsafe(tmp_path: Path) -> None:
    np.savez(tmp_path / "other.npz", x=np.zeros(3))
    np.savez(tmp_path / "pickled.npz", labels=np.array([{}], object), allow_pickle=True)
    np.save(tmp_path / "one.npy", np.zeros(3))
    (tmp_path / "report.json").write_text('{"format": "headlight-report"}')
    (tmp_path / "nan.json").write_text('{"schema": "headlight-trace", "version": NaN}')
    (tmp_path / "long.json").write_text('{"schema": "headlight-trace", "version": 1' + "0" * 5000)
    (tmp_path / "half.json").write_text(json.dumps(TRACE)[:200])
    kind = next(it for it in ("decoder_self", "encoder_self") if it in TRACE)
    (tmp_path / "text.json").write_text(json.dumps({**TRACE, kind: "a text"}))
    for name, sentence in {
        "other.npz": "is an archive without the labels of a trace",
        "pickled.npz": "is incomplete or damaged",
        "one.npy": "is no trace: one begins with",
        "report.json": "is a report of the checker",
        "nan.json": "NaN is no number",
        "half.json": "is incomplete or damaged: Expecting",
        "text.json": "its weights are no object of data, shape and dtype",
        "long.json": "is incomplete or damaged: ValueError$",
    }.items():
        with pytest.raises(ValueError, match=f"^{name} .*{sentence}|^{name} {sentence}") as refused:
            AttentionTrace.load(tmp_path / name)
        assert "pickle" not in str(refused.value).replace(name, "")


def npy(array: np.ndarray[Any, Any]) -> bytes:
    file = io.BytesIO()
    np.save(file, array)
    return file.getvalue()


def test_an_archive_that_swells_is_refused_before_it_does(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(saved, "MOST_ARRAYS", 1_000_000)
    monkeypatch.setattr(saved, "MOST_LABELS", 1_000_000)
    monkeypatch.setattr(saved, "MOST_PARTS", 1_000)
    path = tmp_path / "bomb.npz"
    AttentionTrace.from_dict(TRACE).save(path)
    with zipfile.ZipFile(path) as archive:
        honest = {name: archive.read(name) for name in archive.namelist()}
    swollen = npy(np.zeros((1, 1, 2_500, 2_500), np.float32))
    many = npy(np.frombuffer(b'{"schema": "headlight-trace", "x": [' + b"{}," * 2_000, np.uint8))
    long = npy(np.full(900_000, ord(" "), np.uint8))
    for members, sentence in (
        ({"decoder_self.npy": swollen}, "would swell to 25 MB, more than"),
        ({"unasked.npy": swollen}, "would swell to 25 MB, more than"),
        ({"labels.npy": many}, "it has 2002 lists and objects"),
        ({f"{number}.npy": b"" for number in range(10_001)}, "more than 10000"),
        ({"labels.npy": long * 2}, "its labels would swell to 2 MB"),
    ):
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
            for name, content in {**honest, **members}.items():
                archive.writestr(name, content)
            archive.writestr("padding", np.random.default_rng(1).bytes(30_000))
        tracemalloc.start()
        try:
            with pytest.raises(
                ValueError, match=f"^bomb.npz is incomplete or damaged: .*{sentence}"
            ):
                AttentionTrace.load(path)
            assert tracemalloc.get_traced_memory()[1] < 15e6, sentence
        finally:
            tracemalloc.stop()


def test_a_member_of_an_archive_that_lies_is_read_no_further_than_it_says(tmp_path: Path) -> None:
    path = tmp_path / "lies.npz"
    AttentionTrace.from_dict(TRACE).save(path)
    with zipfile.ZipFile(path) as archive:
        honest = {name: archive.read(name) for name in archive.namelist()}
    swollen = npy(np.zeros((1, 1, 2_500, 2_500), np.float32))
    size = len(swollen).to_bytes(4, "little")
    claimed = io.BytesIO()
    np.lib.format.write_array_header_1_0(
        claimed, {"descr": "<f4", "fortran_order": False, "shape": (1, 1, 1 << 20, 1 << 20)}
    )
    for content, says in ((swollen, (1_000).to_bytes(4, "little")), (claimed.getvalue(), None)):
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
            for name, each in {**honest, "decoder_self.npy": content}.items():
                archive.writestr(name, each)
        if says:
            path.write_bytes(path.read_bytes().replace(size, says))
        tracemalloc.start()
        try:
            with pytest.raises(ValueError, match=r"^lies\.npz is incomplete or damaged: "):
                AttentionTrace.load(path)
            assert says is None or tracemalloc.get_traced_memory()[1] < 15e6
        finally:
            tracemalloc.stop()


def test_it_is_one_line_that_tells_what_it_is() -> None:
    changes = {"interventions": ["cross.L1H1=uniform"], "source": "I " * 500}
    output = repr(AttentionTrace.from_dict(TRACE | changes))
    assert output.startswith("<AttentionTrace toy: 'I I I")
    assert "→ '我', 2 → 2 tokens, 1 x 1 heads, cross.L1H1=uniform>" in output
    assert "\n" not in output
    assert len(output) < 250
