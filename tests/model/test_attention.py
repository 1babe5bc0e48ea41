from typing import Any

import pytest
import torch
import torch.nn.functional as F
from torch import Tensor

from tests.reference import torch_attention
from transformer.model.attention import (
    KeyValueCache,
    MultiHeadAttention,
    attention_scores,
    attention_weights,
)
from transformer.model.masks import causal_mask

D_MODEL, HEADS = 16, 4


@pytest.fixture
def attention() -> MultiHeadAttention:
    torch.manual_seed(0)
    return MultiHeadAttention(D_MODEL, HEADS, dropout=0.0).eval()


def random(*shape: int, seed: int = 1) -> Tensor:
    return torch.randn(shape, generator=torch.Generator().manual_seed(seed))


# By hand, for query = key = the 2×2 identity: q·k / √2 is 0.70711 on the diagonal and 0 elsewhere;
# e^0.70711 = 2.02812, so a row of the softmax is 2.02812 / 3.02812 = 0.66976 and 0.33024.
IDENTITY = torch.eye(2)[None, None]
BY_HAND = torch.tensor([[0.66976, 0.33024], [0.33024, 0.66976]])


def test_attention_of_two_tokens_by_hand() -> None:
    weights = attention_weights(attention_scores(IDENTITY, IDENTITY))
    torch.testing.assert_close(weights[0, 0], BY_HAND, atol=5e-6, rtol=0)
    masked = attention_weights(attention_scores(IDENTITY, IDENTITY), causal_mask(2, 2))
    assert masked[0, 0, 0].tolist() == [1, 0]
    torch.testing.assert_close(masked[0, 0, 1], BY_HAND[1], atol=5e-6, rtol=0)


def test_one_head_with_identity_projections_by_hand() -> None:
    attention = MultiHeadAttention(2, 1, dropout=0.0).eval()
    attention.query_key_value.weight.data = torch.eye(2).repeat(3, 1)
    attention.query_key_value.bias.data = torch.tensor([0.0, 0.0, 0.0, 0.0, 1.0, 10.0])
    attention.output.weight.data = 2 * torch.eye(2)
    attention.output.bias.data = torch.tensor([0.0, 0.5])
    # The values are the identity's rows plus (1, 10); a row of weights sums to 1.
    expected = 2 * (BY_HAND + torch.tensor([1.0, 10.0])) + torch.tensor([0.0, 0.5])
    torch.testing.assert_close(attention(torch.eye(2)[None])[0], expected, atol=2e-5, rtol=0)


@pytest.mark.parametrize("causal", [False, True])
def test_parity_with_scaled_dot_product_attention(causal: bool) -> None:
    query, key, value = random(2, 3, 5, 8), random(2, 3, 5, 8, seed=2), random(2, 3, 5, 8, seed=3)
    weights = attention_weights(attention_scores(query, key), causal_mask(5, 5) if causal else None)
    expected = F.scaled_dot_product_attention(query, key, value, is_causal=causal)
    torch.testing.assert_close(weights @ value, expected, atol=1e-6, rtol=1e-5)


@pytest.mark.parametrize("cross", [False, True])
@pytest.mark.parametrize("masked", [False, True])
def test_parity_with_nn_multihead_attention(
    attention: MultiHeadAttention, cross: bool, masked: bool
) -> None:
    theirs = torch_attention(attention, D_MODEL)
    x = random(2, 5, D_MODEL)
    memory = random(2, 7, D_MODEL, seed=2) if cross else x
    allowed = random(5, memory.size(1), seed=3) > 0
    allowed[:, 0] = True
    recorded: list[Any] = []
    attention.weights.register_forward_hook(lambda _module, _args, out: recorded.append(out))

    ours = attention(x, memory if cross else None, allowed if masked else None)
    expected, weights = theirs(
        x, memory, memory, attn_mask=~allowed if masked else None, average_attn_weights=False
    )
    torch.testing.assert_close(ours, expected, atol=1e-5, rtol=0)
    torch.testing.assert_close(recorded[0], weights, atol=1e-5, rtol=0)
    if masked:
        assert recorded[0].masked_select(~allowed).eq(0).all()


