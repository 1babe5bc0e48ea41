"""Archives of layers that are not alike, which Python writes, dropped onto the page."""

import base64
import json
from pathlib import Path
from typing import Any

import numpy as np

import headlight
from tests.node import run_module
from transformer.trace.trace import AttentionTrace

READ = """
import { readDropped } from "./assets/state/server/dropped.js";
import { Unreadable } from "./assets/trace/fields.js";
import { readFileSync } from "node:fs";
const bytes = Uint8Array.from(atob(JSON.parse(readFileSync(0, "utf8"))), (it) => it.charCodeAt(0));
try {
  const { trace } = await readDropped(new Blob([bytes]));
  const told = Object.entries(trace.weights).map(([kind, it]) => [kind, {
    numbers: [...it.data], counts: it.counts, sinks: it.sinks?.map((sink) => sink && [...sink]),
  }]);
  console.log(JSON.stringify(Object.fromEntries(told)));
} catch (error) {
  if (!(error instanceof Unreadable)) throw error;
  console.log(JSON.stringify(error.problem));
}
"""


def dropped(path: Path) -> Any:
    return run_module(READ, base64.b64encode(path.read_bytes()).decode())


def ragged() -> AttentionTrace:
    layers = [np.full((heads, 3, 3), 1 / 3, np.float32) for heads in (2, 4)]
    return headlight.view([layers[0], None, layers[1]], ["a", "b", "c"])


def test_layers_that_are_not_alike_are_read(tmp_path: Path) -> None:
    path = tmp_path / "x.npz"
    ragged().save(path)
    layers = dropped(path)["encoder_self"]
    assert layers["counts"] == [2, 0, 4]
    np.testing.assert_allclose(layers["numbers"], np.full(6 * 9, 1 / 3), rtol=1e-6)


def test_sinks_are_read(tmp_path: Path) -> None:
    values = ragged().to_dict()
    half = np.full((2, 3), 0.5, "<f4")
    weights = np.full((2, 3, 3), 1 / 6, "<f4")
    values["encoder_self"] = [packed(weights)]
    values["sink"] = {"encoder_self": [packed(half)]}
    path = tmp_path / "x.npz"
    AttentionTrace.from_dict(values).save(path)
    assert dropped(path)["encoder_self"]["sinks"] == [[0.5] * 6]


def packed(array: Any) -> dict[str, Any]:
    data = base64.b64encode(array.tobytes()).decode()
    return {"shape": list(array.shape), "dtype": "float32", "data": data}


def test_an_array_that_is_named_twice_or_missing_is_refused(tmp_path: Path) -> None:
    for names in (["encoder_self.0", None, "encoder_self.0"], ["nothing"], [7]):
        path = tmp_path / "x.npz"
        ragged().save(path)
        with np.load(path) as archive:
            arrays = dict(archive)
        labels = json.loads(arrays["labels"].tobytes()) | {"encoder_self": names}
        arrays["labels"] = np.frombuffer(json.dumps(labels).encode(), np.uint8)
        np.savez(path, **arrays)
        error = dropped(path)
        assert error == {"code": "file_field", "details": {"field": "encoder_self"}}


def test_one_of_more_numbers_than_are_kept_in_float32_is_read(tmp_path: Path) -> None:
    path = tmp_path / "x.npz"
    layer = np.full((17, 1000, 1000), 0.001, np.float32)
    headlight.view([layer], [f"w{i}" for i in range(1000)]).save(path)
    assert dropped(path)["encoder_self"]["counts"] == [17]
