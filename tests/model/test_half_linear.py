"""Weights read as float16 give the results of the float32 layer that holds the same numbers."""

from collections.abc import Callable

import pytest
import torch
from torch import nn

from tests.tiny import random_ids, tiny_model
from transformer.model.half_linear import HalfLinear, read_weights_as_half


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


def double_through_the_layer(network: nn.Sequential) -> None:
    network.get_submodule("0").get_parameter("weight").data.mul_(2)


def double_through_the_parameters(network: nn.Sequential) -> None:
    with torch.no_grad():
        next(network.parameters()).mul_(2)


@pytest.mark.skipif(not has_fbgemm(), reason="this PyTorch has no FBGEMM")
@pytest.mark.parametrize("edit", [double_through_the_layer, double_through_the_parameters])
def test_sees_weights_that_are_edited_after_loading(
    edit: Callable[[nn.Sequential], None],
) -> None:
    plain, half = small_network(), small_network()
    read_weights_as_half(half)
    x = torch.randn(2, 48)
    before = half(x)
    edit(plain)
    edit(half)
    torch.testing.assert_close(half(x), plain(x), atol=1e-5, rtol=1e-5)
    assert not torch.allclose(half(x), before)


@pytest.mark.skipif(not has_fbgemm(), reason="this PyTorch has no FBGEMM")
def test_packs_only_what_is_called(monkeypatch: pytest.MonkeyPatch) -> None:
    packed: list[torch.Size] = []
    pack = torch.fbgemm_pack_gemm_matrix_fp16

    def count(weight: torch.Tensor) -> torch.Tensor:
        packed.append(weight.shape)
        return pack(weight)

    model = tiny_model()
    read_weights_as_half(model)
    monkeypatch.setattr(torch, "fbgemm_pack_gemm_matrix_fp16", count)
    for _ in range(2):
        model(random_ids(1, 2, 5), random_ids(2, 2, 5))
    # Cross-attention multiplies by two parts of its query_key_value, never by the whole.
    assert packed.count(torch.Size([48, 16])) == 4
    assert packed.count(torch.Size([32, 16])) == 2
    assert len(packed) == 4 + 2 * 2 + 6 + 8 + 1


def test_leaves_the_layers_alone_where_pytorch_has_no_fbgemm(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delattr(torch, "fbgemm_pack_gemm_matrix_fp16")
    network = small_network()
    read_weights_as_half(network)
    assert isinstance(network[0], nn.Linear)
