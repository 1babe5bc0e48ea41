"""Induction: how much each decoder head looks at the token after an earlier copy of its own."""

from dataclasses import dataclass

import numpy as np

from ..ask.analysis import MACHINE, Result, analysis
from ..show.maps import Figure, head_maps
from ..trace.changes import causal_mask_of
from ..trace.kinds import masked
from ..trace.packing import Weights, read_only
from ..trace.roles import after_a_copy
from ..trace.trace import AttentionTrace


@dataclass(frozen=True, kw_only=True, eq=False)
class Induction(Result):
    """How much each head of the decoder's self-attention looks at what came next before.

    Attributes:
        shares: float32 [layer, head], 0 to 1: attention on the tokens after earlier copies of the
            token being read, mean over the rows that have one; NaN where no row has.
        by_chance: the same of a head that attends to all tokens equally; NaN where no row has one.
        rows: how many rows have one.
        queries: how many rows there are. shares × rows ÷ queries is the score of TransformerLens'
            `detect_head(…, "induction_head", error_measure="mul")`.

    Source: Olsson et al. 2022, "In-context Learning and Induction Heads".
    """

    schema = """
    shares: float32 [layer, head] share
    by_chance: number_or_null share
    rows: integer
    queries: integer
    """

    shares: Weights
    by_chance: float
    rows: int
    queries: int

    def figure(self) -> Figure:
        """A map layers × heads."""
        return head_maps({"decoder_self": self.shares}, "Induction", "share")


@analysis(needs=("steps",), by=MACHINE)
def induction(trace: AttentionTrace) -> Induction:
    """How much each decoder head looks at the token after an earlier copy of the one being read."""
    weights, tokens = trace.decoder_self, trace.tgt_in
    cells = after_a_copy(tokens)
    may = ~masked("decoder_self", len(tokens), len(tokens), causal_mask_of(trace.interventions))
    rows = (cells & may).any(-1)
    if not rows.any():
        nothing = np.full(weights.shape[:2], np.nan, np.float32)
        return Induction(shares=nothing, by_chance=np.nan, rows=0, queries=len(tokens))
    shares = (weights * cells).sum(-1)[..., rows].mean(-1)
    uniform = (cells & may).sum(-1) / may.sum(-1)
    return Induction(
        shares=read_only(shares),
        by_chance=float(uniform[rows].mean()),
        rows=int(rows.sum()),
        queries=len(tokens),
    )
