"""Rows of many steps as one matrix, over a cache that grows, is fixed, or slides."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..trace.guest import Cells
from .tensors import Array, Given, dtype_of, library_of, one_text, shape_of


def is_assisted(steps: Sequence[Any]) -> bool:
    """Whether a step after the first has several rows, and is no pass over all that was read."""
    shapes = [shape_of(step[0])[-2:] for step in steps[1:]]
    return any(1 < queries < keys for queries, keys in shapes)


def stitched(
    name: str,
    steps: Sequence[Any],
    beams: Sequence[int],
    include_layers: Sequence[int] | None,
    hides: Cells | None = None,
    *,
    fixed: bool = False,
) -> Given:
    """One kind's rows of all steps.

    Args:
        name: of it, for sentences.
        steps: by step and layer [batch, head, query, key].
        beams: by step, the row of the batch.
        include_layers: which layers to read; None reads all.
        hides: bool [row], which rows are padding, whose weights lie anywhere; None if unsaid.
        fixed: whether all steps have the same keys: the source's.
    """
    if not fixed and is_assisted(steps):
        raise ValueError(
            f"{name} has steps of several rows: assisted generation (assistant_model, "
            "prompt_lookup_num_tokens) is not read; generate without it"
        )
    count = len(steps[0])
    chosen = set(range(count) if include_layers is None else include_layers)
    layers: list[Array | None] = []
    for number in range(count):
        if number not in chosen or steps[0][number] is None:
            layers.append(None)
            continue
        parts = [
            one_text(f"{name}[{at}][{number}]", step[number], beam)
            for at, (step, beam) in enumerate(zip(steps, beams, strict=True))
        ]
        layers.append(_joined(name, parts, fixed, hides))
    there = [layer for step in steps for layer in step if layer is not None]
    if not there:
        raise ValueError(f"{name} has no layer with attention")
    if not fixed:
        _check_own_rows(name, layers, shape_of(there[0])[-2])
    return Given(name, tuple(layers), dtype_of(there), library_of(there[0]))


def _check_own_rows(name: str, layers: Sequence[Array | None], prompt: int) -> None:
    """Refuses rows of other tokens: every token that was written looks at itself somewhere.

    Where the first pass of assisted generation read candidates with the prompt, transformers
    returns rows of the prompt once more.
    """
    arrays = [layer for layer in layers if layer is not None]
    seen = np.zeros(arrays[0].shape[1], bool)
    for layer in arrays:
        seen |= np.einsum("hqq->hq", layer).any(0)
    if not seen[prompt:].all():
        raise ValueError(
            f"{name} has rows that are not their tokens' own: assisted generation "
            "(assistant_model, prompt_lookup_num_tokens) is not read; generate without it"
        )


def _joined(name: str, parts: Sequence[Array], fixed: bool, hides: Cells | None) -> Array:
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
        seen = part[..., width:] if hides is None else part[:, ~hides[first:last], width:]
        if np.nan_to_num(seen).any():
            raise ValueError(
                f"{name} attends to more tokens than there are yet: is it cross-attention? Hand in "
                "whole what generate() returned"
            )
        joined[:, first:last, last - width : last] = part[..., :width]
    return joined
