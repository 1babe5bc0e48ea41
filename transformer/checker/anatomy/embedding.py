"""Embeddings beside the positions that are added to them."""

from torch import nn

from ...eyes.graph import Graph, Node, Operand, factor_of
from ...eyes.shadow import storage_key
from ..basis.clues import Clues
from .parameters import learned_storages

SMALL = 0.5  # of the positions' size; N(0, 1) embeddings have 1.4, those of 1/√d_model 0.06 to 0.5


def judge_embedding_scale(graph: Graph, module: nn.Module, clues: Clues) -> None:
    """`embedding_scale`: sinusoids drown embeddings that nobody multiplied by √d_model."""
    learned = learned_storages(module)
    for node, token, position in graph.sums():
        factor = _factor_to_embedding(graph, token)
        if factor is None:
            continue
        if not _fixed(graph, position, learned):
            if _looked_up(graph, position, learned):
                clues.cannot_tell("table_positions", "embedding_scale")
            continue
        small = _rms(token) / max(_rms(position), 1e-9)
        if small < SMALL and abs(factor) < 2:
            clues.add("embedding_scale", place=node.place, ratio=small)
            return


def _factor_to_embedding(graph: Graph, operand: Operand) -> float | None:
    """What the embeddings were multiplied by before; None if this is something else."""
    factor = 1.0
    while makers := graph.makers(operand):
        node: Node = makers[0]
        if node.name == "embedding":
            return factor
        streams = [o for o in node.operands if o.of_tokens]
        if len(streams) != 1 or graph.is_linear(node):
            return None
        if (scale := factor_of(node)) is not None:
            factor *= scale
        elif node.name.rstrip("_") not in {"clone", "_to_copy", "mul", "cat", "copy"}:
            return None
        operand = streams[0]
    return None


def _fixed(graph: Graph, operand: Operand, learned: set[int]) -> bool:
    """Whether positions are given rather than learned or looked up."""
    if operand.tensor.dim() < 2 or _rms(operand) < 0.1 or not operand.tensor.is_floating_point():
        return False
    if storage_key(operand.tensor) in learned:
        return False
    behind = [graph.nodes[index] for index in graph.before(operand)]
    return all(
        node.name != "embedding"
        and not any(storage_key(o.tensor) in learned for o in node.operands)
        for node in behind
    )


def _looked_up(graph: Graph, operand: Operand, learned: set[int]) -> bool:
    """Whether positions come from a table that is not trained; Marian's are such, and meant."""
    behind = [graph.nodes[index] for index in graph.before(operand)]
    tables = [node.args[0] for node in behind if node.name == "embedding"]
    return any(storage_key(table.tensor) not in learned for table in tables)


def _rms(operand: Operand) -> float:
    return float(operand.value.float().square().mean().sqrt())
