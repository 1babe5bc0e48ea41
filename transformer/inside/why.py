"""Why this word and not that one: what each word of the source says for one against the other."""

from dataclasses import dataclass
from typing import Any, Literal, TypedDict

import numpy as np

from ..ask.agreement import by_word
from ..ask.analysis import Result, analysis
from ..ask.options import WholeNumber
from ..ask.passes import check_step
from ..errors import HeadlightError
from ..show.maps import Figure, token_map
from ..trace.packing import Weights, pack, read_only
from ..trace.trace import AttentionTrace
from ..translator import Translator
from .contrast import direct, without_values
from .leave_one_out import leave_one_out


class Reading(TypedDict):
    """A row of `Why.deltas` as it travels; of value zeroing there is one a layer."""

    name: Literal["leave_one_out", "value_zeroing", "direct"]
    layer: int | None


@dataclass(frozen=True, kw_only=True, eq=False)
class Why(Result):
    """What speaks for the token that was emitted, and what for another one.

    Attributes:
        step: from 0.
        emitted, other: labels of the two tokens.
        words: what could be left out, as in `LeaveOneOut`.
        deltas: float32 [word], nats: log p(emitted) − log p(other) without the word − with it.
            Negative: the word spoke for the emitted token; positive: for the other one. NaN for a
            word that a decoder-only model had not read.
        value_zeroing: float32 [layer, word], nats: the same difference with the word's values 0 in
            one layer's cross-attention (of a decoder-only model, self-attention) − with them. Sound
            because it is an intervention: whatever follows is computed anew.
        direct: float32 [layer, word], nats: minus what the values that the heads bring from the
            word add to the difference straight to the output; `value_norms` has their lengths.
            Sound because log p − log p is linear in the last state; what later sublayers make of
            them is left out, so it is a part of the whole.

    Attention, alignment and ALTI+ have no such difference: they say how the last state came about,
    before any token is chosen, and are the same for every candidate.

    Source: contrastive explanation, Yin and Neubig 2022, "Interpreting Language Models with
    Contrastive Explanations", by erasure.
    """

    schema = """
    emitted: text
    other: text
    words: text [word]
    readings: Reading [reading]
    deltas: float32 [reading, word] nats
    """

    step: int
    emitted: str
    other: str
    words: tuple[str, ...]
    deltas: Weights
    value_zeroing: Weights
    direct: Weights

    def payload(self) -> dict[str, Any]:
        """The answer as JSON values: by "readings", the rows of "deltas" [reading, word]."""
        layers = range(len(self.value_zeroing))
        deltas = np.vstack((self.deltas, self.value_zeroing, self.direct.sum(0)))
        return {
            "emitted": self.emitted,
            "other": self.other,
            "words": self.words,
            "readings": [
                {"name": "leave_one_out", "layer": None},
                *({"name": "value_zeroing", "layer": layer} for layer in layers),
                {"name": "direct", "layer": None},
            ],
            "deltas": pack(deltas, self.packed_as),
        }

    def figure(self) -> Figure:
        """A row for each reading, on a diverging scale."""
        layers = range(1, len(self.value_zeroing) + 1)
        rows = ["the word", *(f"its values, layer {layer}" for layer in layers), "direct"]
        numbers = np.vstack((self.deltas, self.value_zeroing, self.direct.sum(0)))
        title = f"{self.emitted}, not {self.other}: Δ of the difference of log-probabilities"
        return token_map(numbers, rows, self.words, title, "nats", ("source", "without"))


@analysis(
    needs=("steps",),
    cost="read + decoder_layers * read",
    step=WholeNumber(),
    token=WholeNumber(),
    ours_alone="which words a choice rests on is asked of our own models; leave_one_out and "
    "gradients with token= say as much of this one",
)
def why(translator: Translator, trace: AttentionTrace, step: int, token: int) -> Why:
    """Leaves each word out and looks at the difference of two candidates' log-probabilities.

    Args:
        translator: whose model made the trace.
        trace: whatever was changed in it stays changed.
        step: from 0.
        token: id of the candidate that was not chosen.
    Raises:
        HeadlightError: there is no such step or token, or the model never emits it.
    """
    check_step(trace, step)
    if token in translator.config.banned_ids:
        label = translator.tgt_tokenizer.piece(token)
        raise HeadlightError("bad_prefix", f"{translator.name} never emits {label}")
    chosen = leave_one_out(translator, trace)
    other = leave_one_out(translator, trace, instead={step: token})
    pair = (trace.tgt_ids[step], token)
    unread = np.isnan(chosen.deltas[step])
    zeroed = without_values(translator, trace, chosen.pieces, step, pair)
    straight = -by_word(direct(translator, trace, step, pair).sum(1), chosen.pieces)
    return Why(
        step=step,
        emitted=trace.tgt_out[step],
        other=translator.tgt_tokenizer.piece(token),
        words=chosen.words,
        deltas=read_only(chosen.deltas[step] - other.deltas[step]),
        value_zeroing=read_only(np.where(unread, np.nan, zeroed)),
        direct=read_only(np.where(unread, np.nan, straight)),
    )
