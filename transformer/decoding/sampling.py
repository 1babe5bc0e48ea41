"""Choosing the next token: the likeliest, or one drawn by lot."""

from collections.abc import Callable, Sequence

import torch
from torch import Tensor

from ..trace.sampling import Sampling


def chooser(
    samplings: Sequence[Sampling | None], max_length: int
) -> Callable[[Tensor, int], Tensor]:
    """A function from logits [batch, vocab] and their position to the tokens emitted, [batch].

    Args:
        samplings: one for each row; None takes the likeliest.
        max_length: there are so many positions.
    """
    drawn = [(row, sampling) for row, sampling in enumerate(samplings) if sampling]
    if not drawn:
        return lambda logits, _position: logits.argmax(-1)
    # Drawn on the CPU, for every position there is, so that nothing but the seed matters: neither
    # what else is in the batch, nor, as with torch.multinomial, the device and the processor.
    lots = torch.stack([_lots(sampling.seed, max_length) for _, sampling in drawn])
    rows = torch.tensor([row for row, _ in drawn])
    temperatures = torch.tensor([[s.temperature] for _, s in drawn], dtype=torch.float64)
    nuclei = torch.tensor([[s.top_p] for _, s in drawn], dtype=torch.float64)

    def choose(logits: Tensor, position: int) -> Tensor:
        vocab, device = logits.size(-1), logits.device
        ks = [min(sampling.top_k or vocab, vocab) for _, sampling in drawn]
        where = rows.to(device)
        best = logits[where].double().topk(max(ks))
        # Less the largest first: a temperature near 0 makes no infinity of it.
        tempered = (best.values - best.values[:, :1]) / temperatures.to(device)
        beyond = torch.arange(max(ks)) >= torch.tensor(ks)[:, None]
        shares = tempered.masked_fill(beyond.to(device), -torch.inf).softmax(-1)
        reached = _nucleus(shares, nuclei.to(device)).cumsum(-1)
        lot = lots[:, position, None].to(device) * reached[:, -1:]
        place = torch.searchsorted(reached, lot, right=True)
        return logits.argmax(-1).index_copy(0, where, best.indices.gather(-1, place)[:, 0])

    return choose


def chances(logits: Tensor, sampling: Sampling) -> Tensor:
    """The distribution that a token is drawn from, [..., vocab]: 0 for what is left out.

    Args:
        logits: [..., vocab]
        sampling: how it is drawn
    """
    best = logits.double()
    all_of_them = not 0 < sampling.top_k < best.size(-1)
    if all_of_them and sampling.top_p == 1:
        return _tempered(best, best.amax(-1, keepdim=True), sampling).to(logits.dtype)
    values, ids = best.topk(best.size(-1) if all_of_them else sampling.top_k)
    shares = _nucleus(_tempered(values, values[..., :1], sampling), sampling.top_p)
    shares = shares / shares.sum(-1, keepdim=True)
    return torch.zeros_like(best).scatter(-1, ids, shares).to(logits.dtype)


def _tempered(logits: Tensor, largest: Tensor, sampling: Sampling) -> Tensor:
    return ((logits - largest) / sampling.temperature).softmax(-1)


def _nucleus(shares: Tensor, top_p: Tensor | float) -> Tensor:
    """Shares, the largest first, with 0 for those beyond the fewest that sum to `top_p`."""
    before = shares.cumsum(-1) - shares
    # Of tokens whose share is lost in rounding, 1 leaves none out.
    return shares.masked_fill((before >= top_p) & torch.as_tensor(top_p < 1), 0)


def _lots(seed: int, count: int) -> Tensor:
    """Random numbers from [0, 1), float64 [count]: the seed's own."""
    generator = torch.Generator().manual_seed(seed)
    return torch.rand(count, dtype=torch.float64, generator=generator)
