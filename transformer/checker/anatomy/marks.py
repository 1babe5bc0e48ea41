"""What a mask did to the scores: which cells it marked, when, and with what number."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import cast

import torch
from torch import Tensor

from ...eyes.attention import Attention, locate
from ...eyes.graph import Node, Operand, scalar_of

STRONG = 50.0  # e^−50 leaves no weight in float32
LOST = 1e3  # below the best score of its row: no product of vectors falls so far, a mask does


@dataclass(eq=False)
class Marks:
    """Marks of one attention's mask; tensors are [n, query, key].

    Attributes:
        attention: which.
        hidden: cells that were marked as not to be seen, however well that worked.
        number: what marked cells got instead of their score, or on top of it.
        weak: the number is so small that marked cells keep weight.
        late: cells were zeroed after the softmax, and the rows not divided by their sums again.
        factor: what the scores were multiplied by between q·k and the softmax.
        by_score: the scores themselves choose some of the marked cells, as the largest k.
    """

    attention: Attention
    hidden: Tensor
    number: float
    weak: bool
    late: bool
    factor: float
    by_score: bool = False

    @property
    def name(self) -> str:
        """What to call the attention in a sentence."""
        return self.attention.place or self.attention.kind


def read_marks(attention: Attention) -> Marks:
    """Follows the scores from q·k to the softmax and on to the values."""
    reader = _Reader(attention)
    first = min(t.node.index for t in attention.graph.tables if _has(t.node, attention.cells))
    for node in attention.graph.nodes[first : attention.softmax.node.index]:
        if node.output.of_cells:
            reader.read(node)
    return reader.marks()


def _has(node: Node, cells: Tensor) -> bool:
    labels = node.output.labels
    return labels is not None and bool(torch.isin(labels, cells).any())


class _Reader:
    def __init__(self, attention: Attention) -> None:
        self.attention = attention
        shape = attention.cells.shape
        self.filled = torch.full(shape, torch.nan)
        self.added = torch.zeros(shape)
        self.factor = 1.0
        self.chosen = torch.zeros(shape, dtype=torch.bool)
        self.lowered = torch.full(shape, torch.nan)

    def read(self, node: Node) -> None:
        """One operation on the scores."""
        labels = node.output.labels
        assert labels is not None
        at, there = locate(labels, self.attention.cells)
        if not bool(there.any()):
            return
        name = node.name.rstrip("_")
        if name in IN_PLACE and node.mutates:
            self._written(_Step(node, at, there))
        elif name in RULES:
            RULES[name](self, _Step(node, at, there))

    def product(self, step: "_Step") -> None:
        """A product may scale its result and add something to it."""
        if step.node.name.startswith(("badd", "add")):
            self.factor *= float(step.node.kwargs.get("alpha", 1))
            beta = float(step.node.kwargs.get("beta", 1))
            if beta:
                self.added += beta * step.spread(step.node.args[0])

    def fill(self, step: "_Step") -> None:
        """Marked scores get a number."""
        value = scalar_of(step.node.args[2])
        marked = step.spread(step.node.args[1]).bool() & step.there
        self._choose(step.node.args[1], marked)
        self.filled[marked] = 0.0 if value is None else value

    def choose(self, step: "_Step") -> None:
        """Some scores are kept, the others are something else."""
        for chosen, operand in ((True, step.node.args[1]), (False, step.node.args[2])):
            if isinstance(operand, Operand) and operand.labels is None:
                taken = (step.spread(step.node.args[0]).bool() == chosen) & step.there
                self._choose(step.node.args[0], taken)
                self.filled[taken] = step.spread(operand)[taken].float()

    def _choose(self, mask: Operand, marked: Tensor) -> None:
        """A mask that was computed from scores is none of padding or of time."""
        graph = self.attention.graph
        if graph.before(mask) & {table.node.index for table in graph.tables}:
            self.chosen |= marked & self.filled.isnan()

    def multiply(self, step: "_Step") -> None:
        """Scores are scaled, or some become 0."""
        number = step.number
        if number is not None:
            self._scale(number)
        elif step.constants:
            zero = (step.spread(step.constants[0]) == 0) & step.there
            # Of e^score, 0 is what −∞ is of the score.
            late = step.node.index > self.attention.softmax.start
            self.filled[zero] = -torch.inf if late else 0.0

    def divide(self, step: "_Step") -> None:
        """Scores are scaled."""
        if step.number:
            self._scale(1 / step.number)

    def negate(self, step: "_Step") -> None:
        """Scores change their sign."""
        del step
        self._scale(-1.0)

    def _scale(self, factor: float) -> None:
        self.factor *= factor
        self.added, self.filled = self.added * factor, self.filled * factor

    def add(self, step: "_Step") -> None:
        """Something is added to scores."""
        if step.constants and step.constants[0].tensor.numel() > 1:
            sign = -1.0 if step.node.name.startswith("sub") else 1.0
            times = sign * float(step.node.kwargs.get("alpha", 1))
            amount = times * step.spread(step.constants[0]).float()
            self.added += amount * step.there
            low = amount * step.there
            if cast(list[float], low.unique().tolist())[1:] == [0.0]:
                self.lowered[low < 0] = low[low < 0]  # beside a bias, its steps are not two
            self.filled += torch.where(step.there, amount, 0.0)  # scores · 0 − 1e4 is a mask

    def _written(self, step: "_Step") -> None:
        before, output = step.node.operands[0], step.node.output
        if step.node.name == "copy_" and step.node.operands[-1].of_cells:
            return  # scores that are laid out anew
        if before.tensor.shape == output.tensor.shape:
            was, after = (o.value.flatten()[step.at].cpu() for o in (before, output))
            changed = (was != after) & step.there
            self.filled[changed] = after[changed].float()

    def marks(self) -> Marks:
        """What all operations together came to."""
        a = self.attention
        filled = ~self.filled.isnan()
        # A constant on a whole row changes nothing; a mask leaves its row's best cells alone.
        added = self.added.nan_to_num(nan=-torch.inf)
        tops = torch.where(filled, -torch.inf, added).amax(-1, keepdim=True)
        relative = torch.where(added == tops, 0.0, added - tops.nan_to_num(neginf=0.0))
        relative = relative.nan_to_num(nan=0.0)
        steps = set(cast(list[float], relative[~filled].tolist()))
        two_valued = len(steps) == 2
        by_adding = (relative <= -STRONG) | (two_valued & (relative < -1e-12))
        by_adding |= (added <= -1e4) & ~filled
        # What is added may be computed from tokens, and hold the mask.
        best = a.scores.amax(-1, keepdim=True).nan_to_num(neginf=0.0, posinf=0.0)
        lost = (a.scores - best <= -LOST) & ~filled & ~by_adding
        by_adding |= lost
        alone = ~self.lowered.isnan() & ~filled & ~by_adding
        by_adding |= alone
        relative = torch.where(alone, self.lowered, relative)
        hidden = (filled | by_adding) & (a.cells > 0)
        lowered = torch.where(added <= -1e4, added, relative).masked_fill(lost, -torch.inf)
        numbers = torch.where(filled, self.filled, lowered)[hidden]
        number = float(numbers.max()) if len(numbers) else -torch.inf
        weak = -STRONG < number < STRONG
        if number >= STRONG:  # a large positive number draws all the weight
            hidden = ~hidden
        late, more = self._late()
        query, key, _ = a.sources
        factor = self.factor * query.factor * key.factor
        by_score = bool((hidden & self.chosen).any())
        return Marks(a, hidden | more, number, weak, late, factor, by_score)

    def _late(self) -> tuple[bool, Tensor]:
        a = self.attention
        changed = (a.used - a.weights).abs() > 1e-6 * a.weights.abs().clamp_min(1e-3)
        zeroed = changed & ((a.used == 0) | (a.used.abs() > 1.5))
        whole = (a.used == 0).all(-1, keepdim=True)  # a row for padding may well be silenced
        zeroed &= ~whole
        if not bool(zeroed.any()):
            return False, zeroed
        rows = zeroed.any(-1)
        off = (a.row_sums - 1).abs()[rows]
        return bool((off > 1e-4).any()), zeroed


@dataclass(eq=False)
class _Step:
    """An operation on the scores, and where each cell lies in its result, if it is there."""

    node: Node
    at: Tensor
    there: Tensor

    def spread(self, operand: Operand) -> Tensor:
        """What an operand holds for each cell, in the shape of `at`."""
        return operand.value.expand(self.node.output.tensor.shape).flatten()[self.at].cpu()

    @property
    def constants(self) -> list[Operand]:
        """The operands that hold nothing of a token."""
        return [operand for operand in self.node.operands if operand.labels is None]

    @property
    def number(self) -> float | None:
        """The one number that the scores meet here."""
        others = [a for a in self.node.args if not (isinstance(a, Operand) and a.of_cells)]
        return scalar_of(others[0]) if others else None


# What each operation does to the scores, without the underscore of those that work in place.
RULES: dict[str, Callable[[_Reader, _Step], None]] = {
    **dict.fromkeys(("bmm", "mm", "baddbmm", "addmm"), _Reader.product),
    **dict.fromkeys(("add", "sub", "rsub"), _Reader.add),
    "masked_fill": _Reader.fill,
    "where": _Reader.choose,
    "mul": _Reader.multiply,
    "div": _Reader.divide,
    "neg": _Reader.negate,
}
IN_PLACE = {"index_put", "masked_scatter", "copy", "fill"}
