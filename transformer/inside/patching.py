"""What a part of the model carries: one part's output from another sentence, and the answer moves.

Activation patching: run sentence A, but put into it what one head, sublayer or position computed
while the model read sentence B.
"""

from collections.abc import Mapping
from dataclasses import dataclass

import torch

from ..ask.analysis import MACHINE, Result, analysis
from ..ask.options import Perhaps, Text, WholeNumber
from ..ask.passes import as_traced, check_step
from ..errors import HeadlightError
from ..model.towers import Tower
from ..show.maps import Figure, head_maps
from ..trace.kinds import Kind
from ..trace.packing import Weights
from ..trace.trace import AttentionTrace
from ..translator import Translator
from .patched_runs import PatchedRuns

MOST_CHARACTERS = 2_000


@dataclass(frozen=True, kw_only=True, eq=False)
class Patching(Result):
    """How far each part of B, put into A's run, moves A's answer toward B's.

    Every number is (d − d_A) / (d_B − d_A), d being ln p(A's token) − ln p(B's token) at the step:
    0 is A's own answer, 1 is B's; beyond 1, or below 0, is possible. Both decoders have read A's
    tokens, so that what differs is the source (of a decoder-only model, its text).

    Attributes:
        source, donor: the two texts.
        step: from 0.
        answer, donor_answer: labels of what A and B say there.
        steps: those at which B, having read the same, says something else: any of them can be
            asked about.
        donor_answers: labels of what it says there.
        difference, donor_difference: d_A and d_B, nats.
        src, donor_src: labels of the tokens that were read; of a decoder-only model `tgt_in`.
        tgt_in: labels of what the decoder had read, up to the step.
        heads: by kind, float32 [layer, head]: the head's output at every position.
        sublayers: by tower, float32 [layer, sublayer]: all that a sublayer adds; in the encoder
            self-attention, feed-forward, in the decoder self-attention, cross-attention (if it has
            one), feed-forward.
        positions: by tower, float32 [layer, position]: what a layer hands on at one position.

    It shows that a part is enough to carry a difference, here, between these two sentences; not
    that no other part carries it, too, nor what it means. What a later part would have put right
    is put right (backup heads).

    Source: Vig et al. 2020 (causal mediation); Meng et al. 2022, "Locating and Editing Factual
    Associations in GPT"; Wang et al. 2022, "Interpretability in the Wild" (the measure).
    """

    schema = """
    source: text
    donor: text
    step: integer
    answer: text
    donor_answer: text
    steps: integer [other_step]
    donor_answers: text [other_step]
    difference: number nats
    donor_difference: number nats
    src: text [src]
    donor_src: text [src]
    tgt_in: text [tgt_read]
    heads: float32 {kind} [layer, head] share
    sublayers: float32 {tower} [layer, sublayer] share
    positions: float32 {tower} [layer, position] share
    """

    source: str
    donor: str
    step: int
    answer: str
    donor_answer: str
    steps: tuple[int, ...]
    donor_answers: tuple[str, ...]
    difference: float
    donor_difference: float
    src: tuple[str, ...]
    donor_src: tuple[str, ...]
    tgt_in: tuple[str, ...]
    heads: Mapping[Kind, Weights]
    sublayers: Mapping[Tower, Weights]
    positions: Mapping[Tower, Weights]

    def figure(self) -> Figure:
        """A map layers × heads for each kind, on one diverging scale."""
        title = f"How far each head of “{self.donor}” moves {self.answer} to {self.donor_answer}"
        return head_maps(dict(self.heads), title, "share of the way")


@analysis(
    needs=("steps", "states"),
    cost="heads + 2 * layers + layers * longest",
    by=MACHINE,
    donor=Text(MOST_CHARACTERS),
    step=Perhaps(WholeNumber()),
)
def patching(
    translator: Translator, trace: AttentionTrace, donor: str, step: int | None = None
) -> Patching:
    """Puts every head, sublayer and position of another sentence into a trace's run, in turn.

    Args:
        translator: whose model made the trace.
        trace: A; whatever was changed in it stays changed, in B too.
        donor: B, as many tokens long: `swaps` offers some.
        step: from 0; by default the first at which B, having read the same, says something else.
    Raises:
        HeadlightError: B has another length, says the same everywhere, or there is no such step.
    """
    if step is not None:
        check_step(trace, step)
    runs = PatchedRuns(translator, trace, donor)
    others = runs.answers()
    at = next(iter(others), None) if step is None else step
    if at is None or at not in others:
        raise HeadlightError(
            "same_answer", "Of both sentences the model says the same there: choose others."
        )
    label = translator.tgt_tokenizer.piece
    with torch.inference_mode(), as_traced(translator, trace):
        maps = runs.maps(at, (trace.tgt_ids[at], others[at]))
    return Patching(
        source=trace.source,
        donor=donor,
        step=at,
        answer=label(trace.tgt_ids[at]),
        donor_answer=label(others[at]),
        steps=tuple(others),
        donor_answers=tuple(map(label, others.values())),
        src=trace.src or trace.tgt_in[: runs.given + 1],
        donor_src=runs.labels,
        tgt_in=trace.tgt_in[: at + 1],
        **maps,
    )
