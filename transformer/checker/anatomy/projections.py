"""The four projections of an attention, and the factor that its scores get."""

import torch
from torch import Tensor, nn
from torch.nn.parameter import is_lazy

from ...eyes.attention import Attention, Source
from ...eyes.graph import Operand, is_norm
from ...eyes.shadow import places, storage_key
from ..basis.clues import Clues
from .marks import Marks
from .sublayers import chain, stream_of

CHOICES = {"index", "index_select", "gather"}


def judge_scale(all_marks: list[Marks], clues: Clues) -> None:
    """`scale_missing`, `scale_inverted`, `scale_wrong`: the factor between q·k and the softmax."""
    for marks in all_marks:
        attention, factor = marks.attention, marks.factor
        d_head = attention.d_head
        right = d_head**-0.5
        if d_head < 2 or _near(factor, right):
            continue
        if any(_normed(attention, source) for source in attention.sources[:2]):
            clues.cannot_tell("queries_normed", "scale_missing", "scale_inverted", "scale_wrong")
            continue
        values = {"place": marks.name, "factor": factor, "right": right, "d_head": d_head}
        divisor = 1 / factor if factor else 0.0
        readings = [name for name, size in _divisors(attention).items() if _near(divisor, size)]
        if factor > 1.2:
            clues.add("scale_inverted", **values)
        elif _near(factor, 1.0):
            if not _folded(attention, right):
                clues.add("scale_missing", **values)
        elif readings:
            readings = " = ".join(readings)
            clues.add("scale_wrong", divisor=divisor, readings=readings, **values)
        else:
            clues.cannot_tell("factor_unknown", "scale_wrong", factor=factor, d_head=d_head)
        if clues.has("scale_missing", "scale_inverted", "scale_wrong"):
            return


def _divisors(attention: Attention) -> dict[str, float]:
    """What scores are divided by where they are not divided by √d_head."""
    query = attention.sources[0].linear
    d_model = attention.d_head * attention.num_heads
    if query is not None:
        d_model = attention.graph.read_by(query).tensor.size(-1)
    sizes = {"d_head": attention.d_head, "d_model": d_model, "heads": attention.num_heads}
    sizes["length"] = attention.cells.size(-1)
    divisors = {f"√{name}": size**0.5 for name, size in sizes.items() if name != "d_head"}
    return {"d_head": float(attention.d_head), **divisors, "d_model": float(d_model)}


def _near(a: float, b: float) -> bool:
    return abs(a / b - 1) < 0.02


def _normed(attention: Attention, source: Source) -> bool:
    """Whether queries or keys are normalised between their projection and their product."""
    graph = attention.graph
    if not source.bent:
        return False
    if source.linear is None:
        return True
    return any(
        is_norm(node) and source.linear.index in graph.ancestors[node.index]
        for node in graph.nodes[source.linear.index : attention.softmax.start]
    )


def _folded(attention: Attention, right: float) -> bool:
    """T5 puts the factor into the queries' initial weights."""
    query, key, _ = attention.sources
    if query.linear is None or key.linear is None or query.linear is key.linear:
        return False
    graph = attention.graph
    sizes = [float(graph.weight(n).value.float().std()) for n in (query.linear, key.linear)]
    # Nearer to √d_head than to 1: few weights are drawn, and their spread is drawn with them.
    return sizes[1] > 0 and right**1.5 < sizes[0] / sizes[1] < right**0.5


def judge_value_from_key(attentions: list[Attention], module: nn.Module, clues: Clues) -> None:
    """`value_from_key`: the values are the keys."""
    for attention in attentions:
        _, key, value = attention.sources
        if _projects_later(attention):
            continue
        if _same(attention, (key, attention.keys), (value, attention.values)):
            one = _names(attention, key, module)[0]
            clues.add("value_from_key", place=attention.place, one=one)
            return


def _projects_later(attention: Attention) -> bool:
    """Whether two matrices follow one another before the residual sum: the values', then W_O.

    Latent attention may weigh what keys and values are made of, as weights and matrices commute.
    Where a full matrix stands beside two of low rank, one alone is enough: together they are W_O.
    """
    graph = attention.graph
    query = attention.sources[0].linear
    if query is None:
        return False
    stream, first, followed = stream_of(graph, graph.read_by(query)), set[int](), set[int]()
    for node, operand, follow in graph.onward(attention.mix.node.index):
        others = [o for o in node.operands if o is not operand and o.of_tokens]
        if any(chain(graph, o, far=True) & stream for o in others):
            continue
        if graph.is_linear(node):
            before = first & graph.before(operand)
            followed |= before
            if not before:
                first.add(node.index)
        follow()
    return bool(first) and first == followed


