"""What Muon's steps are, beside AdamW's: see the papers that `MuonAndAdamW` names."""

from dataclasses import replace

import pytest
import torch
from torch import nn

from transformer.model.towers import build_model
from transformer.training import optimizer
from transformer.training.optimizer import make_optimizer
from transformer.training.recipe import Recipe

RATE = 1e-3


@pytest.mark.parametrize("fast", [True, False])
def test_muons_step_is_as_long_in_every_direction(
    recipe: Recipe, fast: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(optimizer, "multiplies_bf16", lambda *_: fast)
    torch.manual_seed(0)
    model = build_model(recipe.config(40, 40))
    recipe = replace(recipe, optimizer="muon", learning_rate=RATE, weight_decay=0.0)
    before = {name: p.detach().clone() for name, p in model.named_parameters()}
    for p in model.parameters():
        p.grad = torch.randn_like(p)
        if p.dim() == 2:  # One direction is far longer than the others.
            p.grad += 30 * torch.outer(torch.randn(p.shape[0]), torch.randn(p.shape[1]))
    make_optimizer(model, recipe).step()
    tables = {f"{name}.weight" for name, m in model.named_modules() if isinstance(m, nn.Embedding)}
    assert tables
    for name, p in model.named_parameters():
        step = (before[name] - p.detach()) / RATE
        if p.dim() == 2 and name not in tables:
            # Its five iterations leave lengths between a half and one and a half, so scaled.
            lengths = torch.linalg.svdvals(step) / (0.2 * max(p.shape) ** 0.5)
            assert 0.5 < lengths.median() <= lengths.max() < 1.5
        else:
            # AdamW's first step: every number by its gradient's sign.
            torch.testing.assert_close(step.abs(), torch.ones_like(step), atol=1e-2, rtol=0)


def test_where_bf16_is_slow_muon_takes_the_same_steps_in_float32(
    recipe: Recipe, monkeypatch: pytest.MonkeyPatch
) -> None:
    recipe = replace(recipe, optimizer="muon", learning_rate=RATE, weight_decay=0.1)
    addmm, multiplied = torch.addmm, set[torch.dtype]()

    def watched(matrix: torch.Tensor, *others: torch.Tensor, **factors: float) -> torch.Tensor:
        multiplied.add(matrix.dtype)
        return addmm(matrix, *others, **factors)

    def steps(*, fast: bool) -> list[torch.Tensor]:
        monkeypatch.setattr(optimizer, "multiplies_bf16", lambda *_: fast)
        torch.manual_seed(0)
        model = build_model(recipe.config(40, 40))
        start = [p.detach().clone() for p in model.parameters()]
        muon = make_optimizer(model, recipe)
        for _ in range(3):
            for p in model.parameters():
                p.grad = torch.randn_like(p)
            muon.step()
        return [p.detach() - s for p, s in zip(model.parameters(), start, strict=True)]

    in_bf16 = steps(fast=True)
    monkeypatch.setattr(torch, "addmm", watched)
    in_float32 = steps(fast=False)
    assert multiplied == {torch.float32}
    for one, other in zip(in_bf16, in_float32, strict=True):
        # Both go the same way; bf16 has eight bits.
        assert torch.cosine_similarity(one.flatten(), other.flatten(), dim=0) > 0.999
        torch.testing.assert_close(one.norm(), other.norm(), rtol=1e-2, atol=0)
