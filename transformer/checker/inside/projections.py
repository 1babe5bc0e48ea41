"""The four projections of an attention, and the factor that its scores get."""

from torch import Tensor

from ..clues import Clues
from .attention import Attention, Source
from .graph import Graph, Operand, is_norm
from .patterns import Marked
from .sublayers import chain


def judge_scale(all_marked: list[Marked], clues: Clues) -> None:
    """`scale_missing` and `scale_inverted`: the factor between q·k and the softmax."""
    for marked in all_marked:
        attention, factor = marked.attention, marked.marks.factor
        d_head, length = attention.d_head, attention.cells.size(-1)
        right = d_head**-0.5
        if d_head < 2 or _near(factor, right):
            continue
        if any(_normed(attention.graph, source) for source in attention.sources[:2]):
            clues.cannot_tell("scale_missing", "scale_inverted")
            continue
        values = {"place": marked.name, "factor": factor, "right": right, "d_head": d_head}
        if factor > 1.2:
            clues.add("scale_inverted", "scale_inverted", **values)
        elif _near(factor, 1.0):
            if not _folded(attention, right):
                clues.add("scale_missing", "scale_missing", **values)
        else:
            query = attention.sources[0].linear
            d_model = d_head * attention.num_heads
            if query is not None:
                d_model = attention.graph.read_by(query).tensor.size(-1)
            for divisor in (d_model, length, attention.cells.size(-2), attention.num_heads):
                if divisor > 1 and _near(factor, divisor**-0.5):
                    clues.add("scale_missing", "scale_other", divisor=divisor, **values)
                    break
            else:
                clues.cannot_tell("scale_missing")
        if clues.has("scale_missing", "scale_inverted"):
            return


def _near(a: float, b: float) -> bool:
    return abs(a / b - 1) < 0.02


def _normed(graph: Graph, source: Source) -> bool:
    """Whether queries or keys are normalised after their projection."""
    if not source.bent:
        return False
    if source.linear is None:
        return True
    return any(
        is_norm(node) and source.linear.index in graph.ancestors[node.index]
        for node in graph.nodes[source.linear.index : source.linear.index + 40]
        if node.place == source.linear.place or is_norm(node)
    )


def _folded(attention: Attention, right: float) -> bool:
    """T5 puts the factor into the queries' initial weights."""
    query, key, _ = attention.sources
    if query.linear is None or key.linear is None or query.linear is key.linear:
        return False
    graph = attention.graph
    sizes = [float(graph.weight(n).value.float().std()) for n in (query.linear, key.linear)]
    return sizes[1] > 0 and abs(sizes[0] / sizes[1] / right - 1) < 0.2


def judge_value_from_key(attentions: list[Attention], clues: Clues) -> None:
    """`value_from_key`: the values are the keys."""
    for attention in attentions:
        keys, values = attention.keys, attention.values
        _, key, value = attention.sources
        same = keys.shape == values.shape and (
            _proportional(keys, values)
            # Rotary positions turn keys, but leave them as long as they were.
            or (key.bent and _proportional(_lengths(keys), _lengths(values)))
        )
        if key.linear is not None and value.linear is not None and not same:
            same = _same_matrix(attention, key, value)
        if same:
            clues.add("value_from_key", "value_from_key", place=attention.place)
            return


def _proportional(a: Tensor, b: Tensor) -> bool:
    a, b = a.double().flatten(), b.double().flatten()
    if not bool(a.isfinite().all() and b.isfinite().all()):
        return False
    factor = float(a @ b) / max(float(a @ a), 1e-30)
    return float((a * factor - b).square().sum()) < 1e-8 * float(b.square().sum())


def _lengths(vectors: Tensor) -> Tensor:
    return vectors.square().sum(-1).sqrt()


def _same_matrix(attention: Attention, key: Source, value: Source) -> bool:
    graph = attention.graph
    assert key.linear is not None
    assert value.linear is not None
    one, two = graph.weight(key.linear), graph.weight(value.linear)
    width = attention.d_head * attention.num_heads
    if one.tensor.numel() != two.tensor.numel() or width not in one.tensor.shape:
        return False
    shape = key.linear.output.tensor.shape
    return shape[-1] == width and _place(one) == _place(two)


def _place(operand: Operand) -> tuple[int, tuple[int, ...]]:
    return operand.tensor.data_ptr(), tuple(operand.tensor.shape)


def judge_output_projection(attentions: list[Attention], clues: Clues) -> None:
    """`output_projection_missing`: joined heads meet the residual stream without a matrix."""
    for attention in attentions:
        verdict = _joined_by_matrix(attention)
        if verdict is None:
            clues.cannot_tell("output_projection_missing")
        elif not verdict:
            clues.add(
                "output_projection_missing",
                "output_projection_missing",
                place=attention.place,
                heads=attention.num_heads,
            )
            return


def _joined_by_matrix(attention: Attention) -> bool | None:
    graph = attention.graph
    query = attention.sources[0].linear
    if query is None:
        return None
    stream = chain(graph, graph.read_by(query), far=False)
    frontier, seen, glued = [attention.mix.node.index], set[int](), False
    while frontier:
        index = frontier.pop(0)
        for node, operand in graph.readers.get(index, []):
            if node.index in seen or node.index <= attention.mix.node.index:
                continue
            seen.add(node.index)
            if graph.is_linear(node):
                return True
            glued |= node.name in {"cat", "stack"}
            others = [o for o in node.operands if o is not operand and o.of_tokens]
            meets = any(chain(graph, o, far=True) & stream for o in others)
            if is_norm(node) or (node.name.rstrip("_") == "add" and meets):
                return None if attention.num_heads == 1 and not glued else False
            frontier.append(node.index)
    return None
