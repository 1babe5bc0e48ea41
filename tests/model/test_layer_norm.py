import torch
from torch import nn

from transformer.model.layer_norm import LayerNorm


def test_it_is_pytorch_s_to_the_bit() -> None:
    ours, theirs = LayerNorm(16), nn.LayerNorm(16)
    with torch.no_grad():
        for parameter in ours.parameters():
            parameter += torch.randn(16)
    theirs.load_state_dict(ours.state_dict())
    x = torch.randn(2, 3, 16)
    assert torch.equal(ours(x), theirs(x))
    ours.weight = nn.Parameter(2 * theirs.weight)
    assert not torch.equal(ours(x), theirs(x))
