"""What a run showed in the place of an attention, for a sentence."""

from ...eyes.graph import Graph
from ...eyes.softmax import find_softmaxes


def seen_instead(graph: Graph) -> str:
    """What a module computes with its tokens where no softmax over scores was found."""
    foreign = sorted({node.name for node in graph.nodes if "::" in node.name})
    if foreign:
        return f"operations of its own, {', '.join(foreign[:3])}, into which nobody can look"
    if count := len(find_softmaxes(graph)):
        softmaxes = "softmax" if count == 1 else "softmaxes"
        return (
            f"{count} {softmaxes} over scores of tokens with tokens, but nothing that the result "
            "itself multiplies: it is changed on its way to the values (heads averaged, or mixed "
            "by a convolution, say)"
        )
    if graph.tables:
        count = len(graph.tables)
        products = "product" if count == 1 else "products"
        return (
            f"{count} {products} of tokens with tokens, but no softmax over one "
            "(as in linear attention)"
        )
    return "no product of tokens with tokens at all"
