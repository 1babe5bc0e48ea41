"""How labels pass through an operation: what token does each number of its result belong to?"""

from collections.abc import Callable
from typing import Any, cast

import torch
from torch import Tensor

from .batches import distinct
from .convolutions import token_of
from .graph import FRESH, MOVES, NORMS, PRODUCTS, Graph, Mix, Node, Operand, Table, factors
from .shadow import CELLS, CONST, MIXED, along

PUTS = {"index_put", "index_put_", "index_add", "index_add_", "index_copy", "index_copy_"}
REDUCTIONS = {
    *("sum", "mean", "amax", "amin", "max", "min", "var", "std", "logsumexp", "norm", "prod"),
    *("linalg_vector_norm", "var_mean", "std_mean", "all", "any", "argmax"),
}


class Rules:
    """The labels of results; products of queries and keys get cells, noted in the graph."""

    def __init__(self, graph: Graph) -> None:
        self.graph = graph
        self._next = CELLS
        self._rows: dict[tuple[int, bool], Tensor] = {}
        self.num_src = 0

    def after(self, node: Node, call: Callable[..., Any], result: Tensor) -> Tensor | None:
        """The labels of a result, int64 in its shape; None: of no token; MIXED: nobody knows."""
        try:
            return self._after(node, call, result)
        except (AttributeError, IndexError, RuntimeError, TypeError, ValueError):
            return torch.tensor(MIXED)

    def _after(self, node: Node, call: Callable[..., Any], result: Tensor) -> Tensor | None:
        if node.name in FRESH or all(operand.labels is None for operand in node.operands):
            return None
        if node.name == "embedding":
            indices = node.args[1].labels
            return None if indices is None else indices[..., None].expand(result.shape)
        if node.name == "index" and node.args[0].labels is None:
            return _look_up(node, result)
        if node.name in PRODUCTS:
            return self._product(node, result)
        if node.name in MOVES:
            return _move(node, call, result)
        if node.name == "mul" and len(node.operands) == 2:
            pairs = self._spread_product(node, result)
            if pairs is not None:
                return pairs
        if node.name in NORMS:
            return node.operands[0].labels
        if node.name in PUTS and node.args[-1].of_tokens and not node.args[0].of_cells:
            return _put(node)
        if node.name in REDUCTIONS:
            return _reduce(node, result)
        if not result.is_floating_point() and not result.is_complex():
            # Comparing ids makes masks and positions, which belong to no token; shifted ids do.
            if result.dtype == torch.bool or node.name in {"cumsum", "ne", "eq", "arange"}:
                return None
        return _merge(node, result)

    def _product(self, node: Node, result: Tensor) -> Tensor | None:
        if node.name == "convolution":
            return self._convolution(node, result)
        left, right = factors(node)
        if right.tensor.dim() == 1:
            return torch.full(result.shape, MIXED)
        a = _three(left.labels, left.tensor)
        b = _three(right.labels, right.tensor)
        if a is None or b is None:
            labels = self._linear(node, a, b)
        elif left.of_cells or right.of_cells:
            labels = self._mix(node, left, right, a, b)
        else:
            labels = self._table(node, self._whole(node, a, -1), self._whole(node, b, -2))
        n, rows, columns = (*(1,) * (3 - result.dim()), *result.shape)
        return None if labels is None else labels.expand(n, rows, columns).reshape(result.shape)

    def _linear(self, node: Node, a: Tensor | None, b: Tensor | None) -> Tensor | None:
        """One operand holds tokens, [n, row, feature] or [n, feature, column], the other none."""
        labels = b if a is None else a
        if labels is None:  # only an addend has labels
            return torch.tensor(MIXED)
        rows = along(labels, -2 if a is None else -1)
        if bool((labels >= CELLS).any()):
            return self._weigh_constants(node, labels, swapped=a is None)
        if not bool((rows != CONST).any()):
            return torch.tensor(MIXED)
        key = rows.numel(), bool(labels.amax() < self.num_src)
        if bool((rows == MIXED).any()):
            # Heads glued together wrongly: go on as if each row were the token that it should be.
            usual = self._rows.get(key)
            if usual is None:
                return torch.tensor(MIXED)
            rows = usual.view(rows.shape)
        else:
            self._rows.setdefault(key, rows)
        self.graph.linears.add(node.index)
        return rows[..., None, :] if a is None else rows[..., None]

    def _mix(self, node: Node, left: Operand, right: Operand, a: Tensor, b: Tensor) -> Tensor:
        swapped = right.of_cells and not left.of_cells
        if left.of_cells and right.of_cells:
            return torch.tensor(MIXED)
        cells = b.transpose(-1, -2) if swapped else a  # [n, query, key]
        values, weights = (left, right) if swapped else (right, left)
        self.graph.mixes.append(Mix(node, weights, values, swapped))
        rows, columns = self.graph.decode(cells)
        query = along(rows, -1)
        if bool((query < 0).any()):
            other = along(columns, -1)
            query = other if bool((other >= 0).all()) else query
        return query[..., None, :] if swapped else query[..., None]

    def _weigh_constants(self, node: Node, labels: Tensor, *, swapped: bool) -> Tensor:
        """Weights times vectors that belong to no token, as of distances: of the query's token.

        Where a matrix mixes the cells that a query and a key have in each head, they stay theirs.
        """
        rows, columns = self.graph.decode(labels.mT if swapped else labels)
        row, column = along(rows, -1), along(columns, -1)
        of_row, of_column = bool((row >= 0).all()), bool((column >= 0).all())
        if of_row and of_column and node.output.tensor.numel() == labels.numel():
            return labels  # one cell of each head
        if of_row == of_column:
            return torch.tensor(MIXED)
        query = row if of_row else column
        return query[..., None, :] if swapped else query[..., None]

    def _table(self, node: Node, rows: Tensor, columns: Tensor) -> Tensor:
        n = max(len(rows), len(columns))
        shape = n, rows.size(-1), columns.size(-1)
        if not (bool((rows >= 0).any()) and bool((columns >= 0).any())):
            return torch.tensor(MIXED)
        if max(shape[1:]) > 1 and (token := _one_token(rows, columns)) is not None:
            self.graph.within.add(node.index)
            return token.expand(n, shape[1])[..., None]
        count = n * shape[1] * shape[2]
        table = Table(node, self._next, shape, rows.expand(n, -1), columns.expand(n, -1))
        self.graph.tables.append(table)
        self._next += count
        return table.base + torch.arange(count).view(shape)

    def _whole(self, node: Node, labels: Tensor, dim: int) -> Tensor:
        """The token of each row, [n, row]; of rows pieced together, the one that it should be."""
        rows = along(labels, dim)
        if not bool((rows == MIXED).all()) or bool((labels < 0).any()):
            return rows
        usual = self._rows.get((len(distinct(labels)), bool(labels.amax() < self.num_src)))
        if usual is None or rows.numel() % usual.numel() or usual.numel() % rows.size(-1):
            return rows
        self.graph.pieced.add(node.index)
        sentences = usual.reshape(-1, rows.size(-1))
        return sentences.repeat_interleave(len(rows) // len(sentences), 0)

    def _spread_product(self, node: Node, result: Tensor) -> Tensor | None:
        """q[…, None, :] * k[None, …, :], of which the sum over the features will be the scores."""
        left, right = node.operands
        if not (left.of_tokens and right.of_tokens) or result.dim() < 3:
            return None
        assert left.labels is not None
        assert right.labels is not None
        a, b = left.labels.expand(result.shape), right.labels.expand(result.shape)
        if not bool(((a >= 0) & (b >= 0) & (a != b)).any()):
            return None
        one, two = along(a, -1), along(b, -1)  # [..., row, column]
        straight = not bool((along(one, -1) == MIXED).any())
        rows, columns = (one, two) if straight else (two, one)
        rows, columns = along(rows, -1), along(columns, -2)
        if bool((rows < 0).any()) or bool((columns < 0).any()):
            return None
        cells = self._table(node, rows.flatten(0, -2), columns.flatten(0, -2))
        self.graph.tables[-1].left_is_row = straight
        return cells.reshape(result.shape[:-1])[..., None].expand(result.shape)

    def _convolution(self, node: Node, result: Tensor) -> Tensor:
        token = token_of(node, result)
        if bool((token != MIXED).any()) and node.args[8] == 1:
            self.graph.linears.add(node.index)
        return token.expand(result.shape)


def _three(labels: Tensor | None, tensor: Tensor) -> Tensor | None:
    if labels is None:
        return None
    return labels if tensor.dim() == 3 else labels[None]


def _move(node: Node, call: Callable[..., Any], result: Tensor) -> Tensor | None:
    if node.name == "copy_":
        source = node.args[1]
        return source.labels if isinstance(source, Operand) else None
    if node.name == "_to_copy":
        return node.args[0].labels
    if node.name in {"cat", "stack"}:
        parts = [_or_const(o) for o in node.args[0] if o.tensor.numel() or node.name == "stack"]
        return call(parts, *node.args[1:2])
    try:
        first = _or_const(node.args[0])
        rest = [a.value if isinstance(a, Operand) else _plain(a) for a in node.args[1:]]
        if node.name in {"slice_scatter", "select_scatter"}:
            rest[0] = _or_const(node.args[1])
        if node.name == "constant_pad_nd":
            rest[1:] = [CONST]
        if node.name == "clone":
            return first
        moved = call(first, *rest)
    except (RuntimeError, TypeError):
        return torch.full(result.shape, MIXED)
    return moved if moved.shape == result.shape else torch.full(result.shape, MIXED)


def _put(node: Node) -> Tensor:
    """Tokens' vectors written to places of a table, or added there."""
    labels, before = _or_const(node.args[0]).clone(), _or_const(node.args[0])
    written = _or_const(node.args[-1])
    if node.name.startswith("index_put"):
        labels[tuple(slice(None) if i is None else i.value for i in node.args[1])] = written
    else:
        labels.index_copy_(node.args[1], node.args[2].value, written)
    return torch.where(labels == CONST, before, labels)


def _one_token(rows: Tensor, columns: Tensor) -> Tensor | None:
    """The token of each product, where it mixes several vectors of one token; None elsewhere."""
    token = torch.maximum(rows.amax(-1), columns.amax(-1))[:, None]
    same = bool(((rows == token) | (rows == CONST)).all())
    return token if same and bool(((columns == token) | (columns == CONST)).all()) else None


def _look_up(node: Node, result: Tensor) -> Tensor | None:
    """A table indexed by tokens, as `embedding` is."""
    first = node.args[1][0] if node.args[1] else None
    if not isinstance(first, Operand) or first.labels is None:
        return None
    labels = first.labels
    return labels.view(*labels.shape, *(1,) * (result.dim() - labels.dim())).expand(result.shape)


def _plain(argument: Any) -> Any:
    if isinstance(argument, list | tuple):
        return [_plain(a) for a in argument]  # pyright: ignore[reportUnknownVariableType]
    return argument.value if isinstance(argument, Operand) else argument


def _or_const(operand: Operand) -> Tensor:
    if operand.labels is None:
        return torch.full(operand.tensor.shape, CONST)
    return operand.labels


def _reduce(node: Node, result: Tensor) -> Tensor | None:
    labels = node.operands[0].labels
    if labels is None:
        return None
    dims = _dims(node)
    if not dims:
        return torch.full(result.shape, MIXED)
    for dim in sorted((d % labels.dim() for d in dims), reverse=True):
        labels = along(labels, dim)
    return labels.view(result.shape) if labels.numel() == result.numel() else None


def _dims(node: Node) -> list[int]:
    """The axes that a reduction takes away; none for all."""
    for argument in node.args[1:]:
        if isinstance(argument, list | tuple):
            return list(cast(list[int], argument))
        # The order of a vector norm is a number, too, and comes before its axes.
        if type(argument) is int and "norm" not in node.name:
            return [argument]
    return []


def _merge(node: Node, result: Tensor) -> Tensor | None:
    merged: Tensor | None = None
    for operand in node.operands:
        if operand.labels is None or operand.tensor.dtype == torch.bool:
            continue
        try:
            labels = operand.labels.expand(result.shape)
        except RuntimeError:
            return torch.full(result.shape, MIXED)
        merged = labels if merged is None else _meet(merged, labels)
    return merged


def _meet(a: Tensor, b: Tensor) -> Tensor:
    """Two tokens meet in one number: the stream goes on as the tidier of the two."""
    one_sided = torch.where(a < 0, b, a)
    both = (a >= 0) & (b >= 0) & (a != b)
    if not bool(both.any()):
        return one_sided
    if bool((a >= CELLS).any()) or bool((b >= CELLS).any()):
        return torch.maximum(a, b) if not bool((a >= CELLS).all()) else a
    tidy = b if a.dim() and bool((along(a, -1) == MIXED).any()) else a
    return torch.where(both, tidy, one_sided)
