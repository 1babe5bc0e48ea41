"""The run of a correction, moment by moment."""

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any

import numpy as np
import numpy.typing as npt

from ..ask.analysis import Result
from ..show.maps import Figure, token_map
from ..trace.kinds import Kind
from ..trace.packing import Weights
from ..training.history import History
from ..translator import Translator
from .change import Change
from .correction import Correction


@dataclass(frozen=True, kw_only=True, eq=False)
class Taught(Result):
    """The run of a correction. Moment 0 is before the first step, moment k after k of them.

    Attributes:
        translator: that has learnt: the one from before and the change, to the bit; itself, where
            all was undone.
        change: what it has learnt; nothing, where all was undone.
        correction: what it was taught.
        src, tgt_in, tgt_out: labels of what training reads: row t reads `tgt_in[t]`, and its label
            is `tgt_out[t]`.
        counts: [label]: whether the loss counts it; False for what a decoder-only model was given.
        losses: float64 [moment], nats: the mean of −ln p over the labels that count.
        probabilities: float32 [moment, label]: of each label, after what stands before it.
        likeliest: [moment][label]: labels of the tokens that the model would say there.
        parts: what the gradient is measured in: "encoder.embedding", "encoder.L1.self_attention",
            …, "output".
        shared: parts whose matrix is another part's, such as {"decoder.embedding": "output"}.
        gradients: float32 [step, part]: its length (L2) over the part's parameters; step k leads
            from moment k to the next.
        head_gradients: by kind, float32 [step, layer, head]: over what is one head's own.
        outputs: [moment]: what the model makes of the correction's source, greedily, and cut where
            it goes on for more than twice the target's length; empty where nobody watched.
        learnt: the first moment at which the model says the target; None if there is none.
        undone: why all was undone, if it was: "rose", the loss was higher in the end than before;
            "not_a_number", it was none any longer, and the run ended there.
        rose: the first moment whose loss is higher than at moment 0; None if there is none.
        film: its teacher-forced attention at every moment, if somebody watched; of long sentences
            at some of them, the first and the last among these.

    Source: teacher forcing, Williams and Zipser 1989; SGD without momentum, or Adam, Kingma and Ba
    2015, as PyTorch has them; dropout is off and labels are not smoothed.
    """

    translator: Translator
    change: Change
    correction: Correction
    src: tuple[str, ...]
    tgt_in: tuple[str, ...]
    tgt_out: tuple[str, ...]
    counts: tuple[bool, ...]
    losses: npt.NDArray[np.float64]
    probabilities: Weights
    likeliest: tuple[tuple[str, ...], ...]
    parts: tuple[str, ...]
    shared: Mapping[str, str]
    gradients: Weights
    head_gradients: Mapping[Kind, Weights]
    outputs: tuple[str, ...]
    learnt: int | None
    undone: str | None
    rose: int | None
    film: History | None

    def payload(self) -> dict[str, Any]:
        """JSON values of the attributes, with "correction" {"source", "target", "optimizer",
        "steps", "rate", "how"} and "film" as `History.payload` (its "steps" are moments), or None.
        """
        correction, other = self.correction, ("translator", "change", "correction", "film")
        names = (field.name for field in fields(self) if field.name not in other)
        return {
            **{name: self._json(getattr(self, name)) for name in names},
            "checkpoint": self.translator.checkpoint,
            "correction": {**vars(correction), "how": correction.how},
            "film": self.film and self.film.payload(0),
        }

    def figure(self) -> Figure:
        """The probability of each label, over the moments."""
        rows = [f"after {moment}" for moment in range(len(self.losses))]
        title = "The probability of each label, step by step"
        axes = ("label", "steps")
        return token_map(self.probabilities, rows, self.tgt_out, title, "probability", axes)
