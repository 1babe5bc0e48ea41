"""What a run showed in the place of an attention, for a sentence."""

from ...eyes.graph import Graph


def seen_instead(graph: Graph) -> str:
    """What a module computes with its tokens where no softmax over scores was found."""
    foreign = sorted({node.name for node in graph.nodes if "::" in node.name})
    if foreign:
        return f"operations of its own, {', '.join(foreign[:3])}, into which nobody can look"
    if graph.tables:
        count = len(graph.tables)
        products = "product" if count == 1 else "products"
        return (
            f"{count} {products} of tokens with tokens, but no softmax over one "
            "(as in linear attention)"
        )
    return "no product of tokens with tokens at all"
