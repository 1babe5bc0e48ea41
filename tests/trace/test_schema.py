"""docs/trace.schema.json holds for what is written, and `trace --check` for what others write."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from jsonschema import Draft202012Validator

import headlight
from transformer import Translator
from transformer.__main__ import main

SCHEMA = json.loads(
    (Path(__file__).parents[2] / "docs" / "trace.schema.json").read_text(encoding="utf-8")
)
Values = dict[str, Any]


def guest() -> Values:
    layers = [np.full((heads, 3, 3), 1 / 3, np.float32) for heads in (2, 4)]
    trace = headlight.view([layers[0], None, layers[1]], ["[CLS]", "a", "b"], 2)
    return json.loads(json.dumps(trace.to_dict()))


def test_the_schema_is_one() -> None:
    Draft202012Validator.check_schema(SCHEMA)


def test_what_is_written_fits_it(translator: Translator) -> None:
    check: Any = Draft202012Validator(SCHEMA)
    own = translator.trace("I love you.", interventions=["cross.L1H1=zero"])
    check.validate(json.loads(json.dumps(own.to_dict("float16"))))
    check.validate(guest())


@pytest.mark.parametrize(
    "change",
    [
        lambda values: values.update(version=3),
        lambda values: values.update(encoder_self=None),
        lambda values: values["encoder_self"][0].update(dtype="int8"),
        lambda values: values.update(mask={"encoder_self": "upper"}),
        lambda values: values.update(words={"source": []}),
        lambda values: values.update(source=["a", "b", "c"]),
        lambda values: values.update(origin={"by": "me"}),
    ],
)
def test_what_is_none_does_not(change: Callable[[Values], None]) -> None:
    values = guest()
    change(values)
    assert not Draft202012Validator(SCHEMA).is_valid(values)


def test_a_file_of_another_tool_is_checked(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "x.json"
    values = guest()
    path.write_text(json.dumps(values), encoding="utf-8")
    assert main(["trace", "--check", str(path)]) == 0
    assert capsys.readouterr().out == "<AttentionTrace : 'a b', 3 tokens, 3 x 2 to 4 heads>\n"
    values["src"].append("c")
    path.write_text(json.dumps(values), encoding="utf-8")
    assert main(["trace", "--check", str(path)]) == 2
    assert "words.src has 3 members, but there are 4 tokens" in capsys.readouterr().err
    assert main(["trace", "--check", str(tmp_path / "nothing.json")]) == 2
    assert capsys.readouterr().err.startswith("error: ")
