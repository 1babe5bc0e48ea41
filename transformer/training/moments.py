"""How attention comes to be: the same sentence pairs, traced again and again during training."""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
import torch

from ..model.towers import Model
from ..recording.hooks import record
from ..text.tokenizer import Tokenizer
from ..trace.kinds import Kind
from .data import Example, collate
from .history import History, Pair

NUM_PAIRS = 3
NUM_STEPS = 40
SHORT = range(5, 13)
"""Number of tokens of a pair that is quickly read and still shows something."""


@torch.inference_mode()
def add_moment(history: History, step: int, model: Model, examples: Sequence[Example]) -> None:
    """Adds what `model` attends to after `step` steps; its mode and gradients are untouched."""
    # Here, because it needs packages that only training has; who looks at a history does not.
    from .data import predict

    device = next(model.parameters()).device
    training = model.training
    model.eval()
    traced: list[dict[Kind, npt.NDArray[np.float16]]] = []
    for example in examples:
        src, tgt = (ids.to(device) for ids in collate([example]))
        with record(model, ("weights",)) as recording:
            predict(model, src, tgt)
        arrays = recording.arrays().items()
        traced.append({kind: weights[0].astype(np.float16) for kind, weights in arrays})
    model.train(training)
    history.weights[step] = traced


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
