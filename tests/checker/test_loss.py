"""The training loss, however it is written."""

from collections.abc import Callable

import pytest
import torch
import torch.nn.functional as F
from torch import Tensor, nn

from tests.checker.bugs import batch
from tests.checker.zoo_classic import Classic
from tests.checker.zoo_compact import Compact
from transformer import check

Loss = Callable[[nn.Module, Tensor, Tensor], Tensor]


def right(model: nn.Module, src: Tensor, tgt: Tensor) -> Tensor:
    logits = model(src, tgt[:, :-1])
    return F.cross_entropy(logits.transpose(1, 2), tgt[:, 1:], ignore_index=0)


def by_hand(model: nn.Module, src: Tensor, tgt: Tensor) -> Tensor:
    asked = tgt[:, 1:]
    chosen = model(src, tgt[:, :-1]).log_softmax(-1).gather(-1, asked[..., None])[..., 0]
    return -(chosen * (asked != 0)).sum() / (asked != 0).sum()


def smoothed(model: nn.Module, src: Tensor, tgt: Tensor) -> Tensor:
    logits = model(src, tgt[:, :-1]).flatten(0, 1)
    return F.cross_entropy(logits, tgt[:, 1:].flatten(), ignore_index=0, label_smoothing=0.1)


def summed(model: nn.Module, src: Tensor, tgt: Tensor) -> Tensor:
    logits = model(src, tgt[:, :-1])
    return F.nll_loss(logits.flatten(0, 1), tgt[:, 1:].flatten(), ignore_index=0, reduction="sum")


def not_shifted(model: nn.Module, src: Tensor, tgt: Tensor) -> Tensor:
    return F.cross_entropy(model(src, tgt).flatten(0, 1), tgt.flatten(), ignore_index=0)


def with_padding(model: nn.Module, src: Tensor, tgt: Tensor) -> Tensor:
    return F.cross_entropy(model(src, tgt[:, :-1]).flatten(0, 1), tgt[:, 1:].flatten())


def softmax_twice(model: nn.Module, src: Tensor, tgt: Tensor) -> Tensor:
    shares = model(src, tgt[:, :-1]).softmax(-1)
    return F.cross_entropy(shares.flatten(0, 1), tgt[:, 1:].flatten(), ignore_index=0)


@pytest.mark.parametrize("loss", [right, by_hand, smoothed, summed])
def test_right_losses(loss: Loss) -> None:
    report = check(Classic(layers=1), *batch(), loss=loss)
    assert (report.codes, report.unknown) == ((), ())


@pytest.mark.parametrize(
    ("loss", "code"),
    [
        (not_shifted, "target_not_shifted"),
        (with_padding, "pad_in_loss"),
        (softmax_twice, "softmax_before_cross_entropy"),
    ],
)
def test_wrong_losses(loss: Loss, code: str) -> None:
    assert check(Classic(layers=1), *batch(), loss=loss).codes == (code,)


class Probable(Compact):
    """A language model that returns probabilities."""

    def forward(self, ids: Tensor) -> Tensor:
        return super().forward(ids).softmax(-1)


def test_a_model_that_returns_probabilities() -> None:
    ids = batch()[1]

    def wrong(model: nn.Module, ids: Tensor) -> Tensor:
        return F.cross_entropy(
            model(ids[:, :-1]).flatten(0, 1), ids[:, 1:].flatten(), ignore_index=0
        )

    def fine(model: nn.Module, ids: Tensor) -> Tensor:
        logs = model(ids[:, :-1]).log().flatten(0, 1)
        return F.nll_loss(logs, ids[:, 1:].flatten(), ignore_index=0)

    assert check(Probable(layers=1), ids, loss=wrong).codes == ("softmax_before_cross_entropy",)
    assert check(Probable(layers=1), ids, loss=fine).codes == ()


def test_a_loss_that_fails_is_no_traceback() -> None:
    def broken(*_: object) -> Tensor:
        raise RuntimeError("no labels today")

    report = check(Classic(layers=1), *batch(), loss=broken)
    assert "target_not_shifted" in report.unknown
    assert any("no labels today" in problem for problem in report.problems)


def test_without_a_loss_its_codes_are_unknown_not_fine() -> None:
    report = check(Classic(layers=1), *batch())
    assert "pad_in_loss" in report.unknown
    assert torch.is_grad_enabled()
