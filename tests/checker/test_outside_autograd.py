"""Numbers that leave autograd on their way, by `item()`, `tolist()` or numpy."""

import numpy as np
import pytest
import torch
from torch import Tensor, nn

from tests.checker.bugs import batch
from tests.checker.zoo_compact import Compact
from transformer import check


class Gained(nn.Module):
    """A decoder whose logits are scaled by a learned number, read in one of several ways."""

    def __init__(self, way: str) -> None:
        super().__init__()
        self.way, self.body = way, Compact(layers=1)
        self.gain, self.shift = nn.Parameter(torch.tensor(1.3)), nn.Parameter(torch.randn(23))

    def forward(self, ids: Tensor) -> Tensor:
        shift = self.shift
        if self.way == "tolist":
            shift = torch.tensor(shift.tolist())
        elif self.way == "numpy":
            shift = torch.from_numpy(np.tanh(shift.detach().numpy()))
        gain = self.gain.item() if self.way == "item" else self.gain
        return self.body(ids) * gain + shift


@pytest.mark.parametrize(
    ("way", "name"), [("item", "gain"), ("tolist", "shift"), ("numpy", "shift")]
)
def test_a_parameter_read_outside_is_named_and_stays_as_it_was(way: str, name: str) -> None:
    torch.manual_seed(0)
    model = Gained(way)
    before = {key: value.clone() for key, value in model.state_dict().items()}
    versions = [parameter._version for parameter in model.parameters()]
    report = check(model, batch()[1])
    assert report.codes == ("gradient_cut",)
    assert f"one gets no gradient: {name}." in report.findings[0].evidence
    assert "tolist()" in report.findings[0].evidence
    assert all(torch.equal(before[key], value) for key, value in model.state_dict().items())
    assert versions == [parameter._version for parameter in model.parameters()]


def test_a_gradient_that_arrives_or_is_not_wanted_is_no_mistake() -> None:
    torch.manual_seed(0)
    assert check(Gained(""), batch()[1]).codes == ()
    frozen = Gained("item")
    frozen.gain.requires_grad_(False)
    assert check(frozen, batch()[1]).codes == ()


class Routed(nn.Module):
    """Which of two experts a token goes to is a choice, and a choice has no gradient."""

    def __init__(self) -> None:
        super().__init__()
        self.body, self.router = Compact(layers=1), nn.Linear(23, 2)
        self.shifts = nn.Parameter(torch.randn(2, 23))

    def forward(self, ids: Tensor) -> Tensor:
        x = self.body(ids)
        rows = self.router(x).argmax(-1).tolist()
        return x + torch.stack([torch.stack([self.shifts[i] for i in row]) for row in rows])


@pytest.mark.parametrize("seed", range(4))
def test_a_choice_by_tolist_is_no_cut(seed: int) -> None:
    torch.manual_seed(seed)
    assert check(Routed(), batch()[1]).codes == ()


class Whole(Compact):
    """Its logits leave as a list."""

    def forward(self, ids: Tensor) -> Tensor:
        return torch.tensor(super().forward(ids).tolist())


def test_logits_without_a_gradient_are_named_unless_call_made_them() -> None:
    torch.manual_seed(0)
    report = check(Whole(layers=1), batch()[1])
    assert report.codes == ("gradient_cut",)
    report = check(
        Compact(layers=1), batch()[1], call=torch.no_grad()(lambda module, ids: module(ids))
    )
    assert report.codes == ()
    assert "torch.no_grad()" in report.reasons["gradient_cut"]
