"""Whether two answers say the same: numbers nearly, all else exactly."""

import base64
import math
from typing import Any, TypeGuard, cast

import numpy as np

DTYPES = {"float16": "<f2", "float32": "<f4", "uint8": "u1"}


def differences(one: Any, other: Any, tolerance: float = 1e-4, at: str = "") -> list[str]:
    """Every place where two JSON values differ, by its path; arrays are unpacked.

    Args:
        one: what Python says.
        other: what the engine says.
        tolerance: of numbers, relative where they are larger than 1.
        at: where these two are.
    """
    if at.endswith(".candidates"):
        return _of_candidates(one, other, tolerance, at)
    if isinstance(one, dict) and isinstance(other, dict):
        left, right = cast(dict[str, Any], one), cast(dict[str, Any], other)
        if left.keys() != right.keys():
            return [f"{at}: {sorted(left)} against {sorted(right)}"]
        if left.keys() == {"shape", "dtype", "data"}:
            return _of_arrays(left, right, tolerance, at)
        if left.keys() >= {"ids", "tokens", "logits"}:
            one, other = _as_candidates(left), _as_candidates(right)
            mismatches = _of_candidates(one, other, tolerance, at)
            left, right = ({"log_sum": each["log_sum"]} for each in (left, right))
            return mismatches + differences(left, right, tolerance, at)
        return [
            each
            for name in left
            for each in differences(left[name], right[name], tolerance, f"{at}.{name}")
        ]
    if isinstance(one, list) and isinstance(other, list):
        rows, others = cast(list[Any], one), cast(list[Any], other)
        if len(rows) != len(others):
            return [f"{at}: {len(rows)} items against {len(others)}"]
        pairs = enumerate(zip(rows, others, strict=True))
        return [x for i, (a, b) in pairs for x in differences(a, b, tolerance, f"{at}[{i}]")]
    if _is_number(one) and _is_number(other):
        near = math.isclose(one, other, rel_tol=tolerance, abs_tol=tolerance)
        return [] if near else [f"{at}: {one} against {other}"]
    return [] if one == other else [f"{at}: {one!r} against {other!r}"]


def _of_candidates(one: Any, other: Any, tolerance: float, at: str) -> list[str]:
    """Two that are as likely, but for rounding, may have changed places, or one left the list."""
    mismatches: list[str] = (
        [] if len(one) == len(other) else [f"{at}: {len(one)}, {len(other)} steps"]
    )
    for step, (mine, its) in enumerate(zip(one, other, strict=False)):
        for these, those in ((mine, its), (its, mine)):
            by_id = {each["id"]: each for each in those}
            least = min((each["probability"] for each in those), default=0)
            if len(these) != len(those):
                mismatches.append(f"{at}[{step}]: {len(these)} against {len(those)}")
            for each in these:
                if each["id"] in by_id:
                    mismatches += differences(each, by_id[each["id"]], tolerance, f"{at}[{step}]")
                elif each["probability"] > least + tolerance:
                    mismatches.append(f"{at}[{step}]: {each} is missing")
    return mismatches


def _as_candidates(distribution: dict[str, Any]) -> list[list[dict[str, Any]]]:
    """The best logits of every step, which likewise change places."""
    steps = zip(
        distribution["ids"],
        distribution["tokens"],
        unpacked(distribution["logits"]).tolist(),
        strict=True,
    )
    return [
        [
            {"id": token, "token": text, "probability": logit}
            for token, text, logit in zip(*step, strict=True)
        ]
        for step in steps
    ]


def _is_number(value: object) -> TypeGuard[float]:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _of_arrays(one: dict[str, Any], other: dict[str, Any], tolerance: float, at: str) -> list[str]:
    if (one["shape"], one["dtype"]) != (other["shape"], other["dtype"]):
        forms = [f"{each['dtype']} {each['shape']}" for each in (one, other)]
        return [f"{at}: {forms[0]} against {forms[1]}"]
    a, b = unpacked(one), unpacked(other)
    # A number of float16 has eleven bits.
    relative = max(tolerance, 2e-3 if one["dtype"] == "float16" else 0)
    near = np.isclose(a, b, rtol=relative, atol=tolerance, equal_nan=True)
    if near.all():
        return []
    worst = float(np.nanmax(np.abs(a - b)))
    return [f"{at}: {int((~near).sum())} of {near.size} numbers differ, by {worst:.2g}"]


def unpacked(array: dict[str, Any]) -> "np.ndarray[Any, Any]":
    """A packed array."""
    data = np.frombuffer(base64.b64decode(array["data"]), DTYPES[array["dtype"]])
    return data.astype(np.float64).reshape(array["shape"])
