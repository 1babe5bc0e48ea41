"""What Muon's steps are, beside AdamW's: see the papers that `MuonAndAdamW` names."""

from dataclasses import replace

import torch
from torch import nn

from transformer.model.towers import build_model
from transformer.training.optimizer import make_optimizer
from transformer.training.recipe import Recipe

RATE = 1e-3


def test_muons_step_is_as_long_in_every_direction(recipe: Recipe) -> None:
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
