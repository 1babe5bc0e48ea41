"""What a decoder sees in `train()` that it does not see in `eval()`, dropout aside."""

from torch.nn.modules.batchnorm import _BatchNorm  # pyright: ignore[reportPrivateUsage]

from ...eyes.batches import Maker
from ...eyes.calling import Caller
from .visibility import Visibility

ROUNDING = 1e-5  # of the largest logit


def training_leak(caller: Caller, maker: Maker, seen: Visibility) -> float | None:
    """The most that the last token of a sentence changes what stands before it; None if it doesn't.

    Norms over a batch use its own mean here, so that they mix what stands in it.

    Raises:
        CallFailed: the module does not run in `train()`.
    """
    batch, before = seen.batch, (caller.training, caller.still)
    last = batch.tgt.size(1) - 1
    changed = batch.with_token("tgt", 0, last, maker.other("tgt", int(batch.tgt[0, last])))
    caller.training = caller.still = True
    caller.settle()
    for part in norms_of_batches(caller):
        part.train()
    try:
        logits = caller.logits(batch)
        if bool(((logits - seen.logits).abs() <= seen.noise).all()):
            return None  # it does in training what it did in `eval()`
        change = (caller.logits(changed) - logits)[0, :last].abs()
    finally:
        caller.training, caller.still = before
        caller.settle()
    if not change.numel() or not bool(change.isfinite().all() and logits.isfinite().all()):
        return None
    largest = float(change.max())
    return largest if largest > ROUNDING * float(logits.abs().max()) else None


def norms_of_batches(caller: Caller) -> list[_BatchNorm]:
    """The submodules that take a mean over the batch in `train()`."""
    return [part for part in caller.module.modules() if isinstance(part, _BatchNorm)]
