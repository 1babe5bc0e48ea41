"""Finds every softmax over scores: PyTorch's, or one that is written out."""

from dataclasses import dataclass

from .graph import Graph, Node, Operand


@dataclass(eq=False)
class Softmax:
    """A softmax, PyTorch's or written out.

    Attributes:
        node: its last operation.
        start: its first, by index.
        scores: what went in.
        dim: along which axis.
    """

    node: Node
    start: int
    scores: Operand
    dim: int


def find_softmaxes(graph: Graph) -> list[Softmax]:
    """Every softmax over scores, in the order of execution."""
    found: list[Softmax] = []
    for node in graph.nodes:
        if node.name in {"_softmax", "_safe_softmax"} and node.operands[0].of_cells:
            found.append(Softmax(node, node.index, node.operands[0], node.args[1]))
        elif node.name in {"div", "div_"} and len(node.operands) == 2:
            top, bottom = node.operands
            powers = [n for n in _back(graph, top) if n.name in {"exp", "exp_"}]
            shapes = list(zip(top.tensor.shape, bottom.tensor.shape, strict=False))
            dims = [d for d, (many, one) in enumerate(shapes) if many > 1 and one == 1]
            if powers and len(dims) == 1 and top.of_cells:
                found.append(Softmax(node, powers[0].index, powers[0].operands[0], dims[0]))
    return found


def _back(graph: Graph, operand: Operand) -> list[Node]:
    """Up to three steps back along the cells."""
    found: list[Node] = []
    for _ in range(3):
        makers = graph.makers(operand)
        if not makers:
            break
        found.append(makers[0])
        cells = [o for o in makers[0].operands if o.of_cells]
        if not cells:
            break
        operand = cells[0]
    return found
