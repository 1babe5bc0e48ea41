"""The training loss, shifted and without padding, against PyTorch's `cross_entropy`."""

from collections.abc import Iterator
from types import ModuleType

import torch
import torch.nn.functional as F
from torch import Tensor

from .exercise import Mistake, Remark, compare, noise

VOCABULARY, PAD = 7, 0


def judge(module: ModuleType) -> Iterator[Remark]:
    """`loss(model, src, tgt, pad_id)`, a scalar."""
    src = torch.tensor([[4, 5, 2], [6, 2, PAD]])
    tgt = torch.tensor([[1, 5, 4, 6, 2], [1, 3, 2, PAD, PAD]])
    table = noise(VOCABULARY, VOCABULARY)

    def model(_src: Tensor, tgt: Tensor) -> Tensor:
        """Logits [batch, tgt, vocabulary]: of what follows each token, by that token alone."""
        return table[tgt]

    answer: object = module.loss(model, src, tgt, PAD)
    logits = model(src, tgt)
    ahead, behind, labels, before = logits[:, :-1], logits[:, 1:], tgt[:, 1:], tgt[:, :-1]
    wrong: list[Mistake] = [
        ("target_not_shifted", lambda: _loss(logits, tgt)),
        ("target_not_shifted", lambda: _loss(ahead, before)),
        ("target_not_shifted", lambda: _loss(behind, labels)),
        ("shifted_backwards", lambda: _loss(behind, before)),
        ("not_shifted_with_padding", lambda: _loss(logits, tgt, ignore=-100)),
        ("pad_in_loss", lambda: _loss(ahead, labels, ignore=-100)),
        ("softmax_before_cross_entropy", lambda: _loss(ahead.softmax(-1), labels)),
        ("loss_summed", lambda: _loss(ahead, labels, how="sum")),
        ("loss_not_reduced", lambda: _loss(ahead, labels, how="none")),
    ]
    yield from compare("loss", answer, _loss(ahead, labels), wrong)


def _loss(logits: Tensor, tgt: Tensor, ignore: int = PAD, how: str = "mean") -> Tensor:
    flat = logits.reshape(-1, VOCABULARY)
    return F.cross_entropy(flat, tgt.reshape(-1), ignore_index=ignore, reduction=how)
