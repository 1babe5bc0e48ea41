"""Rows of many steps as one matrix, over a cache that grows, is fixed, or slides."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from .tensors import (
    Array,
    Given,
    check_numbers,
    dtype_of,
    library_of,
    one_text,
    shape_of,
    up_to,
)


class Asked(NamedTuple):
    """Which of what was generated, and how much of it: the arguments of `headlight.view`."""

    row: int
    include_layers: Sequence[int] | None
    include_heads: Sequence[int] | None


def is_assisted(steps: Sequence[Any]) -> bool:
    """Whether a step after the first has several rows, and is no pass over all that was read."""
    shapes = [shape_of(step[0])[-2:] for step in steps[1:]]
    return any(1 < queries < keys for queries, keys in shapes)


def stitched(
    name: str, steps: Sequence[Any], beams: Sequence[int], asked: Asked, *, fixed: bool = False
) -> Given:
    """One kind's rows of all steps.

    Args:
        name: of it, for sentences.
        steps: by step and layer [batch, head, query, key].
        beams: by step, the row of the batch.
        asked: which layers and heads.
        fixed: whether all steps have the same keys: the source's.
    """
    if is_assisted(steps):
        raise ValueError(
            f"{name} has steps of several rows: assisted generation (assistant_model, "
            "prompt_lookup_num_tokens) is not read; generate without it"
        )
    count = len(steps[0])
    chosen = set(range(count))
    if asked.include_layers is not None:
        check_numbers("include_layers", asked.include_layers, count, "layers")
        chosen = set(asked.include_layers)
    layers: list[Array | None] = []
    for number in range(count):
        if number not in chosen or steps[0][number] is None:
            layers.append(None)
            continue
        parts = [
            one_text(f"{name}[{at}][{number}]", step[number], beam)
            for at, (step, beam) in enumerate(zip(steps, beams, strict=True))
        ]
        layers.append(_joined(name, parts, fixed))
    found = [layer for step in steps for layer in step if layer is not None]
    if not found:
        raise ValueError(f"{name} has no layer with attention")
    given = Given(name, tuple(layers), dtype_of(found), library_of(found[0]))
    return up_to(given, asked.include_heads)


def _joined(name: str, parts: Sequence[Array], fixed: bool) -> Array:
    heads, prompt, keys = parts[0].shape
    rows = prompt + len(parts) - 1
    joined = np.zeros((heads, rows, keys if fixed else rows), np.float32)
    for step, part in enumerate(parts):
        first, last = (0, prompt) if not step else (prompt + step - 1, prompt + step)
        part = part[:, first - last :]  # of a pass without a cache, only its last row is new
        if fixed:
            joined[:, first:last] = part
            continue
        # A static cache has more keys than there is text; a sliding one only the last of them.
        width = min(part.shape[2], last)
        if np.nan_to_num(part[..., width:]).any():
            raise ValueError(
                f"{name} attends to more tokens than there are yet: is it cross-attention? Hand in "
                "whole what generate() returned"
            )
        joined[:, first:last, last - width : last] = part[..., :width]
    return joined
