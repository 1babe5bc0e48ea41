"""Modules without detours are modules still: parts, hooks and copies are PyTorch's."""

import copy
import pickle
from collections.abc import Callable

import pytest
import torch
from torch import Tensor, nn
from torch.nn.modules.module import register_module_forward_hook

from transformer.model.module import HookPoint, Module


class Doubled(Module):
    def __init__(self) -> None:
        super().__init__()
        self.part: nn.Module | None = nn.Linear(2, 2)
        self.point = HookPoint()

    def forward(self, x: Tensor) -> Tensor:
        assert self.part is not None
        return self.point(self.part(x)) * 2


def test_a_part_that_is_replaced_set_to_none_or_deleted_does_not_stay_behind() -> None:
    module, other = Doubled(), nn.Linear(2, 2)
    module.part = other
    assert module.part is other
    assert dict(module.named_children())["part"] is other
    module.part = None
    assert module.part is None
    module.part = other
    del module.part
    assert not hasattr(module, "part")
    assert "part.weight" not in module.state_dict()


def pickled(module: Doubled) -> Doubled:
    return pickle.loads(pickle.dumps(module))


@pytest.mark.parametrize("copied_by", [copy.deepcopy, pickled])
def test_a_copy_has_parts_of_its_own(copied_by: Callable[[Doubled], Doubled]) -> None:
    module = Doubled()
    copied = copied_by(module)
    assert copied.part is dict(copied.named_children())["part"]
    assert copied.part is not module.part
    x = torch.randn(3, 2)
    assert torch.equal(copied(x), module(x))


@pytest.mark.parametrize("kind", ["forward_pre", "forward", "full_backward_pre", "full_backward"])
def test_a_hook_runs_also_where_it_is_the_only_one(kind: str) -> None:
    heard: list[str] = []
    module, x = Doubled(), torch.randn(3, 2, requires_grad=True)
    getattr(module, f"register_{kind}_hook")(lambda *_: heard.append(kind))
    module(x).sum().backward()
    assert heard == [kind]


def test_a_hook_around_every_module_runs_around_ours() -> None:
    heard: list[nn.Module] = []
    module = Doubled()
    handle = register_module_forward_hook(lambda each, *_: heard.append(each))
    try:
        module(torch.randn(3, 2))
    finally:
        handle.remove()
    assert heard[-1] is module


def test_hooks_of_a_point_run_in_their_order_and_each_meets_what_the_last_one_made() -> None:
    point, x = HookPoint(), torch.ones(2)

    def add(_point: nn.Module, _inputs: object, output: Tensor) -> Tensor:
        return output + 1

    def multiply(_point: nn.Module, _inputs: object, output: Tensor) -> Tensor:
        return output * 10

    first = point.register_forward_hook(add)
    point.register_forward_hook(multiply)
    point.register_forward_hook(lambda *_: None)
    assert point(x).tolist() == [20, 20]
    first.remove()
    assert point(x).tolist() == [10, 10]
    assert list(point.state_dict()) == []
