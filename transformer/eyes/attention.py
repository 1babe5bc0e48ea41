"""Finds every attention of a recording: the product q·kᵀ, the softmax, and the product with v."""

from dataclasses import dataclass
from functools import cached_property
from typing import Literal

import torch
from torch import Tensor

from .batches import distinct
from .graph import MOVES, Graph, Mix, Node, Operand, Table, factor_of, factors
from .shadow import CELLS, along
from .softmax import Softmax, find_softmaxes
from .tokens import Tokens

Kind = Literal["encoder_self", "decoder_self", "cross", "reversed"]


@dataclass(eq=False)
class Source:
    """Where a query, key or value came from.

    Attributes:
        linear: the projection; None if there was none.
        factor: what it was multiplied by on the way.
        bent: something other than a factor happened on the way (rotary positions, a norm).
        way: the operations on the way back, the projection last, each with what was read of it.
    """

    linear: Node | None
    factor: float
    bent: bool
    way: tuple[tuple[int, Operand], ...] = ()


@dataclass(eq=False)
class Attention:
    """One attention; arrays are [n, query, key], where n runs over sentences and heads.

    Attributes:
        cells: the id of each score.
        dots: q·k as multiplied.
        scores: what went into the softmax.
        weights: what came out of it.
        used: what multiplied the values.
        row_sums: [n, query], of these over all keys, also those that are no tokens.
        query, key, value: the token of each row, column, and row of the values.
        sources: of query, key and value.
        queries, keys, values: what was multiplied, [n, query or key, d_head].
        d_head: how wide a head is.
        layer: counted from 0 among attentions of its kind.
        part: it is one side of an attention that reads source and target in one row.
    """

    graph: Graph
    tokens: Tokens
    mix: Mix
    softmax: Softmax
    cells: Tensor
    dots: Tensor
    scores: Tensor
    weights: Tensor
    used: Tensor
    row_sums: Tensor
    query: Tensor
    key: Tensor
    value: Tensor
    sources: tuple[Source, Source, Source]
    queries: Tensor
    keys: Tensor
    values: Tensor
    d_head: int
    layer: int = 0
    part: bool = False

    @property
    def place(self) -> str:
        """The name of the submodule."""
        return self.mix.node.place

    @cached_property
    def kind(self) -> Kind:
        """The kind of attention, by the tokens of queries and keys."""
        if self.both_sides:
            return "decoder_self"
        asks_src, reads_src = (
            bool(self.tokens.is_src(side)[side >= 0].float().mean() > 0.5)
            for side in (self.query, self.key)
        )
        if asks_src:
            return "encoder_self" if reads_src else "reversed"
        return "cross" if reads_src else "decoder_self"

    @cached_property
    def both_sides(self) -> bool:
        """Whether source and target stand in one row, as a language model reads them."""
        sides = [(self.tokens.is_src(x), self.tokens.is_tgt(x)) for x in (self.query, self.key)]
        return all(bool(s.all(0).any() and t.all(0).any()) for s, t in sides)

    @cached_property
    def in_one_row(self) -> bool:
        """Whether several sentences stand in one row, as where padding is left out."""
        row = self.query[0][self.query[0] >= 0]
        once = len(distinct(row)) == len(row) and bool((self.query == self.query[0]).all())
        return once and 1 < len(distinct(self.tokens.sentence(row))) < len(row)

    @cached_property
    def sentence(self) -> Tensor:
        """The sentence that each table of scores belongs to, by its queries: int64 [n]."""
        return self.tokens.sentence(self.query.clamp_min(0)).mode(dim=-1).values

    @cached_property
    def key_ids(self) -> Tensor:
        """The token id of each key, int64 [n, key]; as expected where heads are split wrongly."""
        return self._ids(self.key)

    @cached_property
    def query_ids(self) -> Tensor:
        """The token id of each query, int64 [n, query], as `key_ids` has those of keys."""
        return self._ids(self.query)

    def _ids(self, side: Tensor) -> Tensor:
        if not bool((side.diff(dim=-1) > 0).all()) and bool((side >= 0).all()):
            start = (side - self.tokens.position(side))[:, :1]
            side = start + torch.arange(side.size(-1))
        return self.tokens.ids(side)

    @cached_property
    def along_batch(self) -> bool:
        """Whether queries meet keys of other sentences."""
        here = self.tokens.sentence(self.query)[:, :, None]
        there = self.tokens.sentence(self.key)[:, None, :]
        real = (self.query >= 0)[:, :, None] & (self.key >= 0)[:, None, :]
        return bool(((here != there) & real & (self.used != 0)).any())

    @cached_property
    def along_sentence(self) -> bool:
        """Whether queries and keys are tokens of one sentence, and several of them."""
        several = all(len(distinct(side[0])) > 1 for side in (self.query, self.key))
        return several and not self.along_batch

    @cached_property
    def num_heads(self) -> int:
        """Heads that this attention computes at once."""
        return int((self.sentence == self.sentence[0]).sum())


