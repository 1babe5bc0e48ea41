"""How attention came to be: the same sentence pairs, traced again and again during training.

    history.npz    "STEP/PAIR/KIND": float16 [layer, head, query, key]; "meta": JSON, UTF-8

The meta data is `{"steps": [...], "pairs": [{"source", "target", "src", "tgt_in", "tgt_out"}]}`,
the last three labels of tokens. Row t reads `tgt_in[t]` and predicts `tgt_out[t]`.
"""

import io
import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypedDict
from zipfile import BadZipFile

import numpy as np
import numpy.typing as npt
import torch

from ..inside.observed import Observed
from ..model.towers import Model
from ..recording.hooks import record
from ..recording.kinds import KINDS, Kind
from ..text.tokenizer import Tokenizer
from .data import Example, collate
from .files import write_whole

FILE = "history.npz"
NUM_PAIRS = 3
NUM_STEPS = 24
SHORT = range(5, 13)
"""Number of tokens of a pair that is quickly read and still shows something."""


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

    @torch.inference_mode()
    def trace(self, step: int, model: Model, examples: Sequence[Example]) -> None:
        """Adds what `model` attends to after `step` steps; its mode and gradients are untouched."""
        # Here, because it needs packages that only training has; who looks at a history does not.
        from .evaluate import predict

        device = next(model.parameters()).device
        training = model.training
        model.eval()
        traced: list[dict[Kind, npt.NDArray[np.float16]]] = []
        for example in examples:
            src, tgt = (ids.to(device) for ids in collate([example]))
            with record(model, ("weights",)) as recording:
                predict(model, src, tgt)
            layers = recording.weights
            traced.append(
                {
                    kind: torch.stack([layer[0] for layer in layers[kind]]).half().cpu().numpy()
                    for kind in KINDS
                    if kind in layers
                }
            )
        model.train(training)
        self.weights[step] = traced

    def forget_after(self, step: int) -> None:
        """Drops what lies beyond the step at which a run resumes."""
        self.weights = {at: traced for at, traced in self.weights.items() if at <= step}

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
        """Reads what `save` wrote; nothing is unpickled.

        Raises:
            ValueError: the file is no history.
        """
        try:
            with np.load(path, allow_pickle=False) as arrays:
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
        except (OSError, EOFError, BadZipFile, KeyError, TypeError, ValueError) as error:
            raise ValueError(f"{path} is no training history: {error}") from error
        return cls(pairs, weights)


def choose_pairs(examples: Sequence[Example]) -> list[Example]:
    """The first few short pairs, or simply the first few; of different sources, if it has any."""

    def long(example: Example) -> bool:
        return any(len(side) not in SHORT for side in (example.src, example.tgt[1:]) if side)

    # A source stands in a corpus once for each of its translations.
    distinct = {e.text.source or e.text.target: e for e in reversed(examples)}
    first_ones = list(reversed(distinct.values()))
    return sorted(first_ones, key=long)[:NUM_PAIRS]


def describe(
    example: Example, tokenizer: Tokenizer, tgt_tokenizer: Tokenizer | None = None
) -> Pair:
    """A pair with the labels of its tokens."""
    tgt = (tgt_tokenizer or tokenizer).pieces(example.tgt)
    return Pair(
        source=example.text.source,
        target=example.text.target,
        src=tokenizer.pieces(example.src),
        tgt_in=tgt[:-1],
        tgt_out=tgt[1:],
    )


def log_spaced(steps: int) -> list[int]:
    """0, 1, … `steps`: about `NUM_STEPS` numbers, each the same multiple of the one before."""
    return [0, *sorted({round(n) for n in np.geomspace(1, steps, NUM_STEPS - 1).tolist()})]
