"""What each head does, in numbers: how sharp it is, how far it looks, and on what it rests."""

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ..ask.analysis import Result
from ..show.maps import Figure, head_maps
from ..trace.attended import Attended
from ..trace.changes import causal_mask_of
from ..trace.head_statistics import MEASURES, KindStatistics, Measure, Tally
from ..trace.kinds import KINDS, ByKind, Kind, key_tokens
from ..trace.roles import Cells, Role, role_cells
from .source_links import aligned_cells

Array = npt.NDArray[np.float64]

__all__ = ["MEASURES", "KindStatistics", "Measure", "Statistics", "statistics", "statistics_over"]


@dataclass(frozen=True, kw_only=True, eq=False)
class Statistics(ByKind[KindStatistics], Result):
    """What each head does, over one sentence or many.

    Attributes:
        sentences: how many were measured.
        encoder_self, decoder_self, cross: of each kind's heads; None if the model has none.
    """

    schema = """
    encoder_self: KindStatistics?
    decoder_self: KindStatistics?
    cross: KindStatistics?
    sentences: integer
    """

    sentences: int

    def figure(self, measure: Measure | Role = "sharpness") -> Figure:
        """A map layers × heads of one measure, a panel for each kind that has it."""
        maps: dict[Kind, Array] = {
            kind: heads[measure]
            for kind, of_kind in self.present()
            if measure in (heads := of_kind.measured())
        }
        unit = {"entropy": "nats", "offset": "tokens"}.get(measure, "")
        return head_maps(maps, measure, unit)


def statistics(trace: Attended) -> Statistics:
    """What each head does in one trace."""
    return statistics_over([trace])


def statistics_over(observed: Iterable[Attended]) -> Statistics:
    """What each head does over many sentences: every row of theirs counts alike."""
    tallies: dict[Kind, Tally] = {}
    sentences = 0
    for one in observed:
        sentences += 1
        for kind in KINDS:
            weights = one.weights(kind)
            if weights is not None:
                keys = key_tokens(one, kind)
                causal = causal_mask_of(getattr(one, "interventions", ()))
                cells: dict[Role, Cells] = {**role_cells(kind, weights.shape[2], keys, causal)}
                if kind == "cross":
                    cells |= aligned_cells(one.src, one.tgt_out, getattr(one, "glosses", None))
                tallies.setdefault(kind, Tally(kind)).add(weights, keys, causal, cells)
    return Statistics(
        sentences=sentences,
        **{kind: tallies[kind].means() if kind in tallies else None for kind in KINDS},
    )
