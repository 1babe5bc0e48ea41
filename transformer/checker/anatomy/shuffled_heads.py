"""How heads are split and joined again, and who meets whom in between."""

import torch
from torch import Tensor

from ...eyes.attention import Attention
from ...eyes.batches import distinct
from ...eyes.graph import MOVES, Graph, Node, Operand
from ...eyes.heads_in_rows import heads_in_rows
from ...eyes.shadow import MIXED, along
from ..basis.clues import Clues


def judge_heads(attentions: list[Attention], clues: Clues) -> None:
    """`heads_mixed` on the way in, `batch_leak` along the batch, `cross_reads_target`."""
    for attention in attentions:
        for table in attention.graph.tables:
            if not bool(torch.isin(table.node.output.labels, attention.cells).any()):  # type: ignore[arg-type]
                continue
            if table.node.index in attention.graph.pieced and not clues.has("heads_mixed"):
                clues.add("heads_mixed", "pieced", place=attention.place)
            for side in (table.rows, table.columns):
                _judge_split(attention, side, clues)
        _judge_values(attention, clues)


def _judge_split(attention: Attention, side: Tensor, clues: Clues) -> None:
    tokens = attention.tokens
    for row in side:
        real = row[row >= 0]
        if len(real) < 2 or heads_in_rows(tokens, row) is not None:
            continue
        sentences, different = tokens.sentence(real), len(distinct(real))
        if different == len(real):  # whole tokens, each once
            if not bool((sentences != sentences[0]).any()):
                continue
            if _whole_sentences(attention, real):
                if attention.along_batch and not clues.has("batch_leak"):
                    clues.add("batch_leak", "along_batch", place=attention.place)
                return
        if not clues.has("heads_mixed"):
            clues.add(
                "heads_mixed",
                "split",
                place=attention.place,
                distinct=different,
                length=len(row),
            )
        return


def _whole_sentences(attention: Attention, row: Tensor) -> bool:
    """Whether a row is one position of every sentence, or every position of some."""
    tokens = attention.tokens
    positions, sentences = tokens.position(row), tokens.sentence(row)
    if bool((positions == positions[0]).all()):
        return True
    counts = [int((sentences == sentence).sum()) for sentence in distinct(sentences)]
    return len(set(counts)) == 1 and len(distinct(positions)) == counts[0]


def _judge_values(attention: Attention, clues: Clues) -> None:
    tokens, key, value = attention.tokens, attention.key, attention.value
    real = (key >= 0) & (value != -1)
    differ = real & (key != value)
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
            all=int(real.sum()),
        )


def judge_joining(graph: Graph, attentions: list[Attention], clues: Clues) -> None:
    """`heads_mixed` on the way out: joined heads must stay with their own token."""
    mixes = {attention.mix.node.index for attention in attentions}
    for node in graph.nodes:
        if clues.has("heads_mixed"):
            return
        mixed = _reads_mixed(graph, node) or _adds_strangers(node)
        if mixed and any(_comes_from(graph, operand, mixes) for operand in node.operands):
            clues.add("heads_mixed", "join", place=node.place)


def _reads_mixed(graph: Graph, node: Node) -> bool:
    """Whether a matrix meets a vector in which several tokens are joined."""
    if not graph.is_linear(node) or node.name == "convolution":
        return False
    read = graph.read_by(node)
    if read.labels is None or read.labels.dim() < 2:
        return False
    swapped = read is not node.operands[0] and node.name in {"mm", "bmm"}
    features = -2 if swapped else -1
    lost = (read.labels == MIXED).any(features)  # who knows whose they were
    return bool(((along(read.labels, features) == MIXED) & ~lost).any())


def _adds_strangers(node: Node) -> bool:
    """Whether the vectors of different tokens are added."""
    if node.name.rstrip("_") != "add" or len(node.operands) != 2:
        return False
    one, two = node.operands
    if one.labels is None or two.labels is None or not (one.of_tokens and two.of_tokens):
        return False
    if one.labels.shape != two.labels.shape or torch.equal(one.labels, two.labels):
        return False
    pure = (one.labels != MIXED) & (two.labels != MIXED)
    return bool(((one.labels != two.labels) & pure).any())


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
