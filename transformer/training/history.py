"""What a training left to see: the same sentence pairs traced again and again, and its curve.

    history.npz    "STEP/PAIR/KIND": float16 [layer, head, query, key]; "meta": JSON, UTF-8
    curve.csv      one row a measurement: "step", and of "train_loss", "dev_loss" (nats a token),
                   "bleu" and "chrf" what was measured; an empty cell where it was not

The meta data is `{"steps": [...], "pairs": [{"source", "target", "src", "tgt_in", "tgt_out"}]}`,
the last three labels of tokens. Row t reads `tgt_in[t]` and predicts `tgt_out[t]`.
"""

import csv
import io
import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypedDict

import numpy as np
import numpy.typing as npt

from ..checkpoint.arrays import read_arrays
from ..checkpoint.whole import write_whole
from ..errors import DAMAGED
from ..trace.attended import Observed
from ..trace.kinds import KINDS, Kind
from ..trace.packing import pack

FILE = "history.npz"
CURVE = "curve.csv"
MEASURES = ("train_loss", "dev_loss", "bleu", "chrf")
LEVELS = 255
"""A weight travels as a byte: 1 is 255. It is drawn in 256 colours anyway."""


class Pair(TypedDict):
    """A sentence pair and the labels of its tokens."""

    source: str
    target: str
    src: list[str]
    tgt_in: list[str]
    tgt_out: list[str]


@dataclass
class History:
    """Teacher-forced attention of a few fixed pairs at growing numbers of steps.

    Attributes:
        pairs: what was traced.
        weights: at each step, in order, for each pair, by kind: float16 [layer, head, query, key].
    """

    pairs: list[Pair]
    weights: dict[int, list[dict[Kind, npt.NDArray[np.float16]]]] = field(
        default_factory=dict[int, list[dict[Kind, npt.NDArray[np.float16]]]]
    )

    @property
    def steps(self) -> list[int]:
        """The steps at which the pairs were traced, rising; 0 is before any training."""
        return sorted(self.weights)

    def moment(self, step: int, pair: int = 0) -> Observed:
        """One pair as it was read after `step` steps: what `inside.compare` sets side by side.

        Raises:
            ValueError: the history has no such step or pair.
        """
        if step not in self.weights or not 0 <= pair < len(self.pairs):
            raise ValueError(
                f"there is no step {step}, pair {pair}: the steps are "
                f"{', '.join(map(str, self.steps))}, and pairs count from 0 to "
                f"{len(self.pairs) - 1}"
            )
        labels = self.pairs[pair]
        return Observed(
            tuple(labels["src"]),
            tuple(labels["tgt_in"]),
            tuple(labels["tgt_out"]),
            {k: of_kind.astype(np.float32) for k, of_kind in self.weights[step][pair].items()},
        )

    def payload(self, pair: int) -> dict[str, Any]:
        """JSON values: the moments and, of one pair, weights [moment, layer, head, query, key].

        Raises:
            IndexError: there is no such pair.
        """
        moments = [self.weights[step][pair] for step in self.steps]
        stacked = {kind: np.stack([moment[kind] for moment in moments]) for kind in moments[0]}
        weights = {
            kind: pack(np.rint(of_kind.astype(np.float32) * LEVELS), "uint8")
            for kind, of_kind in stacked.items()
        }
        return {"steps": self.steps, "pairs": self.pairs, "weights": weights}

    def up_to(self, step: int) -> "History":
        """The history up to a step, that one with it."""
        return History(self.pairs, {at: it for at, it in self.weights.items() if at <= step})

    def save(self, path: Path) -> None:
        """Writes the file whole, or leaves the earlier one."""
        meta = json.dumps({"steps": self.steps, "pairs": self.pairs}, ensure_ascii=False)
        arrays: dict[str, npt.NDArray[Any]] = {
            "meta": np.frombuffer(meta.encode(), dtype=np.uint8),
            **{
                f"{step}/{pair}/{kind}": weights
                for step in self.steps
                for pair, kinds in enumerate(self.weights[step])
                for kind, weights in kinds.items()
            },
        }
        buffer = io.BytesIO()
        np.savez_compressed(buffer, allow_pickle=False, **arrays)
        write_whole(path, buffer.getvalue())

    @classmethod
    def load(cls, path: Path) -> "History":
        """Reads a file; nothing is unpickled.

        Raises:
            ValueError: the file is no history.
        """
        try:
            arrays = read_arrays(path)
            meta = json.loads(arrays["meta"].tobytes())
            pairs: list[Pair] = meta["pairs"]
            weights: dict[int, list[dict[Kind, npt.NDArray[np.float16]]]] = {
                int(step): [
                    {
                        kind: arrays[f"{step}/{pair}/{kind}"]
                        for kind in KINDS
                        if f"{step}/{pair}/{kind}" in arrays
                    }
                    for pair in range(len(pairs))
                ]
                for step in meta["steps"]
            }
        except DAMAGED as error:
            raise ValueError(f"{path} is no training history: {error}") from error
        return cls(pairs, weights)


def read_curve(path: Path) -> list[dict[str, float]]:
    """A learning curve: in each row "step" and what was measured then; [] if there is no file.

    Raises:
        ValueError: the file is no learning curve.
    """
    if not path.exists():
        return []
    try:
        with path.open(encoding="utf-8", newline="") as file:
            rows = [
                {name: float(row[name]) for name in ("step", *MEASURES) if row.get(name)}
                for row in csv.DictReader(file)
            ]
        if any("step" not in row for row in rows):
            raise ValueError("a row names no step")
    except (ValueError, csv.Error) as error:
        raise ValueError(f"{path} is no learning curve: {error}") from error
    return rows