def test_hooks_see_scores_before_the_mask_and_weights_before_dropout() -> None:
    torch.manual_seed(0)
    attention = MultiHeadAttention(D_MODEL, HEADS, dropout=0.5).train()
    seen: dict[str, Tensor] = {}
    for name in ("scores", "weights"):
        point = attention.get_submodule(name)
        point.register_forward_hook(lambda _m, _a, out, name=name: seen.update({name: out}))
    attention(random(2, 6, D_MODEL), mask=causal_mask(6, 6))
    assert seen["scores"].isfinite().all()
    torch.testing.assert_close(seen["weights"].sum(-1), torch.ones(2, HEADS, 6))


def test_hook_points_leave_no_trace_in_the_weights_on_disk(attention: MultiHeadAttention) -> None:
    parameters = {"query_key_value.weight", "query_key_value.bias", "output.weight", "output.bias"}
    assert set(attention.state_dict()) == parameters


@pytest.mark.parametrize("dtype", [torch.int64, torch.uint8, torch.float32])
def test_a_mask_of_another_dtype_is_refused(dtype: torch.dtype) -> None:
    with pytest.raises(TypeError, match=rf"must be torch.bool \(True = may attend\), not {dtype}"):
        attention_weights(random(1, 1, 2, 2), torch.ones(2, 2, dtype=dtype))


@pytest.mark.parametrize("shape", [(3, 2), (2, 1, 4, 4), (1, 1, 1, 4, 4), (2, 3, 4, 5), (0,)])
def test_a_mask_that_does_not_fit_is_refused_naming_both_shapes(shape: tuple[int, ...]) -> None:
    with pytest.raises(ValueError, match="does not broadcast") as caught:
        attention_weights(random(1, 3, 4, 4), torch.ones(shape, dtype=torch.bool))
    assert str(shape) in str(caught.value)
    assert "(1, 3, 4, 4)" in str(caught.value)


def test_a_row_that_may_attend_to_nothing_is_not_papered_over() -> None:
    # With -1e9 in place of minus infinity it would look like even attention to what is forbidden.
    weights = attention_weights(random(1, 1, 2, 2), torch.tensor([[False, False], [True, False]]))
    assert weights[0, 0, 0].isnan().all()
    assert weights[0, 0, 1].tolist() == [1, 0]


@pytest.mark.parametrize("shape", [(), (4,), (4, 4), (3, 1, 4), (1, 1, 4, 1), (2, 3, 4, 4)])
def test_a_mask_that_broadcasts_is_taken(shape: tuple[int, ...]) -> None:
    scores = random(2, 3, 4, 4)
    everything = attention_weights(scores, torch.ones(shape, dtype=torch.bool))
    assert torch.equal(everything, attention_weights(scores))


def test_the_cache_gives_the_rows_that_one_pass_gives(attention: MultiHeadAttention) -> None:
    x = random(2, 6, D_MODEL)
    cache = KeyValueCache(capacity=6)
    with torch.inference_mode():
        expected = attention(x, mask=causal_mask(6, 6))
        parts = [attention(x[:, :3], mask=causal_mask(3, 3), cache=cache)]
        parts += [attention(x[:, i : i + 1], cache=cache) for i in range(3, 6)]
    torch.testing.assert_close(torch.cat(parts, dim=1), expected, atol=1e-6, rtol=1e-5)


def test_cross_attention_projects_its_memory_once(attention: MultiHeadAttention) -> None:
    x, memory, cache = random(2, 1, D_MODEL), random(2, 5, D_MODEL), KeyValueCache(capacity=5)
    with torch.inference_mode():
        first = attention(x, memory, cache=cache)
        again = attention(x, torch.full_like(memory, torch.nan), cache=cache)
    assert torch.equal(first, again)


def test_an_empty_cache_says_so() -> None:
    with pytest.raises(ValueError, match="the cache is empty"):
        KeyValueCache(capacity=3).contents()
