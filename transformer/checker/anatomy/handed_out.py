"""Attention weights that a module hands out: before dropout, or after?"""

from collections.abc import Iterator
from typing import Any, cast

from torch import Tensor, nn

from ...eyes.attention import Attention
from ...eyes.dispatch import named_parts
from ...eyes.graph import PRODUCTS
from ...eyes.recorder import Recorder
from ..basis.clues import Clues
from .parameters import LIBRARIES


def hands_out_weights(recorder: Recorder, attentions: list[Attention], module: nn.Module) -> bool:
    """Whether anything that is handed out are an attention's weights."""
    return any(
        _since(recorder, tensor, attention) is not None
        for name, tensor in _handed_out(recorder, module)
        for attention in _within(name, attentions)
    )


def judge_handed_out(
    recorder: Recorder, attentions: list[Attention], module: nn.Module, clues: Clues
) -> None:
    """`weights_after_dropout`, from a recording in training mode."""
    for name, tensor in _handed_out(recorder, module):
        if any(_since(recorder, tensor, each) for each in _within(name, attentions)):
            sums = tensor.detach().float().sum(-1)
            clues.add(
                "weights_after_dropout",
                place=name or type(tensor).__name__,
                low=float(sums.min()),
                high=float(sums.max()),
            )
            return


def _handed_out(recorder: Recorder, module: nn.Module) -> Iterator[tuple[str, Tensor]]:
    """Tensors that submodules return or keep.

    What a library's layer returns is handed out only if the stranger's code keeps it or returns it,
    too: `nn.MultiheadAttention` returns weights to whoever does not want them.
    """
    for name, part, tensor in recorder.handed:
        if not type(part).__module__.startswith(LIBRARIES) and _is_table(tensor):
            yield name, tensor
    for name, part in named_parts(module):
        for value in list(part.__dict__.values()):
            several = isinstance(value, list | tuple)
            for held in cast(list[Any], value) if several else [value]:
                if not isinstance(held, nn.Parameter) and _is_table(held):
                    yield name, held


def _is_table(value: object) -> bool:
    return isinstance(value, Tensor) and value.is_floating_point() and value.dim() >= 2


def _within(name: str, attentions: list[Attention]) -> Iterator[Attention]:
    """The attentions that ran inside a submodule."""
    for attention in attentions:
        places = attention.softmax.node.place, attention.mix.node.place
        if not name or all(place == name or place.startswith(name + ".") for place in places):
            yield attention


def _since(recorder: Recorder, tensor: Tensor, attention: Attention) -> bool | None:
    """Whether something random was multiplied into these weights; None if they are others."""
    graph, softmax = recorder.graph, attention.softmax.node.index
    waiting, seen = list(recorder.writers(tensor)), set[int]()
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
    return dropped if reached else None