def find_attentions(graph: Graph, tokens: Tokens) -> list[Attention]:
    """All attentions in the order of execution, each with its layer counted per kind."""
    softmaxes = find_softmaxes(graph)
    attentions: list[Attention] = []
    for mix in graph.mixes:
        attention = _attention(graph, tokens, mix, softmaxes)
        if attention is not None:
            attentions.append(attention)
    count_layers(attentions)
    return attentions


def locate(labels: Tensor, cells: Tensor) -> tuple[Tensor, Tensor]:
    """The place of each cell among flattened labels, and whether it is there, [*cells]."""
    order = labels.flatten().argsort()
    ordered = labels.flatten()[order]
    at = torch.searchsorted(ordered, cells.contiguous()).clamp_max(len(ordered) - 1)
    return order[at], ordered[at] == cells


def _attention(
    graph: Graph, tokens: Tokens, mix: Mix, softmaxes: list[Softmax]
) -> Attention | None:
    labels = mix.cells.labels
    assert labels is not None
    turn = mix.swapped
    cells = (labels.transpose(-1, -2) if turn else labels).reshape(-1, *_last_two(labels, turn))
    used = (mix.cells.value.transpose(-1, -2) if turn else mix.cells.value).reshape(cells.shape)
    for softmax in reversed(softmaxes):
        if softmax.node.index > mix.node.index or softmax.scores.labels is None:
            continue
        at, there = locate(softmax.scores.labels, cells)
        if bool(there.any()) and bool((there | (cells < CELLS)).all()):
            break
    else:
        return None
    which, n, row, column = graph.coordinates(cells)
    first = int(which[which >= 0][0])
    # The values' product sums over the keys: whichever coordinate runs along it is the key's.
    keys_are_columns = _varies(column, -1) >= _varies(row, -1)
    of_row, of_column = graph.decode(cells)
    query, key = (of_row, of_column) if keys_are_columns else (of_column, of_row)
    values = mix.values.labels
    assert values is not None
    value = along(values, -2 if turn else -1).reshape(-1, cells.size(-1))
    table = graph.tables[first]
    left, right = factors(table.node)
    if not table.left_is_row:
        left, right = right, left
    query_side, key_side = (left, right) if keys_are_columns else (right, left)
    dots = torch.zeros(cells.shape)
    for index in distinct(which[which >= 0]):
        mine = which == index
        dots[mine] = _dots(graph.tables[index].node)[n[mine], row[mine], column[mine]]
    return Attention(
        graph=graph,
        tokens=tokens,
        mix=mix,
        softmax=softmax,
        cells=cells,
        dots=dots,
        scores=softmax.scores.value.flatten()[at].float().cpu(),
        weights=softmax.node.output.value.flatten()[at].float().cpu(),
        used=used.float().cpu(),
        row_sums=used.float().cpu().sum(-1),
        query=_mode(query, -1),
        key=_mode(key, -2),
        value=value.expand(len(cells), -1),
        sources=(source(graph, query_side), source(graph, key_side), source(graph, mix.values)),
        queries=_vectors(table, query_side, not keys_are_columns),
        keys=_vectors(table, key_side, keys_are_columns),
        values=_three(mix.values.value.transpose(-1, -2) if turn else mix.values.value),
        d_head=left.tensor.size(-1),
    )


