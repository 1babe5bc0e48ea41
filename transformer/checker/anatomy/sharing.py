"""Layers that are one object, or equal copies of one."""

import torch
from torch import Tensor

from ...eyes.attention import Attention, Kind
from ..basis.clues import Clues


def judge_sharing(attentions: list[Attention], clues: Clues) -> None:
    """`shared_layers`: the projections of all layers of a tower are the same numbers."""
    kinds: tuple[Kind, ...] = ("encoder_self", "decoder_self", "cross")
    judged = False
    for kind in kinds:
        layers: dict[int, list[Tensor]] = {}
        for attention in attentions:
            if attention.kind == kind:
                weights = [
                    attention.graph.weight(source.linear).value
                    for source in attention.sources
                    if source.linear is not None
                ]
                layers.setdefault(attention.layer, []).extend(weights)
        if not layers or any(len(weights) == 0 for weights in layers.values()):
            continue
        if not any(bool((w != w.flatten()[0]).any()) for ws in layers.values() for w in ws):
            clues.cannot_tell("weights_constant", "shared_layers")
            continue  # numbers that are all the same are the same in each layer
        judged = True
        first, *rest = layers.values()
        if rest and all(_equal(first, other) for other in rest):
            one_object = all(
                a.data_ptr() == b.data_ptr() for a, b in zip(first, rest[0], strict=True)
            )
            clues.add(
                "shared_layers",
                "one_object" if one_object else "equal_copies",
                layers=len(layers),
                kind=kind,
            )
            return
    if not judged:
        clues.cannot_tell("one_layer_seen", "shared_layers")


def _equal(a: list[Tensor], b: list[Tensor]) -> bool:
    return len(a) == len(b) and all(
        x.shape == y.shape and torch.equal(x, y) for x, y in zip(a, b, strict=True)
    )
