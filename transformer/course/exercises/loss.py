"""The training loss, shifted and without padding, against PyTorch's `cross_entropy`."""

from collections.abc import Callable, Iterator
from functools import partial
from types import ModuleType

import torch
import torch.nn.functional as F
from torch import Tensor

from .exercise import Mistake, Remark, ToldError, ask, compare, first_wrong, noise, slips, usual

NAME = "loss"
VOCABULARY = 8

USUAL = usual("loss")


def judge(module: ModuleType) -> Iterator[Remark]:
    """`loss(model, src, tgt, pad_id)`, a scalar."""
    return first_wrong(_remarks(module, pad_id) for pad_id in (0, 7))


def _remarks(module: ModuleType, pad_id: int) -> Iterator[Remark]:
    src = torch.tensor([[4, 5, 2], [6, 2, pad_id]])
    # A word that is 0 where that is not padding, which must be learnt.
    word = 4 if pad_id == 0 else 0
    tgt = torch.tensor([[1, 5, word, 6, 2, 3], [1, 3, 2, pad_id, pad_id, pad_id]])
    table = noise(VOCABULARY, VOCABULARY)

    def model(given: Tensor, read: Tensor) -> Tensor:
        """Logits [batch, tgt, vocabulary]: of what follows each token, by that token alone."""
        if not torch.equal(given, src):
            raise ToldError("other_source", function=NAME)
        return table[read]

    answer, changed = ask(NAME, partial(module.loss, model), pad_id, src=src, tgt=tgt)
    right = partial(loss_of, table[tgt], tgt, pad_id)
    wrong: list[Mistake] = [*slips(right, USUAL), *_smoothed(right)]
    if pad_id:
        wrong.insert(0, (("pad_id_unused",), lambda: loss_of(table[tgt], tgt, 0)))
    yield from list(compare(NAME, answer, right(), wrong)) or changed


def _smoothed(right: Callable[..., Tensor]) -> Iterator[Mistake]:
    """Labels smoothed by a usual share, with padding or without it."""
    for how in ("all", "others", "others but padding", "divergence"):
        for share in (0.1, 0.05, 0.2, 0.15, 0.3, 0.01):
            smooth = {"smooth": (share, how)}
            yield ("labels_smoothed",), partial(right, **smooth)
            for code in ("pad_in_loss", "target_not_shifted", "loss_summed"):
                yield ("labels_smoothed", code), partial(right, **smooth, **USUAL[code])


def loss_of(
    logits: Tensor,
    tgt: Tensor,
    pad_id: int,
    *,
    shift: str = "one",
    ignore: str = "padding",
    given: str = "logits",
    sign: int = 1,
    how: str = "mean",
    smooth: tuple[float, str] = (0, "all"),
) -> Tensor:
    """A right one, or one of many wrong ones.

    Args:
        logits: [batch, tgt, vocabulary], of every token of `tgt`.
        tgt: int64 [batch, tgt], padded with `pad_id`.
        pad_id: the id of padding.
        shift: which logits meet which labels.
        ignore: which labels do not count.
        given: what the loss takes for log-probabilities.
        sign: -1 makes it a gain.
        how: all tokens become one number.
        smooth: a share of each label, and who gets it: "all" tokens, the "others", "others but
            padding", or these against the logarithms as a "divergence".
    """
    logits, labels = {
        "one": (logits[:, :-1], tgt[:, 1:]),
        "none": (logits, tgt),
        "both cut": (logits[:, :-1], tgt[:, :-1]),
        "both late": (logits[:, 1:], tgt[:, 1:]),
        "back": (logits[:, 1:], tgt[:, :-1]),
        "two": (logits[:, :-2], tgt[:, 2:]),
    }[shift]
    ignored = {"padding": pad_id, "nothing": -100}[ignore]
    values = {
        "logits": logits.log_softmax(-1),
        "probabilities": logits.softmax(-1).log_softmax(-1),
        "logits for nll": logits,
        "probabilities for nll": logits.softmax(-1),
        "reshaped": logits.reshape(logits.mT.shape).mT.log_softmax(-1),
    }[given]
    counted = labels != ignored
    each = sign * _against(values, labels, pad_id, smooth).where(counted, 0)
    match how:
        case "none":
            return each
        case "sum":
            return each.sum()
        case "sentences":
            return (each.sum(1) / counted.sum(1)).mean()
        case "places":
            return each.mean()
        case _:
            return each.sum() / counted.sum()


def _against(numbers: Tensor, labels: Tensor, pad_id: int, smooth: tuple[float, str]) -> Tensor:
    """Cross-entropy of each label, [batch, tgt]."""
    share, how = smooth
    vocabulary = numbers.size(-1)
    one = F.one_hot(labels, vocabulary).to(numbers.dtype)
    if how == "all":
        target = one * (1 - share) + share / vocabulary
    else:
        but = 1 if how == "others" else 2
        target = torch.where(one == 1, 1 - share, share / (vocabulary - but))
        if but == 2:
            target[..., pad_id] = 0
    each = -(target * numbers).sum(-1)
    return each + torch.xlogy(target, target).sum(-1) if how == "divergence" else each
