"""A check leaves a module as it was: every object that it holds, and what is in it."""

import cProfile
import sys
from collections import deque
from types import FrameType
from typing import Any

import pytest
import torch
from torch import Tensor, nn

from tests.checker.bugs import batch
from tests.checker.zoo_compact import Compact
from transformer import check


class Context:
    """What layers share: whoever comes first makes the mask, the others take it."""

    def __init__(self) -> None:
        self.mask: Tensor | None = None
        self.lengths: list[int] = []


class SharedContext(nn.Module):
    """A causal model whose two layers read one plain object."""

    class Layer(nn.Module):
        def __init__(self, context: Context) -> None:
            super().__init__()
            self.context = context
            self.qkv, self.out, self.norm = nn.Linear(16, 48), nn.Linear(16, 16), nn.LayerNorm(16)

        def forward(self, x: Tensor) -> Tensor:
            query, key, value = self.qkv(self.norm(x)).chunk(3, -1)
            scores = query @ key.transpose(1, 2) / 4
            if self.context.mask is not None:
                scores = scores.masked_fill(self.context.mask, -torch.inf)
            return x + self.out(scores.softmax(-1) @ value)

    def __init__(self) -> None:
        super().__init__()
        self.context = Context()
        self.words, self.places = nn.Embedding(23, 16), nn.Embedding(32, 16)
        self.layers = nn.ModuleList(self.Layer(self.context) for _ in range(2))
        self.norm, self.head = nn.LayerNorm(16), nn.Linear(16, 23)

    def forward(self, ids: Tensor) -> Tensor:
        length = ids.size(1)
        self.context.mask = torch.ones(length, length, dtype=torch.bool).triu(1)
        self.context.lengths.append(length)
        x = self.words(ids) + self.places(torch.arange(length))
        for layer in self.layers:
            x = layer(x)
        return self.head(self.norm(x))


def test_a_context_that_layers_share_stays_shared() -> None:
    torch.manual_seed(0)
    model, ids = SharedContext().eval(), batch()[1]
    before = model(ids)
    model.context.lengths.clear()
    assert check(model, ids).codes == ()
    contexts = {id(layer.context) for layer in model.layers}
    assert contexts == {id(model.context)}
    assert model.context.lengths == []
    torch.testing.assert_close(model(ids), before, atol=0, rtol=0)
    changed = ids.clone()
    changed[:, -1] = (changed[:, -1] + 1) % 20 + 3
    torch.testing.assert_close(model(changed)[:, :-1], before[:, :-1])


class Keeps(Compact):
    """Remembers what it was given, in every way that an object may."""

    class Slotted:
        __slots__ = ("calls",)

        def __init__(self) -> None:
            self.calls = 0

    def __init__(self) -> None:
        super().__init__(layers=1)
        self.count, self.seen, self.latest = 0, [0], deque([torch.zeros(2)], 3)
        self.by_name: dict[str, Any] = {"nested": {"lengths": {8}}, "tensor": torch.zeros(3)}
        self.slotted, self.lots = self.Slotted(), torch.Generator().manual_seed(3)
        self.outside = [nn.BatchNorm1d(4)]

    def forward(self, ids: Tensor) -> Tensor:
        self.count += 1
        self.seen.append(self.count)
        self.latest.append(torch.ones(self.count))
        self.by_name["nested"]["lengths"].add(self.count)
        self.by_name["tensor"].add_(1)
        self.by_name["new"] = ids
        self.slotted.calls += 1
        torch.rand(1, generator=self.lots)
        self.outside[0](torch.randn(6, 4))
        return super().forward(ids)


def test_whatever_a_call_changes_is_changed_back_in_its_place() -> None:
    torch.manual_seed(1)
    model = Keeps()
    held = {name: value for name, value in vars(model).items() if "hooks" not in name}
    state, lots = {k: v.clone() for k, v in model.state_dict().items()}, model.lots.get_state()
    running = model.outside[0].running_mean
    assert running is not None
    before = running.clone()
    assert check(model, batch()[1]).codes == ()
    assert all(vars(model)[name] is value for name, value in held.items())
    assert (model.count, model.seen, len(model.latest)) == (0, [0], 1)
    assert model.by_name["nested"] == {"lengths": {8}}
    assert sorted(model.by_name) == ["nested", "tensor"]
    assert model.by_name["tensor"].tolist() == [0, 0, 0]
    assert model.slotted.calls == 0
    assert model.lots.get_state().equal(lots)
    assert model.outside[0].running_mean is running
    assert running.equal(before)
    assert all(model.state_dict()[name].equal(value) for name, value in state.items())


class BuildsLate(Compact):
    """Makes a layer in its first call."""

    def __init__(self) -> None:
        super().__init__(layers=1)
        self.late: nn.Linear | None = None

    def forward(self, ids: Tensor) -> Tensor:
        logits = super().forward(ids)
        if self.late is None:
            del self.late
            self.late = nn.Linear(logits.size(-1), logits.size(-1))
        return self.late(logits)


def test_what_the_first_call_builds_is_not_left_behind() -> None:
    torch.manual_seed(2)
    model = BuildsLate()
    names = [name for name, _ in model.named_parameters()]
    report = check(model, batch()[1])
    assert report.problems == ()
    assert "future_leak" not in (*report.codes, *report.unknown)
    assert model.late is None
    assert [name for name, _ in model.named_parameters()] == names


@pytest.mark.filterwarnings("ignore:Lazy modules")
def test_lazy_layers_are_judged_and_stay_lazy() -> None:
    class Lazy(Compact):
        def __init__(self) -> None:
            super().__init__(layers=1)
            self.late = nn.LazyLinear(23)

        def forward(self, ids: Tensor) -> Tensor:
            return self.late(super().forward(ids))

    torch.manual_seed(3)
    model = Lazy()
    report = check(model, batch()[1])
    assert report.problems == ()
    assert report.codes == ()
    assert isinstance(model.late, nn.LazyLinear)
    assert isinstance(model.late.weight, nn.parameter.UninitializedParameter)


def test_a_check_ends_under_a_profiler_and_under_a_tracer() -> None:
    torch.manual_seed(4)
    model, ids = Compact(layers=1), batch()[1]

    def trace(frame: FrameType, event: str, argument: object) -> None:
        """What a debugger's does at every call."""

    profile, tracing = cProfile.Profile(), sys.gettrace()
    with profile:
        assert check(model, ids).problems == ()
    sys.settrace(trace)
    try:
        assert check(model, ids).problems == ()
    finally:
        sys.settrace(tracing)
