import pytest
import torch

from transformer.model.dropout import Dropout

ONES = torch.ones(1000, 301)


@pytest.mark.parametrize("p", [0.001, 0.1, 0.3, 0.5, 0.9])
def test_it_drops_a_share_of_p_and_keeps_the_mean(p: float) -> None:
    torch.manual_seed(0)
    out = Dropout(p)(ONES)
    # Four standard deviations of a share of 301,000, and the rounding to 1/256.
    noise = 4 * (p * (1 - p) / ONES.numel()) ** 0.5
    assert abs((out == 0).float().mean().item() - p) < noise + 1 / 512
    assert abs(out.mean().item() - 1) < noise / (1 - p)
    assert len(out.unique()) == 2


@pytest.mark.parametrize("p", [0.0, 0.998, 0.999, 0.99999])
def test_extreme_rates_are_fine(p: float) -> None:
    torch.manual_seed(0)
    out = Dropout(p)(ONES)
    assert out.isfinite().all()
    assert abs((out == 0).float().mean().item() - p) < 0.003


def test_every_element_is_dropped_independently() -> None:
    torch.manual_seed(0)
    dropped = (Dropout(0.5)(ONES) == 0).float()
    for neighbours in (dropped[:, 1:] * dropped[:, :-1], dropped[1:] * dropped[:-1]):
        assert abs(neighbours.mean().item() - 0.25) < 0.005


def test_the_seed_decides() -> None:
    dropout = Dropout(0.3)
    results: list[torch.Tensor] = []
    for seed in (1, 1, 2):
        torch.manual_seed(seed)
        results.append(dropout(ONES))
    assert torch.equal(results[0], results[1])
    assert not torch.equal(results[0], results[2])


def test_outside_training_it_does_nothing() -> None:
    assert Dropout(0.5).eval()(ONES) is ONES


def test_gradients_flow_through_what_was_kept() -> None:
    x = torch.ones(8, 9, requires_grad=True)
    out = Dropout(0.5)(x)
    out.sum().backward()
    assert x.grad is not None
    assert torch.equal(x.grad, out.detach())


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
def test_dtype_and_shape_stay(dtype: torch.dtype) -> None:
    x = torch.ones(3, 5, 7, dtype=dtype).transpose(0, 2)
    out = Dropout(0.5)(x)
    assert (out.dtype, out.shape) == (dtype, x.shape)
    assert Dropout(0.5)(torch.ones(0, 4)).shape == (0, 4)
