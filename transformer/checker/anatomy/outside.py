"""Parameters that go into the logits by numbers outside of autograd: `item()`, `tolist()`, numpy.

A recording ends where tensors become plain numbers, so that is measured: such a parameter moves the
logits as it is moved itself, in proportion, and no gradient leads back to it.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import pairwise

import torch
from torch import Tensor, nn

from ...eyes.batches import Batch
from ...eyes.calling import Caller

MOST = 96  # parameters that are tried one by one
STEP = 5e-2  # of a parameter's size
CLEAR = 20.0  # times what rounding changes
HALVES = 4  # steps, each half of the one before
IN_PROPORTION = (1.4, 3.0)  # twice the step, twice the change; a choice between two jumps


def moving(caller: Caller, batch: Batch, cut: Sequence[nn.Parameter]) -> list[nn.Parameter]:
    """The parameters, of these, that the logits follow as a smooth function of them.

    Raises:
        CallFailed: the module raised.
    """
    cut = [p for p in cut if p.is_floating_point() and p.numel()]
    if not cut:
        return []
    one = batch.rows([0])
    still = caller.logits(one)
    if not bool(still.isfinite().all()) or not torch.equal(still, caller.logits(one)):
        return []
    clear = CLEAR * 1e-6 * max(float(still.abs().max()), 1e-3)

    def change(parameters: Sequence[nn.Parameter], step: float) -> float:
        with _moved(parameters, step):
            return float((caller.logits(one) - still).abs().max())

    if not change(cut, STEP) > clear:
        return []
    parameters: list[nn.Parameter] = []
    for parameter in cut[:MOST]:
        changes = [change([parameter], STEP)]
        while len(changes) < HALVES and changes[-1] > clear:
            changes.append(change([parameter], STEP / 2 ** len(changes)))
        steps = [far / max(near, clear / 4) for far, near in pairwise(changes)]
        if steps and all(IN_PROPORTION[0] < step < IN_PROPORTION[1] for step in steps):
            parameters.append(parameter)
    return parameters


@contextmanager
def _moved(parameters: Sequence[nn.Parameter], step: float) -> Iterator[None]:
    """Parameters a step away, each number in a direction of its own; afterwards as they were."""
    values = [parameter.data.clone() for parameter in parameters]
    generator = torch.Generator().manual_seed(0)
    try:
        for parameter, value in zip(parameters, values, strict=True):
            parameter.data.add_(_directions(value, generator), alpha=step)
        yield
    finally:
        for parameter, value in zip(parameters, values, strict=True):
            parameter.data.copy_(value)


def _directions(value: Tensor, generator: torch.Generator) -> Tensor:
    size = float(value.detach().float().square().mean().sqrt()) or 1.0
    signs = torch.randn(value.shape, generator=generator).sign()
    return (size * signs).to(value)
