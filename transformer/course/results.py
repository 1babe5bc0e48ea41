"""What a check found, for programs: as JSON of our own, and as Gradescope reads it.

Whoever hands code in can also make it print such a result: it is for practice, not for exams.
"""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any, cast

from ..errors import HeadlightError
from .examination import Verdict
from .exercises import EXERCISES

FORMAT, VERSION = "headlight-course", 1

Points = dict[str, float]


def read_points(file: Path | None) -> Points:
    """How many points each exercise is worth.

    Args:
        file: JSON such as {"attention": 2, "masks": 1.5}; an exercise that is not in it is not
            scored. None: one point each.
    Raises:
        HeadlightError: the file holds something else.
    """
    if file is None:
        return dict.fromkeys(EXERCISES, 1.0)
    try:
        read: object = json.loads(file.read_text(encoding="utf-8"))
    except ValueError as error:
        raise HeadlightError("points", f"{file} is no JSON: {error}") from error
    if not isinstance(read, dict) or not read:
        raise HeadlightError("points", f'{file} should hold points, such as {{"attention": 2}}.')
    points: Points = {}
    for name, value in cast(dict[str, object], read).items():
        if name not in EXERCISES:
            names = ", ".join(EXERCISES)
            raise HeadlightError("points", f"{file}: no exercise {name!r}; there are {names}.")
        if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value < 1e6:
            raise HeadlightError(
                "points", f"{file}: {name} is worth {value!r}, which is no number from 0 up."
            )
        points[name] = float(value)
    return {name: points[name] for name in EXERCISES if name in points}


def as_json(verdicts: Sequence[Verdict], points: Points) -> dict[str, Any]:
    """The verdicts as JSON-ready values; `docs/course.md` describes them."""
    scored = [verdict for verdict in verdicts if verdict.exercise in points]
    return {
        "format": FORMAT,
        "version": VERSION,
        "right": sum(verdict.right for verdict in scored),
        "of": len(scored),
        "score": sum(points[verdict.exercise] for verdict in scored if verdict.right),
        "max_score": sum(points[verdict.exercise] for verdict in scored),
        "exercises": [
            {
                "exercise": verdict.exercise,
                "title": verdict.title,
                "right": verdict.right,
                "score": points[verdict.exercise] * verdict.right,
                "max_score": points[verdict.exercise],
                "remarks": [
                    {"code": remark.code, "values": dict(remark.values), "sentence": sentence}
                    for remark, sentence in zip(verdict.remarks, verdict.sentences, strict=False)
                ],
                "printed": verdict.printed,
            }
            for verdict in scored
        ],
    }


def as_gradescope(verdicts: Sequence[Verdict], points: Points) -> dict[str, Any]:
    """The results as Gradescope reads them, a `results.json`.

    Source: https://gradescope-autograders.readthedocs.io/en/latest/specs/, "Output format".
    """
    return {
        "visibility": "visible",
        "stdout_visibility": "hidden",
        "tests": [
            {
                "name": verdict.title,
                "number": str(number),
                "score": points[verdict.exercise] * verdict.right,
                "max_score": points[verdict.exercise],
                "status": "passed" if verdict.right else "failed",
                "output": verdict.text,
                "output_format": "text",
                "visibility": "visible",
            }
            for number, verdict in enumerate(verdicts, 1)
            if verdict.exercise in points
        ],
    }
