"""How heads are split, along which axis the softmax runs, and who meets whom."""

import torch
from torch import Tensor

from ..clues import Clues
from .attention import Attention
from .graph import MOVES, Graph, Operand
from .shadow import MIXED, along, distinct


def judge_axis(attentions: list[Attention], clues: Clues) -> None:
    """`softmax_axis`: the axis that sums to one must be the keys'."""
    for attention in attentions:
        labels = attention.softmax.scores.labels
        assert labels is not None
        turned = labels.movedim(attention.softmax.dim, -1)
        which, at, row, column = attention.graph.coordinates(turned)
        rows, columns = _changes(row), _changes(column)
        keys_are_columns = _changes(attention.graph.coordinates(attention.cells)[3])
        over_keys, over_queries = (columns, rows) if keys_are_columns else (rows, columns)
        if over_keys and not over_queries:
            continue
        if over_queries:
            axis = "queries"
        else:
            sentences = attention.tokens.sentence(attention.graph.decode(turned)[0])
            axis = "batch" if _changes(sentences) else "heads"
            if not _changes(at) and not _changes(which):
                continue  # an axis of one: nothing to sum over
        sums = attention.weights.nansum(-1)
        clues.add(
            "softmax_axis",
            f"softmax_over_{axis}",
            place=attention.place,
            low=float(sums.min()),
            high=float(sums.max()),
        )
        return


def _changes(numbers: Tensor) -> bool:
    return bool((numbers.amax(-1) != numbers.amin(-1)).any())


def judge_heads(attentions: list[Attention], clues: Clues) -> None:
    """`heads_mixed` on the way in, `batch_leak` along the batch, `cross_reads_target`."""
    for attention in attentions:
        for table in attention.graph.tables:
            if not bool(torch.isin(table.node.output.labels, attention.cells).any()):  # type: ignore[arg-type]
                continue
            for side in (table.rows, table.columns):
                _judge_split(attention, side, clues)
        _judge_values(attention, clues)


def _judge_split(attention: Attention, side: Tensor, clues: Clues) -> None:
    tokens = attention.tokens
    for row in side:
        known = row[row >= 0]
        if len(known) < 2:
            continue
        sentences, positions = tokens.sentence(known), tokens.position(known)
        different = len(distinct(known))
        if bool((sentences != sentences[0]).any()):
            if different == len(known) and bool((positions == positions[0]).all()):
                if not clues.has("batch_leak"):
                    clues.add("batch_leak", "along_batch", place=attention.place)
                return
        elif bool((positions.diff() > 0).all()):
            continue
        if not clues.has("heads_mixed"):
            clues.add(
                "heads_mixed",
                "split",
                place=attention.place,
                distinct=different,
                length=len(row),
            )
        return


def _judge_values(attention: Attention, clues: Clues) -> None:
    tokens, key, value = attention.tokens, attention.key, attention.value
    known = (key >= 0) & (value != -1)
    differ = known & (key != value)
    if attention.kind == "reversed":
        clues.add("cross_reads_target", "reversed", place=attention.place)
    elif not bool(differ.any()):
        return
    elif bool((tokens.is_src(key) & tokens.is_tgt(value)).any()):
        clues.add("cross_reads_target", "values_from_target", place=attention.place)
    elif bool((tokens.is_tgt(key) & tokens.is_src(value)).any()):
        clues.add("cross_reads_target", "keys_from_target", place=attention.place)
    elif not clues.has("heads_mixed", "batch_leak"):
        clues.add(
            "heads_mixed",
            "values",
            place=attention.place,
            wrong=int(differ.sum()),
            all=int(known.sum()),
        )


def judge_joining(graph: Graph, attentions: list[Attention], clues: Clues) -> None:
    """`heads_mixed` on the way out: joined heads must stay with their own token."""
    mixes = {attention.mix.node.index for attention in attentions}
    for node in graph.nodes:
        if clues.has("heads_mixed"):
            return
        if graph.is_linear(node):
            read = graph.read_by(node)
            swapped = read is not node.operands[0] and read.tensor.dim() > 1
            dim = -2 if swapped and node.name in {"mm", "bmm"} else -1
            labels = read.labels
            if labels is None or labels.dim() < 2 or node.name == "convolution":
                continue
            if not bool((along(labels, dim) == MIXED).any()):
                continue
        elif node.name.rstrip("_") == "add" and len(node.operands) == 2:
            one, two = node.operands
            if one.labels is None or two.labels is None or not (one.of_tokens and two.of_tokens):
                continue
            if one.labels.shape != two.labels.shape or bool((one.labels == two.labels).all()):
                continue
        else:
            continue
        if any(_comes_from(graph, operand, mixes) for operand in node.operands):
            clues.add("heads_mixed", "join", place=node.place)


def _comes_from(graph: Graph, operand: Operand, mixes: set[int]) -> bool:
    """Whether an operand is a mix's result, moved about but not computed with."""
    for _ in range(8):
        makers = graph.makers(operand)
        if not makers:
            return False
        if makers[0].index in mixes:
            return True
        inputs = [o for o in makers[0].operands if o.labels is not None]
        if not inputs or (makers[0].name not in MOVES and len(makers[0].operands) > 2):
            return False
        if graph.is_linear(makers[0]):
            return False
        operand = inputs[0]
    return False
