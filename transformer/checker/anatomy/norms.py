"""Norms that are written out, and what they do to the size of a vector."""

from torch import Tensor

from ...eyes.graph import NORMS, Graph, Node, Operand, is_norm
from ..basis.clues import Clues

SPREAD = 1e-3  # of the vectors' sizes, in logarithms: below it nothing tells
STEPS = 6  # from a vector to what it is divided by
GAINS = {"mul", "div"}
SIZES = {"mean", "sum", "var", "std", "norm", "linalg_vector_norm", "var_mean", "std_mean"}


def judge_inverted(graph: Graph, behind: set[int], clues: Clues) -> None:
    """`norm_inverted`: a norm that makes large vectors larger, as one that divides by a rsqrt."""
    for index in sorted(behind):
        node = graph.nodes[index]
        if node.name in NORMS or not is_norm(node):
            continue
        wide, narrow = node.operands
        if wide.tensor.shape[-1:] == (1,):
            wide, narrow = narrow, wide
        if _by_its_size(graph, wide, narrow) and (power := _power(node, wide)) is not None:
            if power > 0.5:
                clues.add("norm_inverted", place=node.place, power=1 + power)
                return


def _by_its_size(graph: Graph, wide: Operand, narrow: Operand) -> bool:
    """Whether a number for each vector is computed from the size of that very vector."""
    sources = _before_gains(graph, wide)
    waiting, seen = [narrow], set[int]()
    for _ in range(STEPS):
        nodes = [n for operand in waiting for n in graph.makers(operand) if n.index not in seen]
        seen |= {node.index for node in nodes}
        sizes = [n for n in nodes if n.name in SIZES]
        if any(sources & graph.before(n.operands[0]) or not sources for n in sizes):
            return True
        waiting = [o for n in nodes for o in n.operands if o.of_tokens]
    return False


def _before_gains(graph: Graph, wide: Operand) -> set[int]:
    """What wrote a vector, and what did before it was multiplied by what belongs to no token."""
    before, waiting = set(wide.writers), [wide]
    for _ in range(STEPS):
        gains = [n for o in waiting for n in graph.makers(o) if n.name.rstrip("_") in GAINS]
        read = [[o for o in n.operands if o.of_tokens] for n in gains]
        waiting = [only[0] for only in read if len(only) == 1]
        before |= {writer for operand in waiting for writer in operand.writers}
    return before


def _power(node: Node, wide: Operand) -> float | None:
    """How the factor grows with a vector's size: −1 of a norm, 1 of one that is inverted."""
    before, after = _sizes(wide.value), _sizes(node.output.value)
    usable = (before > 0) & (after > 0) & before.isfinite() & after.isfinite()
    size = before[usable].log()
    factor = after[usable].log() - size
    if len(size) < 3 or float(size.std()) < SPREAD:
        return None
    size, factor = size - size.mean(), factor - factor.mean()
    return float(size @ factor) / float(size @ size)


def _sizes(vectors: Tensor) -> Tensor:
    vectors = vectors.detach().double()
    return vectors.square().sum(-1).sqrt().flatten().cpu()
