"""What a mask did to the scores: which cells it marked, when, and with what number."""

from dataclasses import dataclass
from typing import cast

import torch
from torch import Tensor

from .attention import Attention, locate
from .graph import MOVES, Node, Operand, scalar_of

STRONG = 50.0  # e^−50 leaves no weight in float32


@dataclass(eq=False)
class Marks:
    """All [n, query, key].

    Attributes:
        hidden: cells that were marked as not to be seen, however well that worked.
        number: what marked cells got instead of their score, or on top of it.
        weak: the number is so small that marked cells keep weight.
        late: cells were zeroed after the softmax, and the rows not divided by their sums again.
        row_sums: [n, query], of the weights that multiplied the values.
        factor: what the scores were multiplied by between q·k and the softmax.
    """

    hidden: Tensor
    number: float
    weak: bool
    late: bool
    row_sums: Tensor
    factor: float


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

    def read(self, node: Node) -> None:
        """One operation on the scores."""
        labels = node.output.labels
        assert labels is not None
        at, there = locate(labels, self.attention.cells)
        if not bool(there.any()) or node.name in MOVES - {"copy_", "index"}:
            return

        def spread(operand: Operand) -> Tensor:
            wide = operand.value.expand(labels.shape).flatten()
            return wide[at].cpu()

        constants = [o for o in node.operands if o.labels is None]
        others = [a for a in node.args if not (isinstance(a, Operand) and a.of_cells)]
        name = node.name.rstrip("_")
        if name in {"bmm", "mm", "baddbmm", "addmm"}:
            if name in {"baddbmm", "addmm"}:
                self.factor *= float(node.kwargs.get("alpha", 1))
                beta = float(node.kwargs.get("beta", 1))
                if beta:
                    self.added += beta * spread(node.args[0])
        elif name == "masked_fill":
            value = scalar_of(node.args[2])
            marked = spread(node.args[1]) & there
            self.filled[marked] = 0.0 if value is None else value
        elif name == "where" and len(node.operands) == 3:
            for index, operand in ((1, node.args[1]), (2, node.args[2])):
                if operand.labels is None:
                    taken = spread(node.args[0]).bool() == (index == 1)
                    self.filled[taken & there] = spread(operand)[taken & there].float()
        elif name in {"mul", "div"}:
            number = scalar_of(others[0]) if others else None
            if number is not None:
                factor = number if name == "mul" else 1 / number if number else 1.0
                self.factor *= factor
                self.added, self.filled = self.added * factor, self.filled * factor
            elif constants and name == "mul":
                zero = (spread(constants[0]) == 0) & there
                # Of e^score, 0 is what −∞ is of the score.
                late = node.index > self.attention.softmax.start
                self.filled[zero] = -torch.inf if late else 0.0
        elif name in {"add", "sub", "rsub"}:
            if constants and constants[0].tensor.numel() > 1:
                sign = (-1.0 if name == "sub" else 1.0) * float(node.kwargs.get("alpha", 1))
                self.added += sign * spread(constants[0]).float() * there
        elif name == "neg":
            self.factor, self.added, self.filled = -self.factor, -self.added, -self.filled
        elif node.mutates and name in {"index_put", "masked_scatter", "copy", "fill"}:
            self._compare(node, at, there)

    def _compare(self, node: Node, at: Tensor, there: Tensor) -> None:
        before = node.operands[0]
        after = node.output.value.flatten()[at].cpu()
        if before.tensor.shape == node.output.tensor.shape:
            changed = (before.value.flatten()[at].cpu() != after) & there
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
        hidden = (filled | by_adding) & (a.cells > 0)
        lowered = torch.where(added <= -1e4, added, relative)
        numbers = torch.where(filled, self.filled, lowered)[hidden]
        number = float(numbers.max()) if len(numbers) else -torch.inf
        weak = -STRONG < number < STRONG
        if number >= STRONG:  # a large positive number draws all the weight
            hidden = ~hidden
        late, more = self._late()
        return Marks(
            hidden | more, number, weak, late, a.used.sum(-1), self.factor * self._sources()
        )

    def _late(self) -> tuple[bool, Tensor]:
        a = self.attention
        sums = a.used.sum(-1)
        changed = (a.used - a.weights).abs() > 1e-6 * a.weights.abs().clamp_min(1e-3)
        zeroed = changed & ((a.used == 0) | (a.used.abs() > 1.5))
        whole = (a.used == 0).all(-1, keepdim=True)  # a row for padding may well be silenced
        zeroed &= ~whole
        if not bool(zeroed.any()):
            return False, zeroed
        rows = zeroed.any(-1)
        off = (sums - 1).abs()[rows]
        return bool((off > 1e-4).any()), zeroed

    def _sources(self) -> float:
        query, key, _ = self.attention.sources
        return query.factor * key.factor
