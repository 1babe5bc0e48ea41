"""Which token changes which logits: change one at a time, and see."""

from dataclasses import dataclass

import torch
from torch import Tensor

from ...eyes.batches import Batch, Maker
from ...eyes.calling import Caller


@dataclass(eq=False)
class Visibility:
    """How much changing one token changes the logits, by their largest change.

    Attributes:
        batch: what the module read.
        logits: [batch, tgt, vocab]
        tgt: [tgt position, tgt token]
        src: [tgt position, src token]; None for a language model.
        others: the most that a token changed the logits of another sentence.
        noise: changes up to here are rounding.
    """

    batch: Batch
    logits: Tensor
    tgt: Tensor
    src: Tensor | None
    others: float
    noise: float

    @property
    def usable(self) -> bool:
        """Whether the logits are numbers at all."""
        return bool(self.logits.isfinite().all())


def measure_visibility(caller: Caller, maker: Maker, batch: Batch) -> Visibility:
    """Changes every token of the first sentence in turn.

    Raises:
        CallFailed: the module does not run on this batch.
    """
    logits = caller.logits(batch)
    sides: dict[str, Tensor] = {}
    others = 0.0
    for side in ("src", "tgt"):
        ids = batch.src if side == "src" else batch.tgt
        if ids is None:
            continue
        columns: list[Tensor] = []
        for position in range(ids.size(1)):
            token = maker.other(side, int(ids[0, position]))
            changed = batch.with_token(side, 0, position, token)
            change = (caller.logits(changed) - logits).abs().amax(-1)
            columns.append(change[0])
            others = max(others, float(change[1:].nan_to_num(0).max()) if len(change) > 1 else 0.0)
        sides[side] = torch.stack(columns, dim=1)
    noise = 1e-6 * max(float(logits.nan_to_num(0).abs().max()), 1e-3)
    return Visibility(batch, logits, sides["tgt"], sides.get("src"), others, noise)
