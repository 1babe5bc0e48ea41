"""What a checkpoint ships about its heads: their statistics and mean outputs over its dev set."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np

from ..ask.analysis import SAME_FOR_ALL, Result, analysis
from ..ask.observed import Ids, observe
from ..checkpoint.measured_heads import MeasuredHeads, write_heads
from ..errors import HeadlightError
from ..recording.means import mean_outputs
from ..trace.kinds import KINDS, Kind
from ..trace.roles import ROLES
from ..translator import Translator
from .statistics import MEASURES, KindStatistics, Statistics, statistics_over

MEANS = 1_000
"""Sentences, from all over a corpus or its first, that mean outputs are taken over."""

Pairs = Callable[[], Iterable[tuple[Ids, Ids]]]
"""A corpus that can be read more than once."""


def ship(translator: Translator, folder: Path, pairs: Pairs) -> Statistics:
    """Measures every head over a corpus, and writes what was found beside the weights.

    Args:
        translator: loaded from `folder`.
        folder: of a checkpoint.
        pairs: the corpus, as `observe` reads it.
    Raises:
        HeadlightError: the corpus is empty.
    """
    measured = statistics_over(observe(translator, pairs()))
    if not measured.sentences:
        raise HeadlightError("no_data", f"there is no sentence that {translator.name} can read")
    means = mean_outputs(translator.model, islice(pairs(), MEANS))
    arrays: dict[str, Any] = {f"{k}.mean_output": m.cpu().numpy() for k, m in means.items()}
    kinds: dict[Kind, Any] = {}
    for kind, of_kind in measured.present():
        kinds[kind] = {"rows": of_kind.rows, "by_chance": of_kind.by_chance}
        for name, numbers in of_kind.measured().items():
            arrays[f"{kind}.{name}"] = numbers.astype(np.float32)
    labels = {"sentences": measured.sentences, "kinds": kinds}
    write_heads(folder, translator.checkpoint, MeasuredHeads(arrays, labels))
    return measured


@dataclass(frozen=True, kw_only=True, eq=False)
class Heads(Result):
    """What each head does, beyond the trace, whose own statistics need no server.

    Attributes:
        corpus: over the dev set, if the checkpoint brings that along.
    """

    schema = """
    corpus: Statistics?
    """

    corpus: Statistics | None


@analysis(
    by=SAME_FOR_ALL,
    ours_alone="what heads do over a corpus is stored with our own checkpoints alone",
)
def heads(translator: Translator) -> Heads:
    """What each head does over the model's dev set."""
    return Heads(corpus=shipped_statistics(translator))


def shipped_statistics(translator: Translator) -> Statistics | None:
    """What `ship` measured; None if the checkpoint came without it."""
    measured = translator.measured_heads
    if measured is None:
        return None
    statistics: dict[Kind, KindStatistics] = {}
    for kind, labels in measured.labels["kinds"].items():
        numbers = {
            name: measured.arrays[f"{kind}.{name}"].astype(np.float64)
            for name in (*MEASURES, *ROLES)
            if f"{kind}.{name}" in measured.arrays
        }
        statistics[kind] = KindStatistics(
            **{name: numbers.pop(name) for name in MEASURES},
            shares={role: numbers[role] for role in ROLES if role in numbers},
            by_chance=labels["by_chance"],
            rows=labels["rows"],
        )
    return Statistics(
        sentences=measured.labels["sentences"], **{kind: statistics.get(kind) for kind in KINDS}
    )
