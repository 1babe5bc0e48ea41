"""Each head's mean output over texts: what "mean" puts in its place."""

from collections.abc import Iterable, Mapping, Sequence

import torch

from ...recording.effects import Means
from ...recording.hooks import Recording
from ...trace.kinds import Kind


def mean_outputs(
    recordings: Iterable[Recording], heads_by_layer: Mapping[Kind, tuple[int, ...]]
) -> Means:
    """By kind, each head's mean output, [layer, head, d_head]: zeros in a layer without attention.

    Args:
        recordings: of what the heads hand on, one a text.
        heads_by_layer: how many heads each layer of a kind has.
    """
    sums: dict[tuple[Kind, int], torch.Tensor] = {}
    tokens: dict[Kind, int] = dict.fromkeys(heads_by_layer, 0)
    for recording in recordings:
        for kind in heads_by_layer:
            layers = recording.at(kind, "attended")
            tokens[kind] += layers[0].size(2)
            for at, layer in enumerate(layers):
                total = layer[0].double().sum(1)
                sums[kind, at] = sums[kind, at] + total if (kind, at) in sums else total
    return {
        kind: _by_layer(
            [total / tokens[kind] for (its, _), total in sums.items() if its == kind], heads
        )
        for kind, heads in heads_by_layer.items()
    }


def _by_layer(means: Sequence[torch.Tensor], heads: Sequence[int]) -> torch.Tensor:
    measured = iter(means)
    empty = torch.zeros_like(means[0])
    return torch.stack([next(measured) if n else empty for n in heads]).float()
