"""A check leaves no trace, and never ends in a traceback."""

import random

import numpy as np
import torch
from torch import Tensor, nn

from tests.checker.bugs import batch
from tests.checker.zoo_classic import Classic
from tests.checker.zoo_compact import Compact
from transformer import check


def test_the_module_is_left_as_it_was_found() -> None:
    model = Classic("positions_not_reset", layers=1).train()
    model.get_submodule("encoder.0").eval()
    model.src_positions.offset = 5
    calls: list[int] = []
    handle = model.register_forward_hook(lambda *_: calls.append(1))
    model.generator.weight.grad = torch.ones_like(model.generator.weight)
    before = {name: value.clone() for name, value in model.state_dict().items()}
    fast = torch.backends.mha.get_fastpath_enabled()
    torch.manual_seed(3)
    random.seed(3)
    np.random.seed(3)  # noqa: NPY002
    expected = np.random.rand()  # noqa: NPY002
    np.random.seed(3)  # noqa: NPY002
    chance = torch.get_rng_state(), random.getstate()

    check(model, *batch())

    assert model.training
    assert not model.get_submodule("encoder.0").training
    assert model.decoder.training
    assert model.src_positions.offset == 5
    assert model.get_submodule("decoder.0.attention").__dict__["weights"] is None
    assert len(model._forward_hooks) == 1
    assert all(torch.equal(before[name], value) for name, value in model.state_dict().items())
    assert torch.equal(model.generator.weight.grad, torch.ones_like(model.generator.weight))
    assert all(p.grad is None for p in model.encoder.parameters())
    assert torch.backends.mha.get_fastpath_enabled() == fast
    assert torch.equal(torch.get_rng_state(), chance[0])
    assert random.getstate() == chance[1]
    assert np.random.rand() == expected  # noqa: NPY002
    handle.remove()


def test_a_module_that_always_fails_gives_unknowns() -> None:
    class Broken(nn.Module):
        def forward(self, *_: Tensor) -> Tensor:
            raise RuntimeError("out of order")

    report = check(Broken(), *batch())
    assert report.findings == ()
    assert "future_leak" in report.unknown
    assert report.problems == ("RuntimeError: out of order",)


def test_lengths_that_must_agree_are_a_finding() -> None:
    class Equal(Classic):
        def forward(self, src: Tensor, tgt: Tensor) -> Tensor:
            if src.size(1) != tgt.size(1):
                raise RuntimeError("sizes must match")
            return super().forward(src, tgt)

    (finding,) = check(Equal(layers=1), *batch()).findings
    assert finding.code == "cross_mask_wrong"
    assert "sizes must match" in finding.evidence


class Opaque(nn.Module):
    """A running mean, computed where nobody can look."""

    def __init__(self, leak: bool) -> None:
        super().__init__()
        self.leak = leak
        self.words, self.out = nn.Embedding(23, 16).requires_grad_(False), nn.Linear(16, 23)

    def forward(self, ids: Tensor) -> Tensor:
        x = self.words(ids).numpy()
        place = np.arange(x.shape[1])[None, :, None]
        total = (x * (place + 1)).sum(1, keepdims=True) + 0 * x
        if not self.leak:
            total = (x * (place + 1)).cumsum(1)
        return self.out(torch.from_numpy(total).float())


def test_where_nothing_can_be_seen_the_symptom_is_named_and_its_causes_are_unknown() -> None:
    report = check(Opaque(leak=True), batch()[1])
    assert report.codes == ("future_leak",)
    assert {"softmax_axis", "heads_mixed", "mask_after_softmax"} <= set(report.unknown)
    fine = check(Opaque(leak=False), batch()[1])
    assert fine.codes == ()
    assert {"scale_missing", "residual_missing", "causal_off_by_one"} <= set(fine.unknown)


def test_a_flattened_output_and_a_fixed_length_are_understood() -> None:
    class Flat(Compact):
        def forward(self, ids: Tensor) -> Tensor:
            if ids.size(1) != 8:
                raise ValueError("this model reads 8 tokens")
            return super().forward(ids).flatten(0, 1)

    assert check(Flat(layers=1), batch()[1]).codes == ()


def test_left_padding_with_hidden_rows_is_nan() -> None:
    ids = batch()[1]
    ids[0, :3] = 0
    torch.manual_seed(1)
    assert check(Compact("nan_on_padded_row", layers=1), ids).codes == ("nan_on_padded_row",)
    assert check(Compact(layers=1), ids).codes == ()
