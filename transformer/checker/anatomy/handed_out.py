"""Attention weights that a module hands out: before dropout, or after?"""

from typing import Any, cast

from torch import Tensor, nn

from ...eyes.attention import Attention
from ...eyes.graph import PRODUCTS, Graph
from ...eyes.recorder import Recorder, named_parts
from ..basis.clues import Clues
from .parameters import LIBRARIES


def judge_handed_out(
    recorder: Recorder, attentions: list[Attention], module: nn.Module, clues: Clues
) -> None:
    """`weights_after_dropout`, from a recording in training mode.

    What a library's layer returns is handed out only if the stranger's code keeps it or returns it,
    too: `nn.MultiheadAttention` returns weights to whoever does not want them.
    """
    graph = recorder.graph
    for name, part, tensor in recorder.handed:
        if not type(part).__module__.startswith(LIBRARIES):
            _judge(recorder, graph, attentions, name, tensor, clues)
    for name, part in named_parts(module):
        for value in list(part.__dict__.values()):
            several = isinstance(value, list | tuple)
            held = cast(list[Any], value) if several else [value]
            for tensor in held:
                if isinstance(tensor, Tensor) and not isinstance(tensor, nn.Parameter):
                    _judge(recorder, graph, attentions, name, tensor, clues)


def _judge(
    recorder: Recorder,
    graph: Graph,
    attentions: list[Attention],
    name: str,
    tensor: Tensor,
    clues: Clues,
) -> None:
    if clues.has("weights_after_dropout") or not tensor.is_floating_point() or tensor.dim() < 2:
        return
    for attention in attentions:
        softmax, mix = attention.softmax.node, attention.mix.node
        inside = not name or all(
            place == name or place.startswith(name + ".") for place in (softmax.place, mix.place)
        )
        if not inside:
            continue
        dropped = _dropped_since(graph, recorder.writers(tensor), softmax.index)
        if dropped:
            sums = tensor.detach().float().sum(-1)
            clues.add(
                "weights_after_dropout",
                place=name or type(tensor).__name__,
                low=float(sums.min()),
                high=float(sums.max()),
            )
            return


def _dropped_since(graph: Graph, writers: tuple[int, ...], softmax: int) -> bool:
    """Whether these are this softmax's weights, and something random was multiplied in."""
    waiting, seen = list(writers), set[int]()
    reached, dropped = False, False
    while waiting:
        index = waiting.pop()
        if index == softmax:
            reached = True
            continue
        if index in seen or index < softmax or graph.nodes[index].name in PRODUCTS:
            continue
        seen.add(index)
        node = graph.nodes[index]
        dropped |= node.name == "native_dropout"
        for operand in node.operands:
            if operand.labels is not None:
                waiting.extend(operand.writers)
            else:
                dropped |= bool(set(operand.writers) & graph.random)
    return reached and dropped
