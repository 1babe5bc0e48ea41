"""A recorded forward pass: operations, what they read, and walking from one to the next."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from functools import cached_property, partial
from typing import Any

import torch
from torch import Tensor

from .batches import distinct
from .shadow import CELLS, CONST, places

PRODUCTS = {"mm", "bmm", "addmm", "baddbmm", "_addmm_activation", "convolution", "mv", "addmv"}
NORMS = {
    *("native_layer_norm", "native_group_norm", "native_batch_norm", "_fused_rms_norm", "rms_norm"),
    "_native_batch_norm_legit_no_training",
}
RANDOM = {
    *("bernoulli_", "bernoulli", "native_dropout", "random_", "rand", "rand_like", "uniform_"),
    *("normal_", "randn", "randn_like"),
}
FRESH = {
    *("empty_like", "zeros_like", "ones_like", "full_like", "rand_like", "randn_like", "zero_"),
    *("new_empty", "new_zeros", "new_ones", "new_full", "new_empty_strided", "fill_", "normal_"),
    *("bernoulli_", "bernoulli", "random_", "uniform_"),
}
MOVES = {
    *("clone", "_to_copy", "cat", "stack", "copy_", "index_select", "gather", "repeat", "roll"),
    *("flip", "constant_pad_nd", "index", "slice_scatter", "select_scatter", "tril", "triu"),
    *("lift_fresh_copy", "permute_copy", "view_copy", "expand_copy", "_reshape_copy"),
}


@dataclass(eq=False)
class Operand:
    """A tensor as an operation met it.

    Attributes:
        tensor: the tensor itself; later operations may have written into it.
        value: its numbers at that time.
        labels: which token each number belonged to; None for none.
        writers: indices of the operations that its numbers came from.
    """

    tensor: Tensor
    value: Tensor
    labels: Tensor | None
    writers: tuple[int, ...]

    @property
    def of_tokens(self) -> bool:
        """Whether its numbers are features of tokens."""
        return (
            self.labels is not None
            and (self.tensor.is_floating_point() or self.tensor.is_complex())
            and not bool((self.labels >= CELLS).any())
        )

    @property
    def of_cells(self) -> bool:
        """Whether its numbers are scores or weights, one for a query and a key."""
        return self.labels is not None and bool((self.labels >= CELLS).any())


@dataclass(eq=False)
class Node:
    """One operation that made or changed numbers; views are none.

    Attributes:
        index: its place in the order of execution.
        name: aten's, without overload.
        args: as called, with operands for tensors.
        kwargs: the same.
        operands: every tensor among them.
        output: what it made; of several tensors the first.
        mutates: whether it wrote into one of its operands.
        place: the submodule that was running.
    """

    index: int
    name: str
    args: tuple[Any, ...]
    kwargs: dict[str, Any]
    operands: list[Operand]
    output: Operand
    mutates: bool
    place: str


@dataclass(eq=False)
class Table:
    """A product q·kᵀ: ids of its cells start at `base`; rows and columns have their tokens."""

    node: Node
    base: int
    shape: tuple[int, int, int]  # [n, row, column]
    rows: Tensor  # labels [n, row]
    columns: Tensor  # labels [n, column]
    left_is_row: bool = True  # whether the left factor's tokens are the rows


@dataclass(eq=False)
class Mix:
    """A product weights·values; `cells` and `values` say which operands those are."""

    node: Node
    cells: Operand
    values: Operand
    swapped: bool  # valuesᵀ·weightsᵀ


@dataclass(eq=False)
class Graph:
    """All operations of one forward pass in order."""

    nodes: list[Node] = field(default_factory=list[Node])
    tables: list[Table] = field(default_factory=list[Table])
    mixes: list[Mix] = field(default_factory=list[Mix])
    linears: set[int] = field(default_factory=set[int])
    random: set[int] = field(default_factory=set[int])
    within: set[int] = field(default_factory=set[int])  # products of vectors of one token each
    pieced: set[int] = field(default_factory=set[int])  # products of pieces of several tokens

    @cached_property
    def readers(self) -> dict[int, list[tuple[Node, Operand]]]:
        """Operations that read what each operation made, and by which operand."""
        readers_of: dict[int, list[tuple[Node, Operand]]] = {}
        for node in self.nodes:
            for operand in node.operands:
                for writer in operand.writers:
                    readers_of.setdefault(writer, []).append((node, operand))
        return readers_of

    def onward(self, index: int) -> Iterator[tuple[Node, Operand, Callable[[], None]]]:
        """Operations that read an operation's result, each once, and by which operand.

        Whoever is followed, by calling the third, has its own readers come after all others.
        """
        waiting, seen = [index], {index}
        for at in waiting:
            for node, operand in self.readers.get(at, []):
                if node.index not in seen:
                    seen.add(node.index)
                    yield node, operand, partial(waiting.append, node.index)

    @cached_property
    def ancestors(self) -> list[set[int]]:
        """Operations, itself included, that each operation's result depends on."""
        above: list[set[int]] = []
        for node in self.nodes:
            mine = {node.index}
            for operand in () if node.name in FRESH else node.operands:
                for writer in operand.writers:
                    mine |= above[writer]
            above.append(mine)
        return above

    def coordinates(self, cells: Tensor) -> tuple[Tensor, Tensor, Tensor, Tensor]:
        """The table of each cell, and n, row and column there: each in the cells' shape.

        They are −1 where a label is no cell.
        """
        none = torch.full_like(cells, -1)
        which, at, rows, columns = none.clone(), none.clone(), none.clone(), none.clone()
        for index, table in enumerate(self.tables):
            n, height, width = table.shape
            flat = cells - table.base
            mine = (flat >= 0) & (flat < n * height * width)
            if bool(mine.any()):
                which[mine] = index
                at[mine] = (flat // (height * width))[mine]
                rows[mine] = (flat // width % height)[mine]
                columns[mine] = (flat % width)[mine]
        return which, at, rows, columns

    def decode(self, cells: Tensor) -> tuple[Tensor, Tensor]:
        """The tokens of each cell's row and of its column, [*cells]; CONST where it is no cell."""
        which, at, rows, columns = self.coordinates(cells)
        of_row, of_column = torch.full_like(cells, CONST), torch.full_like(cells, CONST)
        for index in distinct(which[which >= 0]):
            mine, table = which == index, self.tables[index]
            of_row[mine] = table.rows[at[mine], rows[mine]]
            of_column[mine] = table.columns[at[mine], columns[mine]]
        return of_row, of_column

    def behind(self, indices: Iterable[int]) -> set[int]:
        """All operations that the results of some depend on, themselves included."""
        return set[int]().union(*(self.ancestors[index] for index in indices))

    def before(self, operand: Operand) -> set[int]:
        """All operations that an operand depends on."""
        return self.behind(operand.writers)

    def sums(self) -> Iterator[tuple[Node, Operand, Operand]]:
        """Additions to tokens' vectors of what belongs to no token: node, vectors, addend."""
        for node in self.nodes:
            if node.name.rstrip("_") == "add" and len(node.operands) == 2:
                for stream, table in (node.operands, node.operands[::-1]):
                    if stream.of_tokens and table.labels is None:
                        yield node, stream, table

    def makers(self, operand: Operand) -> list[Node]:
        """The operations that wrote just the numbers that an operand shows, newest first."""
        nodes: list[Node] = []
        for index in reversed(operand.writers):
            node = self.nodes[index]
            if not node.mutates or len(operand.writers) == 1 or _overlap(node.output, operand):
                nodes.append(node)
        return nodes

    def is_linear(self, node: Node) -> bool:
        """Whether it multiplies each token's vector by a matrix that is the same for all."""
        return node.index in self.linears

    def mixes_features(self, node: Node) -> bool:
        """Whether it is a product with a matrix, or of tokens with one another."""
        return node.name in PRODUCTS and node.index not in self.within

    def weight(self, node: Node) -> Operand:
        """The matrix of a linear operation."""
        left, right = factors(node)
        return right if left.labels is not None else left

    def read_by(self, node: Node) -> Operand:
        """The token vectors that a linear operation reads."""
        weight = self.weight(node)
        return next(o for o in node.operands if o is not weight and o.labels is not None)


def _overlap(written: Operand, seen: Operand) -> bool:
    a, b = written.tensor, seen.tensor
    if a.numel() == 0 or b.numel() == 0:
        return False
    return bool(torch.isin(places(b).flatten(), places(a).flatten()).any())


def factors(node: Node) -> tuple[Operand, Operand]:
    """What a product multiplies; some add the result to their first operand."""
    start = 1 if node.name.startswith(("add", "badd", "_add")) else 0
    return node.args[start], node.args[start + 1]


def factor_of(node: Node) -> float | None:
    """The number that an operation scales tokens' vectors by; None if it does something else."""
    others = [a for a in node.args if not (isinstance(a, Operand) and a.labels is not None)]
    number = scalar_of(others[0]) if others else None
    match node.name.rstrip("_"):
        case "mul":
            return number
        case "div":
            return 1 / number if number else None
        case _:
            return None


def is_norm(node: Node) -> bool:
    """Whether it normalises: PyTorch's own, or a division by something taken over the features."""
    if node.name in NORMS:
        return True
    if node.name not in {"mul", "div", "mul_", "div_"} or len(node.operands) != 2:
        return False
    wide, narrow = node.operands
    if not (wide.of_tokens and narrow.of_tokens):
        return False
    if node.name.startswith("mul") and wide.tensor.shape[-1:] == (1,):
        wide, narrow = narrow, wide
    if wide.tensor.dim() == 0 or narrow.tensor.dim() == 0 or wide.tensor.size(-1) == 1:
        return False
    return narrow.tensor.size(-1) == 1 or narrow.tensor.stride(-1) == 0


def scalar_of(value: Any) -> float | None:
    """A number, a tensor of one element, or one that is everywhere the same; else None."""
    if isinstance(value, Operand):
        numbers = value.value
        if value.labels is not None or numbers.numel() == 0 or numbers.is_complex():
            return None
        first = float(numbers.flatten()[0])
        same = numbers.numel() == 1 or bool((numbers == first).all())
        return first if same else None
    return float(value) if isinstance(value, int | float) else None
