"""Optimizers, which make a step of the gradients."""

from typing import Any

import torch
from torch import nn

from .muon import Float32Muon
from .precision import multiplies_bf16
from .recipe import Recipe

BETAS = (0.9, 0.98)


class MuonAndAdamW:
    """Muon for matrices, AdamW for what it is not made for: embeddings, biases and norms.

    Muon orthogonalises a matrix's momentum, so that every direction of a step is equally long
    (Jordan et al. 2024, "Muon: An optimizer for hidden layers in neural networks"). Both take one
    learning rate: Muon's steps are scaled to the size of AdamW's (Liu et al. 2025, "Muon is
    Scalable for LLM Training"). What AdamW moves does not decay.
    """

    def __init__(self, model: nn.Module, recipe: Recipe) -> None:
        embeddings = [m.weight for m in model.modules() if isinstance(m, nn.Embedding)]
        tables = {id(weight) for weight in embeddings}
        parameters = list(model.parameters())
        matrices = [p for p in parameters if p.dim() == 2 and id(p) not in tables]
        others = [p for p in parameters if p.dim() != 2 or id(p) in tables]
        rate, decay = recipe.learning_rate, recipe.weight_decay
        muon = torch.optim.Muon if multiplies_bf16(parameters[0].device) else Float32Muon
        self.parts = (
            muon(matrices, lr=rate, weight_decay=decay, adjust_lr_fn="match_rms_adamw"),
            torch.optim.AdamW(others, lr=rate, betas=BETAS, weight_decay=0.0, fused=True),
        )

    @property
    def param_groups(self) -> list[dict[str, Any]]:
        """Groups of both optimizers, as an `Optimizer` has them."""
        return [group for part in self.parts for group in part.param_groups]

    def step(self) -> None:
        """Changes the weights by their gradients."""
        for part in self.parts:
            part.step()

    def zero_grad(self) -> None:
        """Forgets the gradients."""
        for part in self.parts:
            part.zero_grad()

    def state_dict(self) -> dict[str, Any]:
        """The state that `load_state_dict` takes."""
        return {"parts": [part.state_dict() for part in self.parts]}

    def load_state_dict(self, state: dict[str, Any]) -> None:
        """Goes on from a `state_dict`."""
        for part, content in zip(self.parts, state["parts"], strict=True):
            part.load_state_dict(content)


AnyOptimizer = torch.optim.Optimizer | MuonAndAdamW


def make_optimizer(model: nn.Module, recipe: Recipe) -> AnyOptimizer:
    """The optimizer that the recipe asks for."""
    if recipe.optimizer == "muon":
        return MuonAndAdamW(model, recipe)
    parameters = list(model.parameters())
    groups = [
        {"params": [p for p in parameters if p.dim() > 1], "weight_decay": recipe.weight_decay},
        {"params": [p for p in parameters if p.dim() == 1], "weight_decay": 0.0},
    ]
    if recipe.optimizer == "sgd":
        return torch.optim.SGD(groups, lr=recipe.learning_rate, momentum=0.9, fused=True)
    return torch.optim.AdamW(groups, lr=recipe.learning_rate, betas=BETAS, fused=True)
