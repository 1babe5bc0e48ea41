"""Two traces side by side: before and after, two sentences, two models, two training steps."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher

import numpy as np

from ..ask.analysis import Result
from ..show.maps import Figure, token_map
from ..trace.attended import Attended
from ..trace.head_names import head_name
from ..trace.kinds import TITLES, ByKind, Kind
from ..trace.packing import Weights, read_only
from ..trace.trace import AttentionTrace

Match = tuple[int, int]


@dataclass(frozen=True, kw_only=True, eq=False)
class Comparison(ByKind[Weights], Result):
    """What two traces have in common, and how they differ there.

    Attributes:
        trace, other: what was compared.
        src: pairs (position in `trace.src`, in `other.src`) of tokens that both have, in order.
        read: the same of `tgt_in`.
        emitted: the same of `tgt_out`.
        log_probability: float32 [emitted], nats: log p of each of these tokens in `other` − in
            `trace`, each after its own prefix; NaN where a trace kept no candidates.
        encoder_self, decoder_self, cross: float32 [layer, head, query, key], `other` − `trace`,
            over the tokens that both have: rows × columns are `src` × `src`, `emitted` × `read` and
            `emitted` × `src`. None where a model has no such heads, or another number of them.
    """

    trace: Attended
    other: Attended
    src: tuple[Match, ...]
    read: tuple[Match, ...]
    emitted: tuple[Match, ...]
    log_probability: Weights

    @property
    def same_translation(self) -> bool:
        """Whether both emitted the same tokens."""
        return self.trace.tgt_out == self.other.tgt_out

    def figure(self, kind: Kind, layer: int, head: int) -> Figure:
        """The difference of one head's matrices, diverging; layer and head count from 0.

        Raises:
            ValueError: the two do not have the same heads of this kind.
            IndexError: there is no such layer or head.
        """
        differences, trace = self.of(kind), self.trace
        if differences is None:
            raise ValueError(f"the two do not have the same heads of {kind}")
        src = [trace.src[i] for i, _ in self.src]
        rows = [f"{trace.tgt_in[i]} → {trace.tgt_out[i]}" for i, _ in self.emitted]
        columns = [trace.tgt_in[i] for i, _ in self.read] if kind == "decoder_self" else src
        title = f"{TITLES[kind]} {head_name(layer, head)}: second − first"
        labels = src if kind == "encoder_self" else rows
        axes = ("attends to", "token" if kind == "encoder_self" else "reads → predicts")
        return token_map(differences[layer, head], labels, columns, title, "weight", axes)


def compare(trace: Attended, other: Attended) -> Comparison:
    """Matches the tokens of two traces, as `diff` matches lines, and subtracts what matches.

    Args:
        trace: or a moment of a training's history (`History.moment`).
        other: what is set beside it.
    """
    src, read = _matches(trace.src, other.src), _matches(trace.tgt_in, other.tgt_in)
    emitted = _matches(trace.tgt_out, other.tgt_out)
    logs = [_emitted(other, j) - _emitted(trace, i) for i, j in emitted]

    def difference(kind: Kind, rows: Sequence[Match], columns: Sequence[Match]) -> Weights | None:
        one, two = trace.weights(kind), other.weights(kind)
        if one is None or two is None or one.shape[:2] != two.shape[:2]:
            return None
        mine, theirs = (
            weights[:, :, [match[side] for match in rows]][..., [match[side] for match in columns]]
            for side, weights in enumerate((one, two))
        )
        return read_only(theirs - mine)

    return Comparison(
        trace=trace,
        other=other,
        src=src,
        read=read,
        emitted=emitted,
        log_probability=read_only(np.array(logs)),
        encoder_self=difference("encoder_self", src, src),
        decoder_self=difference("decoder_self", emitted, read),
        cross=difference("cross", emitted, src),
    )


def _matches(one: Sequence[str], other: Sequence[str]) -> tuple[Match, ...]:
    blocks = SequenceMatcher(None, one, other, autojunk=False).get_matching_blocks()
    return tuple((b.a + offset, b.b + offset) for b in blocks for offset in range(b.size))


def _emitted(trace: Attended, step: int) -> float:
    """Log p of what was emitted at a step; NaN if no candidates were kept."""
    if not isinstance(trace, AttentionTrace):
        return math.nan
    token = trace.tgt_ids[step]
    shares = (c.probability for c in trace.candidates[step] if c.id == token)
    probability = next(shares, math.nan)
    return math.log(probability) if probability else -math.inf
