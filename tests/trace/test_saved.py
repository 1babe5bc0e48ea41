"""Traces from files: by their content, and by the rules that the page has (saved.test.js)."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from transformer.trace.trace import AttentionTrace

CASES = json.loads((Path(__file__).parents[1] / "data/traces.json").read_text(encoding="utf-8"))
TRACE: dict[str, Any] = CASES["trace"]


def changed(change: dict[str, Any]) -> dict[str, Any]:
    values = {**TRACE, **change}
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
    (tmp_path / "half.json").write_text(json.dumps(TRACE)[:200])
    for name, sentence in {
        "other.npz": "is an archive without the labels of a trace",
        "pickled.npz": "is incomplete or damaged",
        "one.npy": "is no trace: one begins with",
        "report.json": "is a report of the checker",
        "nan.json": "NaN is no number",
        "half.json": "is incomplete or damaged: Expecting",
    }.items():
        with pytest.raises(ValueError, match=f"^{name} .*{sentence}|^{name} {sentence}") as refused:
            AttentionTrace.load(tmp_path / name)
        assert "pickle" not in str(refused.value).replace(name, "")


def test_it_is_one_line_that_tells_what_it_is() -> None:
    changes = {"interventions": ["cross.L1H1=uniform"], "source": "I " * 500}
    told = repr(AttentionTrace.from_dict(TRACE | changes))
    assert told.startswith("<AttentionTrace toy: 'I I I")
    assert "→ '我', 2 → 2 tokens, 1 x 1 heads, cross.L1H1=uniform>" in told
    assert "\n" not in told
    assert len(told) < 250