def judge_key_from_query(attentions: list[Attention], module: nn.Module, clues: Clues) -> None:
    """`key_from_query`: one matrix makes queries and keys, as nobody means who normalises none."""
    for attention in attentions:
        query, key, _ = attention.sources
        if _normed(attention, key) and not _normed(attention, query):
            continue
        if _same(attention, (query, attention.queries), (key, attention.keys)):
            one, *others = _names(attention, query, module)
            if others:
                clues.add("key_from_query", place=attention.place, one=one, two=others[0])
            else:
                clues.add("key_from_query", "key_from_query_one", place=attention.place, one=one)
            return


def _names(attention: Attention, source: Source, module: nn.Module) -> list[str]:
    """What the module calls the matrix that made it; where it ran, if it is none of its own."""
    if source.linear is None:
        return [attention.place]
    graph, weight = attention.graph, attention.graph.weight(source.linear)
    behind = [o for index in graph.before(weight) for o in graph.nodes[index].operands]
    keys = {storage_key(operand.tensor) for operand in [weight, *behind]}
    parameters = module.named_parameters(remove_duplicate=False)
    names = [n for n, p in parameters if not is_lazy(p) and storage_key(p) in keys]
    return names or [source.linear.place or attention.place]


def _same(attention: Attention, one: tuple[Source, Tensor], two: tuple[Source, Tensor]) -> bool:
    """Whether one matrix made both, of whatever it was given."""
    (source, a), (other, b) = one, two
    same = a.shape == b.shape and (
        _proportional(a, b)
        # Rotary positions turn keys, but leave them as long as they were; a norm makes all alike.
        or (
            source.bent
            and not any(_normed(attention, each) for each in (source, other))
            and _proportional(_lengths(a), _lengths(b))
        )
    )
    if same or source.linear is None or other.linear is None:
        return same
    if source.linear is other.linear:
        return _same_part(attention, source, other)
    return _same_matrix(attention, source, other)


def _same_part(attention: Attention, source: Source, other: Source) -> bool:
    """Whether both were read from one place of a product, in which several may stand side by side.

    What was normalised on one way alone is no longer equal in numbers.
    """
    nodes = attention.graph.nodes
    if any(nodes[index].name in CHOICES for each in (source, other) for index, _ in each.way):
        return False  # which place was read, no view tells
    theirs = dict(other.way)
    both = [(mine, theirs[index]) for index, mine in source.way if index in theirs]
    return all(
        bool(torch.isin(places(one.tensor).flatten(), places(two.tensor).flatten()).any())
        for one, two in both
    )


def _proportional(a: Tensor, b: Tensor) -> bool:
    a, b = a.double().flatten(), b.double().flatten()
    if not bool(a.isfinite().all() and b.isfinite().all()):
        return False
    factor = float(a @ b) / max(float(a @ a), 1e-30)
    return float((a * factor - b).square().sum()) < 1e-8 * float(b.square().sum())


def _lengths(vectors: Tensor) -> Tensor:
    return vectors.square().sum(-1).sqrt()


def _same_matrix(attention: Attention, source: Source, other: Source) -> bool:
    graph = attention.graph
    assert source.linear is not None
    assert other.linear is not None
    one, two = graph.weight(source.linear), graph.weight(other.linear)
    width = attention.d_head * attention.num_heads
    if one.tensor.numel() != two.tensor.numel() or width not in one.tensor.shape:
        return False
    shape = source.linear.output.tensor.shape
    return shape[-1] == width and _place(one) == _place(two)


def _place(operand: Operand) -> tuple[int, tuple[int, ...]]:
    return operand.tensor.data_ptr(), tuple(operand.tensor.shape)


def judge_output_projection(attentions: list[Attention], clues: Clues) -> None:
    """`output_projection_missing`: joined heads meet the residual stream without a matrix."""
    for attention in attentions:
        verdict = _joined_by_matrix(attention)
        if verdict is None:
            clues.cannot_tell("no_joining", "output_projection_missing")
        elif not verdict:
            heads = attention.num_heads
            clues.add("output_projection_missing", place=attention.place, heads=heads)
            return


def _joined_by_matrix(attention: Attention) -> bool | None:
    graph = attention.graph
    query = attention.sources[0].linear
    if query is None:
        return None
    stream = stream_of(graph, graph.read_by(query))
    glued = False
    for node, operand, follow in graph.onward(attention.mix.node.index):
        if graph.is_linear(node):
            return True
        glued |= node.name in {"cat", "stack"}
        others = [o for o in node.operands if o is not operand and o.of_tokens]
        meets = any(chain(graph, o, far=True) & stream for o in others)
        if node.name.rstrip("_") == "add" and meets:
            return None if attention.num_heads == 1 and not glued else False
        follow()
    return None
