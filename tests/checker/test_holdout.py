"""Bugs in two styles that the checker was not built on: sequence first, and a modern decoder.

Each code in one of the styles by `make test`, each bug by `make test-all`.
"""

from collections.abc import Iterable
from typing import Any

import pytest
import torch
from torch import Tensor, nn

from tests.checker.bugs import batch, layers
from tests.checker.zoo_holdout import LM_BUGS, MEANS, SEQ_BUGS, Modern, SeqFirst, rotate
from transformer import check


def one_of_each_code(bugs: Iterable[str], others: Iterable[str]) -> list[Any]:
    """All of them; slow but for the first of a code, and where the other style has its turn."""
    ordered = sorted(bugs)
    both = sorted({MEANS[bug] for bug in ordered} & {MEANS[bug] for bug in others})
    elsewhere = set(both[bugs is LM_BUGS :: 2])
    first = {MEANS[bug]: bug for bug in reversed(ordered) if MEANS[bug] not in elsewhere}.values()
    return [pytest.param(bug, marks=[] if bug in first else [pytest.mark.slow]) for bug in ordered]


@pytest.mark.slow
@pytest.mark.parametrize("bug", one_of_each_code(SEQ_BUGS, LM_BUGS))
def test_sequence_first(bug: str) -> None:
    torch.manual_seed(1)
    model = SeqFirst(bug, width=16, heads=2, layers=layers(MEANS[bug]))
    assert check(model, *batch()).codes == (MEANS[bug],)


@pytest.mark.parametrize("bug", one_of_each_code(LM_BUGS, SEQ_BUGS))
def test_modern_decoder(bug: str) -> None:
    torch.manual_seed(1)
    model = Modern(bug, layers=layers(MEANS[bug]))
    assert check(model, batch()[1]).codes == (MEANS[bug],)


class Spread(Modern):
    """Scores as a spread-out product and a sum, and the mask assigned in place."""

    def __init__(self, number: float) -> None:
        super().__init__(groups=4, layers=1)
        self.number = number

    def attend(self, layer: nn.ModuleDict, x: Tensor, ids: Tensor) -> Tensor:
        length, shape = ids.size(1), (*ids.shape, self.heads, self.part)
        q, k, v = (layer[name](x).view(shape).transpose(1, 2) for name in "qkv")
        q, k = rotate(q), rotate(k)
        scores = (k[:, :, None] * q[:, :, :, None]).sum(-1) / self.part**0.5
        scores[..., torch.ones(length, length).triu(1).bool()] = self.number
        return layer["o"]((scores.softmax(-1) @ v).transpose(1, 2).flatten(2))


def test_spread_products_and_masks_assigned_in_place() -> None:
    torch.manual_seed(1)
    ids = batch()[1]
    assert check(Spread(-1e9), ids).codes == ()
    assert check(Spread(-1e-9), ids).codes == ("mask_value_too_small",)
