from typing import Any, get_args

import pytest
import torch
from torch import Tensor, nn

from tests.reference import WeightsOf, positions, torch_decoder_layer, torch_encoder_layer
from tests.tiny import tiny_config
from transformer.model.config import Activation, NormPlacement, Positions
from transformer.model.layers import (
    DecoderLayer,
    EncoderLayer,
    FeedForward,
    PositionalEncoding,
    sinusoids,
)
from transformer.model.masks import causal_mask

# sin and cos of 1 and 3, and of 0.01 and 0.03: the wavelengths of d_model 4 are 2π and 200π.
INTERLEAVED = {
    0: [0, 1, 0, 1],
    1: [0.841471, 0.540302, 0.0099998, 0.999950],
    3: [0.141120, -0.989992, 0.0299955, 0.999550],
}


@pytest.mark.parametrize(("position", "row"), INTERLEAVED.items())
def test_sinusoids_by_hand(position: int, row: list[float]) -> None:
    interleaved = sinusoids(4, 4, "interleaved")[position]
    torch.testing.assert_close(interleaved, torch.tensor(row), atol=1e-6, rtol=0, check_dtype=False)
    sine_1, cosine_1, sine_2, cosine_2 = row
    concatenated = sinusoids(4, 4, "concatenated")[position]
    expected = torch.tensor([sine_1, sine_2, cosine_1, cosine_2], dtype=torch.float32)
    torch.testing.assert_close(concatenated, expected, atol=1e-6, rtol=0)


@pytest.mark.parametrize("layout", get_args(Positions))
def test_sinusoids_stay_exact_at_far_positions(layout: Positions) -> None:
    expected = positions(300, tiny_config(d_model=64, positions=layout))
    torch.testing.assert_close(sinusoids(300, 64, layout), expected, atol=1e-6, rtol=0)


def test_positions_are_added_from_where_the_text_starts() -> None:
    encoding = PositionalEncoding(10, 4, dropout=0.0, positions="interleaved")
    table = sinusoids(10, 4, "interleaved")
    x = torch.randn(2, 3, 4)
    torch.testing.assert_close(encoding(x), x + table[:3])
    torch.testing.assert_close(encoding(x, start=7), x + table[7:])
    assert not encoding.state_dict()


def test_positions_past_the_maximum_length_are_refused() -> None:
    encoding = PositionalEncoding(10, 4, dropout=0.0, positions="interleaved")
    with pytest.raises(ValueError, match="11 tokens are more than this model's maximum length, 10"):
        encoding(torch.zeros(1, 3, 4), start=8)


@pytest.mark.parametrize(
    ("activation", "at_one"), [("relu", 1.0), ("gelu", 0.841345), ("silu", 0.731059)]
)
def test_feed_forward_by_hand(activation: Activation, at_one: float) -> None:
    # gelu(1) = Φ(1), silu(1) = 1 / (1 + 1/e); at -20 all three are 0.
    network = FeedForward(2, 2, dropout=0.0, activation=activation)
    for linear in (network.inner, network.outer):
        linear.weight.data = torch.eye(2)
        linear.bias.data.zero_()
    network.outer.bias.data.fill_(3.0)
    out = network(torch.tensor([[[1.0, -20.0]]]))
    torch.testing.assert_close(out, torch.tensor([[[at_one + 3, 3.0]]]), atol=1e-6, rtol=0)


def randomise(layer: nn.Module) -> None:
    for parameter in layer.parameters():
        parameter.data += 0.3 * torch.randn_like(parameter)


def source() -> tuple[Tensor, Tensor]:
    """A batch of two, the second with two tokens of padding."""
    allowed = torch.ones(2, 6, dtype=torch.bool)
    allowed[1, 4:] = False
    return torch.randn(2, 6, 16), allowed


@pytest.mark.parametrize("placement", get_args(NormPlacement))
@pytest.mark.parametrize("activation", get_args(Activation))
def test_encoder_layer_equals_pytorchs(placement: NormPlacement, activation: Activation) -> None:
    torch.manual_seed(0)
    config = tiny_config(norm_placement=placement, activation=activation)
    ours = EncoderLayer(config).eval()
    randomise(ours)
    theirs = torch_encoder_layer(ours, config)
    x, allowed = source()
    expected = theirs(x, src_key_padding_mask=~allowed)
    out = ours(x, allowed[:, None, None])
    torch.testing.assert_close(out[allowed], expected[allowed], atol=1e-5, rtol=0)


@pytest.mark.parametrize("placement", get_args(NormPlacement))
def test_decoder_layer_equals_pytorchs(placement: NormPlacement) -> None:
    torch.manual_seed(0)
    config = tiny_config(norm_placement=placement)
    ours = DecoderLayer(config).eval()
    randomise(ours)
    theirs = torch_decoder_layer(ours, config)
    reference = WeightsOf(theirs)
    memory, allowed = source()
    x = torch.randn(2, 5, 16)
    recorded: list[Any] = []
    for attention in (ours.self_attention, ours.cross_attention):
        attention.weights.register_forward_hook(lambda _m, _a, out: recorded.append(out))
    expected = theirs(
        x,
        memory,
        tgt_mask=torch.ones(5, 5, dtype=torch.bool).triu(1),
        memory_key_padding_mask=~allowed,
    )
    out = ours(x, causal_mask(5, 5), memory, allowed[:, None, None])
    torch.testing.assert_close(out, expected, atol=1e-5, rtol=0)
    assert [tuple(w.shape) for w in recorded] == [(2, 4, 5, 5), (2, 4, 5, 6)]
    for mine, its in zip(recorded, reference.weights, strict=True):
        torch.testing.assert_close(mine, its, atol=1e-5, rtol=0)


DROPOUTS = [
    *("self_attention.dropout", "self_attention_residual.dropout"),
    *("cross_attention.dropout", "cross_attention_residual.dropout"),
    *("feed_forward.dropout", "feed_forward_residual.dropout"),
]


def test_a_layer_drops_at_the_configured_rate_in_six_places() -> None:
    layer = DecoderLayer(tiny_config(dropout=0.25))
    rates = {name: m.p for name, m in layer.named_modules() if isinstance(m, nn.Dropout)}
    assert rates == dict.fromkeys(DROPOUTS, 0.25)


@pytest.mark.parametrize("placement", get_args(NormPlacement))
@pytest.mark.parametrize("name", DROPOUTS)
def test_each_dropout_takes_part_in_training_and_only_there(
    name: str, placement: NormPlacement
) -> None:
    torch.manual_seed(0)
    layer = DecoderLayer(tiny_config(norm_placement=placement))
    dropout = layer.get_submodule(name)
    assert isinstance(dropout, nn.Dropout)
    x = torch.randn(1, 3, 16)
    expected = layer(x, memory=x)
    dropout.p = 0.5
    assert not torch.allclose(layer(x, memory=x), expected)
    assert torch.equal(layer.eval()(x, memory=x), expected)
