"""What a module does to a softmax's weights before they meet the values, in a sentence."""

import torch

from ...eyes.attention import Attention
from ...eyes.graph import Graph
from ...eyes.shadow import CELLS
from ...eyes.softmax import find_softmaxes

ROUNDING: dict[torch.dtype, float] = {torch.float32: 1e-4, torch.float64: 1e-4}
HALF = 2e-2
"""How far weights may be moved by being rounded to fewer bits."""


def changed_afterwards(graph: Graph, attentions: list[Attention]) -> str:
    """What becomes of weights that are shown; "" where the values get them as they are.

    Args:
        graph: of a run that labelled tokens.
        attentions: all that were found in it.
    """
    worst, layers = 0.0, dict[str, set[int]]()
    for it in attentions:
        if it.kind == "reversed":
            continue
        off = (it.used - it.weights.nan_to_num(nan=0.0)).nan_to_num(nan=0.0)
        # Rows of a padding of the module's own are no text's.
        of_text = (it.cells >= CELLS) & (it.query >= 0)[..., None]
        most = float(off.abs().where(of_text, 0).max())
        if most > ROUNDING.get(it.mix.cells.value.dtype, HALF):
            worst = max(worst, most)
            layers.setdefault(it.kind, set()).add(it.layer + 1)
    if not layers:
        return ""
    where = "; ".join(
        f"layer{'s' if len(numbers) > 1 else ''} {', '.join(map(str, sorted(numbers)))} of {kind}"
        for kind, numbers in layers.items()
    )
    indices = {it.softmax.node.index for it in attentions}
    others = sum(it.node.index not in indices for it in find_softmaxes(graph))
    more = f" Not shown either: {others} softmax(es) more, which go into that." if others else ""
    return (
        "Shown is what a softmax gave. It is changed before it meets the values "
        f"(in {where}, by up to {worst:.2g}), as by a factor, a gate, a mix of heads or the "
        f"difference of two softmaxes; what then moves the values is not shown.{more}"
    )
