"""What each head of one kind does, in numbers, added up row by row over any number of sentences."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple, get_args

import numpy as np
import numpy.typing as npt

from .kinds import CausalMask, Kind, masked
from .packing import finite
from .result import Result
from .roles import CLEAR, FEWEST, Cells, Role, distances
from .words import EOS

Array = npt.NDArray[np.float64]
Measure = Literal["sharpness", "confidence", "entropy", "offset"]
MEASURES: tuple[Measure, ...] = get_args(Measure)

MOST_AT_ONCE = 500_000
"""Weights whose measures are taken at once, as far as there are no more in one head: a processor's
cache holds about as many."""

MOST_EXACT = 100_000
"""Weights that are measured in float64, at most, of these."""


@dataclass(frozen=True, kw_only=True, eq=False)
class KindStatistics(Result):
    """Means over rows, of all heads of one kind; a row that may see a single key says nothing.

    Attributes:
        sharpness: float64 [layer, head]: mean of each row's largest weight, 0 to 1.
        confidence: the same, the weight on `</s>` left out (Voita et al. 2019, section 4).
        entropy: float64 [layer, head], nats: −Σ α log α; 0 looks at one token.
        offset: float64 [layer, head], tokens: Σ α (key − query); −1 looks one token back. Between a
            target and its source, position counts against position.
        shares: for each role that this kind can have, float64 [layer, head]: mean weight on the
            tokens of the role, over the rows that have one; see `roles.role_cells`. NaN if no row
            has, or fewer than `roles.FEWEST` asks for.
        by_chance: the same of a head that attends to all it may equally: for "sharpness",
            "confidence", "entropy", "offset" and each role.
        rows: how many there were.
    """

    schema = """
    measures: number_or_null {measure} [layer, head]
    by_chance: number_or_null {measure}
    roles: text_or_null [layer, head]
    rows: integer
    """

    sharpness: Array
    confidence: Array
    entropy: Array
    offset: Array
    shares: Mapping[Role, Array]
    by_chance: Mapping[Measure | Role, float]
    rows: int

    def measured(self) -> dict[Measure | Role, Array]:
        """The measures and shares by name, each [layer, head]."""
        return {**{name: getattr(self, name) for name in MEASURES}, **self.shares}

    def payload(self) -> dict[str, Any]:
        """JSON values: every measure a list of layers, each a list of heads, null for NaN."""
        layers, heads = self.sharpness.shape
        return {
            "measures": {name: finite(numbers) for name, numbers in self.measured().items()},
            "by_chance": self._json(self.by_chance),
            "roles": [[self.role(layer, head) for head in range(heads)] for layer in range(layers)],
            "rows": self.rows,
        }

    def role(self, layer: int, head: int) -> Role | None:
        """What a head's attention exceeds chance at most; None if by less than `CLEAR`.

        Args:
            layer: from 0.
            head: from 0.
        """
        clearest: Role | None = None
        highest = CLEAR
        for role in self.shares:
            if (lift := float(self.lift(role)[layer, head])) >= highest:
                clearest, highest = role, lift
        return clearest

    def lift(self, role: Role) -> Array:
        """By how much the share on a role exceeds chance, [layer, head]."""
        return self.shares[role] - self.by_chance[role]


@dataclass
class _Sum:
    """A sum over rows for each head, the same for a uniform head, and the number of rows."""

    heads: Array | float = 0.0
    uniform: float = 0.0
    rows: int = 0

    def add(self, heads: Array, uniform: Array) -> None:
        """Values of rows, [layer, head, row] and [row]."""
        self.heads = self.heads + heads.sum(-1)
        self.uniform += float(uniform.sum())
        self.rows += len(uniform)

    def means(self, fewest: int = 1) -> tuple[Array, float]:
        """[layer, head], and of a uniform head; NaN if there were fewer rows."""
        rows = self.rows if self.rows >= fewest else np.nan
        return np.asarray(self.heads) / rows, self.uniform / rows


@dataclass
class Tally:
    """Sums over sentences, so that a corpus of any length takes no more memory than one."""

    kind: Kind
    measures: dict[Measure, _Sum] = field(default_factory=dict[Measure, _Sum])
    shares: dict[Role, _Sum] = field(default_factory=dict[Role, _Sum])

    def add(
        self,
        weights: npt.NDArray[np.float32],
        keys: tuple[str, ...],
        causal: CausalMask,
        of_roles: Mapping[Role, Cells],
        may: Cells | None = None,
    ) -> None:
        """Adds one sentence: weights [layer, head, query, key], and the cells of each role.

        `may` is what rows may attend to, where it is not what `causal` leaves.
        """
        num_queries, num_keys = weights.shape[2:]
        if may is None:
            may = ~masked(self.kind, num_queries, num_keys, causal)
        choice = may.sum(-1) > 1
        seen = may[choice]
        uniform = seen / seen.sum(-1, keepdims=True)
        real = np.array([key != EOS for key in keys])
        distance = distances(num_queries, num_keys)[choice].astype(np.float64)
        chance: dict[Measure, Array] = {
            "sharpness": uniform.max(-1),
            "confidence": (uniform * real).max(-1),
            "entropy": np.log(seen.sum(-1)),
            "offset": (uniform * distance).sum(-1),
        }
        cells: dict[Role, Cells] = {
            role: everywhere[choice] for role, everywhere in of_roles.items()
        }
        places: dict[Role, _Places] = {role: _Places.of(own) for role, own in cells.items()}
        every = weights.reshape(-1, num_queries, num_keys)
        at_once = max(1, MOST_AT_ONCE // max(1, num_queries * num_keys))
        heads = [
            _measured(every[start : start + at_once, choice], real, distance, places)
            for start in range(0, len(every), at_once)
        ]

        def joined(name: Measure | Role) -> Array:
            return np.concatenate([it[name] for it in heads]).reshape(*weights.shape[:2], -1)

        for name in MEASURES:
            self.measures.setdefault(name, _Sum()).add(joined(name), chance[name])
        for role, own in cells.items():
            by_chance = (uniform * own).sum(-1)[places[role].there]
            self.shares.setdefault(role, _Sum()).add(joined(role), by_chance)

    def means(self) -> KindStatistics:
        """The statistics of all that was added."""
        by_chance: dict[Measure | Role, float] = {}
        measures: dict[Measure, Array] = {}
        shares: dict[Role, Array] = {}
        for name, total in self.measures.items():
            measures[name], by_chance[name] = total.means()
        for role, total in self.shares.items():
            shares[role], by_chance[role] = total.means(FEWEST.get(role, 1))
        return KindStatistics(
            **measures,
            shares=shares,
            by_chance=by_chance,
            rows=self.measures["sharpness"].rows,
        )


class _Places(NamedTuple):
    """Cells, row by row, which rows have any, and where each of these starts."""

    rows: npt.NDArray[np.int64]
    keys: npt.NDArray[np.int64]
    there: npt.NDArray[np.int64]
    starts: npt.NDArray[np.int64]

    @classmethod
    def of(cls, cells: Cells) -> "_Places":
        rows, keys = cells.nonzero()
        return cls(rows, keys, *np.unique(rows, return_index=True))

    def sums(self, weights: npt.NDArray[Any]) -> npt.NDArray[Any]:
        """What each row that has such cells gives them, [head, row]."""
        if not len(self.rows):
            return np.zeros((len(weights), 0))
        return np.add.reduceat(weights[:, self.rows, self.keys], self.starts, -1)


def _measured(
    weights: npt.NDArray[np.float32], real: Cells, distance: Array, places: Mapping[Role, _Places]
) -> dict[Measure | Role, Array]:
    """What each row of each head measures, [head, row], of weights [head, row, key]."""
    # Of a large trace, float32 is exact enough, and takes half the time.
    chosen: npt.NDArray[Any] = weights if weights.size > MOST_EXACT else weights.astype(np.float64)
    surprise = np.log(np.maximum(chosen, np.finfo(chosen.dtype).tiny))  # 0 times as much is still 0
    surprise *= chosen
    sharpness = chosen.max(-1)
    rows: dict[Measure | Role, npt.NDArray[Any]] = {
        "sharpness": sharpness,
        "confidence": sharpness if real.all() else (chosen * real).max(-1),
        "entropy": -surprise.sum(-1),
        "offset": np.einsum("hqk,qk->hq", chosen, distance.astype(chosen.dtype)),
    }
    rows |= {role: of.sums(chosen) for role, of in places.items()}
    return {name: it.astype(np.float64) for name, it in rows.items()}
