"""Weights read as float16 give the results of the float32 layer that holds the same numbers."""

import pytest
import torch
from torch import nn

from transformer.half_linear import HalfLinear, read_weights_as_half


def small_network() -> nn.Sequential:
    torch.manual_seed(0)
    layers = nn.Sequential(
        nn.Linear(48, 96), nn.ReLU(), nn.Sequential(nn.Linear(96, 7, bias=False))
    )
    return layers.half().float()


def has_fbgemm() -> bool:
    network = small_network()
    read_weights_as_half(network)
    return isinstance(network[0], HalfLinear)


@pytest.mark.skipif(not has_fbgemm(), reason="this PyTorch has no FBGEMM")
@pytest.mark.parametrize("shape", [(1, 48), (2, 1, 48), (2, 5, 48)])
def test_gives_what_the_float32_layers_give(shape: tuple[int, ...]) -> None:
    network = small_network()
    x = torch.randn(shape)
    expected = network(x)
    read_weights_as_half(network)
    assert not any(isinstance(module, nn.Linear) for module in network.modules())
    torch.testing.assert_close(network(x), expected, atol=1e-5, rtol=1e-5)


def test_leaves_the_layers_alone_where_pytorch_has_no_fbgemm(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delattr(torch, "fbgemm_pack_gemm_matrix_fp16")
    network = small_network()
    read_weights_as_half(network)
    assert isinstance(network[0], nn.Linear)
