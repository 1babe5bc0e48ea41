"""How attention comes to be: the same sentence pairs, traced again and again during training.

What is written here, `inside.history` reads.
"""

import io
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import torch

from ..checkpoint.whole import write_whole
from ..inside.history import History, Pair
from ..model.towers import Model
from ..recording.hooks import record
from ..recording.kinds import Kind
from ..text.tokenizer import Tokenizer
from .data import Example, collate

NUM_PAIRS = 3
NUM_STEPS = 40
SHORT = range(5, 13)
"""Number of tokens of a pair that is quickly read and still shows something."""


class GrowingHistory(History):
    """A history that is being made."""

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
            found = recording.arrays().items()
            traced.append({kind: weights[0].astype(np.float16) for kind, weights in found})
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