def _vectors(table: Table, side: Operand, of_columns: bool) -> Tensor:
    """The vectors of one side of a table, [n, token, d_head]."""
    if table.node.name == "mul":
        wide = side.value.expand(table.node.output.tensor.shape)
        vectors = wide.select(-3, 0) if of_columns else wide.select(-2, 0)
        return _three(vectors.flatten(0, -3))
    return _three(side.value.transpose(-1, -2) if of_columns else side.value)


def _three(table: Tensor) -> Tensor:
    return (table if table.dim() == 3 else table[None]).float().cpu()


def _last_two(labels: Tensor, turn: bool) -> tuple[int, int]:
    height, width = labels.shape[-2:]
    return (width, height) if turn else (height, width)


def _varies(numbers: Tensor, dim: int) -> float:
    low = torch.where(numbers < 0, torch.iinfo(torch.int64).max, numbers).amin(dim)
    return float((low < numbers.amax(dim)).float().mean())


def _mode(labels: Tensor, dim: int) -> Tensor:
    """The token of a row or column; where cells disagree, as wrongly split heads may, the most."""
    single = along(labels, dim)
    return torch.where(single >= 0, single, labels.mode(dim=dim).values)


def _dots(node: Node) -> Tensor:
    left, right = (operand.value for operand in factors(node))
    product = (left * right).sum(-1) if node.name == "mul" else left @ right
    product = product.float().cpu()
    return product.reshape(-1, *product.shape[-2:])


def source(graph: Graph, operand: Operand) -> Source:
    """Walks back from a query, key or value to the projection that made it."""
    factor, bent = 1.0, False
    way: list[tuple[int, Operand]] = []
    while True:
        nodes = [n for n in graph.makers(operand) if any(o.of_tokens for o in n.operands)]
        nodes = [n for n in nodes if n.output.of_tokens or graph.is_linear(n)]
        if not nodes:
            return Source(None, factor, True)
        node = nodes[0]
        way.append((node.index, operand))
        if graph.is_linear(node):
            return Source(node, factor, bent, tuple(way))
        operand = next(o for o in node.operands if o.of_tokens)
        others = [a for a in node.args if not (isinstance(a, Operand) and a.labels is not None)]
        shifts = node.name in {"add", "add_", "sub"} and len(node.operands) < 3 and others
        if (scale := factor_of(node)) is not None:
            factor *= scale
        elif node.name not in MOVES and not shifts:
            bent = True


def count_layers(attentions: list[Attention]) -> None:
    """Heads that read the same tensors, or cached words the same matrix, make one layer."""
    layers: dict[Kind, dict[object, int]] = {}
    steps_by_matrix: dict[tuple[Kind, object], list[tuple[int, set[int]]]] = {}
    for attention in attentions:
        linear = attention.sources[0].linear
        reads = attention.graph.read_by(linear).writers if linear else attention.mix.node.index
        numbers = layers.setdefault(attention.kind, {})
        if linear is not None and reads not in numbers:
            weight = attention.graph.weight(linear).tensor
            place = attention.kind, (weight.data_ptr(), weight.shape)
            words, steps = set(distinct(attention.query)), steps_by_matrix.setdefault(place, [])
            earlier = next((step for step in steps if not step[1] & words), None)
            if earlier is None:
                steps.append((len(set(numbers.values())), words))
            else:
                numbers[reads] = earlier[0]
                earlier[1].update(words)
        attention.layer = numbers.setdefault(reads, len(set(numbers.values())))
