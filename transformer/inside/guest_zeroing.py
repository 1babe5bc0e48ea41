"""Each token's values made zero in turn, in a guest's layers."""

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
import torch
from torch import Tensor

from ..ask.passes import CELLS
from ..trace.kinds import Kind
from ..trace.packing import Weights, read_only
from ..trace.trace import AttentionTrace
from .guest_passes import refuse_unseen_values
from .guest_states import states
from .value_zeroing import ValueZeroing, shares_of

if TYPE_CHECKING:
    from ..guests.hugging_face.guest import HuggingFaceModel
    from ..guests.hugging_face.towers import Tower


def value_zeroing(guest: "HuggingFaceModel", trace: AttentionTrace) -> ValueZeroing:
    """Which tokens a guest's layers rest on: see `value_zeroing.value_zeroing`.

    Raises:
        HeadlightError: its values, or where its layers lie, are not known.
    """
    refuse_unseen_values(guest)
    distances: dict[Kind, Weights] = {}
    for kind, heads in guest.learnt.heads.items():
        turned, output = _turned(guest, trace, kind)
        # Rounding alone may turn an output so far: 1e-12 in float32, whose steps are 1e-7.
        least = max(1e-12, torch.finfo(guest.model.dtype).eps ** 2)
        shares = [shares_of(turned[at], output[at : at + 1], least) for at in sorted(turned)]
        if any(heads):
            distances[kind] = read_only(np.stack([it.cpu().numpy() for it in shares]))
    return ValueZeroing(
        trace=trace,
        encoder_self=distances.get("encoder_self"),
        decoder_self=distances.get("decoder_self"),  # pyright: ignore[reportArgumentType]
        cross=distances.get("cross"),
    )


def _turned(
    guest: "HuggingFaceModel", trace: AttentionTrace, kind: Kind
) -> tuple[dict[int, Tensor], Tensor]:
    """Outputs by layer [key, query, d_model], each without a token's values, and as it is.

    One pass tells all layers: each hands on what it handed on in the trace, so that none feels what
    was done to those below it.
    """
    from ..guests.hugging_face.calling import forward
    from ..guests.hugging_face.towers import layers_of, states_replaced
    from ..recording.hooks import attached

    tower: Tower = "encoder" if kind == "encoder_self" else "decoder"
    layers = layers_of(guest.model, guest.learnt, tower)
    output = states(guest, trace, tower)
    places = [it for each in guest.learnt.layout.values() for it in each if it.kind == kind]
    by_layer: dict[int, list[Tensor]] = {it.layer: [] for it in places}

    def hand_on(at: int, state: Tensor) -> None:
        if at in by_layer:
            by_layer[at].append(state.clone())
        state[:] = output[at]

    changes = {layer: partial(hand_on, at) for at, layer in enumerate(layers)}
    arguments = guest.arguments(trace)
    size = len(trace.tgt_in) if kind == "decoder_self" else len(trace.src)
    vocab = int(guest.model.config.get_text_config().vocab_size)
    rows = max(1, CELLS // (vocab * output.size(1)))
    for start in range(0, size, rows):
        keys = range(start, min(start + rows, size))
        zero = partial(_without, keys)
        with (
            guest.changed(trace.interventions),
            attached((it.value, zero) for it in places),
            states_replaced(changes),
        ):
            forward(guest.model, arguments, rows=len(keys))
    return {at: torch.cat(rows) for at, rows in by_layer.items()}, output


def _without(keys: Sequence[int], _module: Any, _args: object, value: Tensor) -> Tensor:
    """Values [row, head, key, d_head], in each row those of one key zero."""
    value = value.clone()
    for row, key in enumerate(keys):
        value[row, :, key] = 0
    return value
