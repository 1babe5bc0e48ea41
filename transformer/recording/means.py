"""What each head hands on in the mean: what an ablated head can be given instead of nothing."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy.typing as npt
import torch
from torch import Tensor

from ..model.padding import pad
from ..model.towers import Model
from ..trace.kinds import KINDS, Kind
from .effects import Means
from .hooks import record


def stored_means(arrays: Mapping[str, npt.NDArray[Any]], device: torch.device) -> Means:
    """The mean outputs that lie beside a checkpoint, [layer, head, d_head] by kind.

    Args:
        arrays: with names such as `cross.mean_output`.
        device: where the means are to be.
    """
    return {
        kind: torch.from_numpy(arrays[name]).to(device)
        for kind in KINDS
        if (name := f"{kind}.mean_output") in arrays
    }


def mean_outputs(model: Model, pairs: Iterable[tuple[Sequence[int], Sequence[int]]]) -> Means:
    """Each head's output (the weighted mean of its values), averaged over all positions.

    Args:
        model: in evaluation mode.
        pairs: ids of each sentence: the source, ending in `</s>` (empty for a decoder-only model),
            and the target, starting with `<s>`; its last token is not read.
    Returns:
        By kind float32 [layer, head, d_head]; nothing, if there are no pairs.
    """
    device = next(model.parameters()).device
    sums: dict[Kind, Tensor] = {}
    rows: dict[Kind, int] = {}
    for src, tgt in pairs:
        tgt_in = torch.tensor([tgt[:-1]], device=device)
        with torch.inference_mode(), record(model, ("attended",)) as recording:
            model.decode(tgt_in, model.encode(pad([src], model.config.pad_id, device)))
        for kind in KINDS:
            if layers := recording.at(kind, "attended"):
                attended = torch.cat(layers).double()  # [layer, head, query, d_head]
                sums[kind] = sums.get(kind, 0) + attended.sum(2)
                rows[kind] = rows.get(kind, 0) + attended.size(2)
    return {kind: (total / rows[kind]).float() for kind, total in sums.items()}
