import math
from typing import Any, cast, get_args

import pytest
import torch
from torch import Tensor, nn

from tests.reference import TorchLanguageModel, TorchTransformer, WeightsOf
from tests.tiny import BOS, PAD, random_ids, tiny_config, tiny_model
from transformer import LanguageModel, Transformer, TransformerConfig, build_model, record
from transformer.model.attention import MultiHeadAttention
from transformer.model.config import Activation, NormPlacement
from transformer.model.towers import Decoder, DecoderCache, Encoder
from transformer.trace.kinds import Kind

PLACEMENTS = get_args(NormPlacement)


def encoder_decoder(seed: int = 0, **changes: Any) -> Transformer:
    return cast(Transformer, tiny_model(seed, **changes))


def language_model(seed: int = 0, **changes: Any) -> LanguageModel:
    return cast(LanguageModel, tiny_model(seed, num_encoder_layers=0, **changes))


def padded_batch() -> tuple[Tensor, Tensor]:
    """Sources and targets of two lengths, filled up with padding."""
    src, tgt = random_ids(1, 2, 6), random_ids(2, 2, 5)
    tgt[:, 0] = BOS
    src[1, 4:] = PAD
    tgt[1, 3:] = PAD
    return src, tgt


@pytest.mark.parametrize("final_norms", [False, True])
@pytest.mark.parametrize("placement", PLACEMENTS)
@pytest.mark.parametrize("activation", get_args(Activation))
def test_logits_and_weights_equal_nn_transformers(
    placement: NormPlacement, final_norms: bool, activation: Activation
) -> None:
    model = encoder_decoder(
        norm_placement=placement, final_norms=final_norms, activation=activation
    )
    theirs = TorchTransformer(model)
    reference = WeightsOf(theirs)
    src, tgt = padded_batch()
    with record(model) as recording:
        logits = model(src, tgt)
    torch.testing.assert_close(logits, theirs(src, tgt), atol=1e-5, rtol=1e-5)
    # nn.Transformer runs the encoder, then self- and cross-attention of each decoder layer.
    both = zip(recording.weights["decoder_self"], recording.weights["cross"], strict=True)
    ours = [*recording.weights["encoder_self"], *(weights for pair in both for weights in pair)]
    assert len(ours) == 6
    for mine, its in zip(ours, reference.weights, strict=True):
        torch.testing.assert_close(mine, its, atol=1e-5, rtol=0)


@pytest.mark.parametrize(
    "changes",
    [
        {"positions": "concatenated"},
        {"scale_embeddings": False},
        {"output_bias": False},
        {"tied_embeddings": "output"},
        {"tied_embeddings": "all", "src_vocab_size": 31},
        {"num_encoder_layers": 1, "num_decoder_layers": 3},
        {"num_heads": 1},
        {"num_heads": 16},
        {"d_model": 20, "num_heads": 2},
    ],
    ids=str,
)
def test_every_other_choice_equals_nn_transformers(changes: dict[str, Any]) -> None:
    model = encoder_decoder(**changes)
    src, tgt = padded_batch()
    expected = TorchTransformer(model)(src, tgt)
    torch.testing.assert_close(model(src, tgt), expected, atol=1e-5, rtol=1e-5)


@pytest.mark.parametrize("placement", PLACEMENTS)
@pytest.mark.parametrize("final_norms", [False, True])
def test_a_language_model_equals_pytorchs_layers(
    placement: NormPlacement, final_norms: bool
) -> None:
    model = language_model(norm_placement=placement, final_norms=final_norms)
    theirs = TorchLanguageModel(model)
    reference = WeightsOf(theirs)
    tgt = random_ids(1, 2, 7)
    with record(model) as recording:
        logits = model(tgt)
    torch.testing.assert_close(logits, theirs(tgt), atol=1e-5, rtol=1e-5)
    for mine, its in zip(recording.weights["decoder_self"], reference.weights, strict=True):
        torch.testing.assert_close(mine, its, atol=1e-5, rtol=0)


def test_the_shapes_of_the_tutorial() -> None:
    config = TransformerConfig(
        src_vocab_size=1000,
        tgt_vocab_size=2000,
        d_model=512,
        num_heads=8,
        num_encoder_layers=3,
        num_decoder_layers=3,
        d_ff=2048,
    )
    model = Transformer(config).eval()
    src, tgt = random_ids(1, 2, 6, high=1000), random_ids(2, 2, 5, high=2000)
    with torch.inference_mode():
        assert model.encode(src).shape == (2, 6, 512)
        assert model.decode(tgt, model.encode(src)).shape == (2, 5, 2000)
        assert model(src, tgt).shape == (2, 5, 2000)


def test_the_base_model_has_about_as_many_parameters_as_the_papers() -> None:
    # Vaswani et al. 2017, table 3 and section 5.1: 65 million, 37,000 shared tokens.
    config = TransformerConfig(
        src_vocab_size=37_000, tgt_vocab_size=37_000, tied_embeddings="all", output_bias=False
    )
    with torch.device("meta"):
        model = build_model(config)
    assert 62e6 < sum(parameter.numel() for parameter in model.parameters()) < 66e6


@pytest.mark.parametrize("placement", PLACEMENTS)
def test_a_future_token_changes_no_earlier_row(placement: NormPlacement) -> None:
    model, lm = encoder_decoder(norm_placement=placement), language_model(norm_placement=placement)
    src, tgt = random_ids(1, 2, 6), random_ids(2, 2, 8)
    memory = model.encode(src)
    passes = [lambda ids: model(src, ids), lambda ids: model.decode(ids, memory), lm]
    for run in passes:
        before = run(tgt)
        for position in range(1, 8):
            changed = tgt.clone()
            changed[:, position] = 3
            after = run(changed)
            assert torch.equal(after[:, :position], before[:, :position])
            assert not torch.allclose(after[:, position:], before[:, position:])


def test_every_row_reads_the_whole_source() -> None:
    model = encoder_decoder()
    src, tgt = random_ids(1, 1, 6), random_ids(2, 1, 5)
    before = model(src, tgt)
    for position in range(6):
        changed = src.clone()
        changed[:, position] = 3
        moved = (model(changed, tgt) - before).abs().amax(-1)
        assert (moved > 1e-4).all()


@pytest.mark.parametrize("placement", PLACEMENTS)
def test_padding_a_batch_changes_no_real_row(placement: NormPlacement) -> None:
    model, lm = encoder_decoder(norm_placement=placement), language_model(norm_placement=placement)
    src, tgt = padded_batch()
    alone = model(src[1:, :4], tgt[1:, :3])
    torch.testing.assert_close(model(src, tgt)[1:, :3], alone, atol=1e-5, rtol=1e-5)
    torch.testing.assert_close(lm(tgt)[1:, :3], lm(tgt[1:, :3]), atol=1e-5, rtol=1e-5)
    # What the padding would have been makes no difference at all to the others.
    with record(model) as recording:
        model(src, tgt)
    keys: dict[Kind, int] = {"encoder_self": 4, "cross": 4, "decoder_self": 3}
    for kind, real in keys.items():
        for weights in recording.weights[kind]:
            assert weights[1, ..., real:].eq(0).all()


def test_a_target_may_start_from_the_padding_token() -> None:
    # Marian does: its logits must be finite and depend on the start token.
    model = encoder_decoder(bos_id=0)
    src, tgt = padded_batch()
    tgt[:, 0] = PAD
    logits = model(src, tgt)
    assert logits.isfinite().all()
    expected = TorchTransformer(model)(src, tgt)
    torch.testing.assert_close(logits, expected, atol=1e-5, rtol=1e-5)


def test_masks_may_be_given_and_must_be_bool() -> None:
    model = encoder_decoder()
    src, tgt = padded_batch()
    src_mask = model.source_mask(src)
    memory = model.encode(src, src_mask)
    assert torch.equal(model.encode(src), memory)
    with pytest.raises(TypeError, match="mask must be torch"):
        model.encode(src, src_mask.float())
    with pytest.raises(TypeError, match="mask must be torch"):
        model.decode(tgt, memory, src_mask=src_mask.int())
    with pytest.raises(ValueError, match=r"\(2, 1, 1, 5\).*\(2, 4, 5, 6\)"):
        model.decode(tgt, memory, src_mask=src_mask[..., :5])


def test_a_text_longer_than_the_model_is_refused() -> None:
    model = encoder_decoder()
    with pytest.raises(ValueError, match="25 tokens are more than this model's maximum length, 24"):
        model(random_ids(1, 1, 25), random_ids(2, 1, 5))
    with pytest.raises(ValueError, match="25 tokens"):
        model(random_ids(1, 1, 5), random_ids(2, 1, 25))


def test_initialisation_is_xavier_uniform_for_each_projection() -> None:
    torch.manual_seed(0)
    config = tiny_config(d_model=64, d_ff=256, src_vocab_size=500, tgt_vocab_size=500)
    model = build_model(config)
    for name, parameter in model.named_parameters():
        if name.endswith("bias"):
            assert parameter.eq(0).all(), name
        elif "norm" in name:
            assert parameter.eq(1).all(), name
        elif "embedding" in name:
            assert abs(parameter.std().item() * math.sqrt(64) - 1) < 0.03, name
        else:
            # The three projections are one matrix [192, 64], but each has 64 outputs of its own.
            fan_out = 64 if "query_key_value" in name else parameter.size(0)
            bound = math.sqrt(6 / (parameter.size(1) + fan_out))
            assert 0.97 * bound < parameter.abs().max().item() <= bound, name
            assert abs(parameter.std().item() - bound / math.sqrt(3)) < 0.02 * bound, name


@pytest.mark.parametrize(("tied", "different"), [("none", 3), ("output", 2), ("all", 1)])
def test_tied_embeddings_are_one_tensor(tied: str, different: int) -> None:
    config = tiny_config(tied_embeddings=tied, src_vocab_size=31, output_bias=False)
    model = cast(Transformer, build_model(config))
    matrices = (
        model.encoder.embedding.token.weight,
        model.decoder.embedding.token.weight,
        model.decoder.output.weight,
    )
    assert len({matrix.data_ptr() for matrix in matrices}) == different
    model.train()(random_ids(1, 1, 4), random_ids(2, 1, 4)).logsumexp(-1).sum().backward()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    optimizer.step()
    assert len({matrix.data_ptr() for matrix in matrices}) == different


def test_the_output_bias_is_a_choice() -> None:
    assert encoder_decoder(output_bias=True).decoder.output.bias is not None
    assert encoder_decoder(output_bias=False).decoder.output.bias is None


@pytest.mark.parametrize("placement", PLACEMENTS)
def test_with_a_cache_the_target_may_come_in_pieces(placement: NormPlacement) -> None:
    model = encoder_decoder(norm_placement=placement)
    src, tgt = random_ids(1, 2, 6), random_ids(2, 2, 9)
    with torch.inference_mode():
        memory = model.encode(src)
        cache = DecoderCache(2, max_target=9, num_source=6)
        pieces = [model.decode(part, memory, cache=cache) for part in tgt.split([4, 1, 3, 1], 1)]
        expected = model.decode(tgt, memory)
    assert cache.length == 9
    torch.testing.assert_close(torch.cat(pieces, dim=1), expected, atol=1e-5, rtol=1e-5)


def test_the_names_of_the_tutorials() -> None:
    model = encoder_decoder()
    assert isinstance(model.encoder, Encoder)
    assert isinstance(model.decoder, Decoder)
    assert [name for name, _ in model.named_children()] == ["encoder", "decoder"]
    assert sum(isinstance(m, MultiHeadAttention) for m in model.modules()) == 6
    assert not any(isinstance(m, nn.MultiheadAttention) for m in model.modules())


def test_a_config_of_the_other_kind_is_refused() -> None:
    with pytest.raises(ValueError, match="this config describes a LanguageModel"):
        Transformer(tiny_config(num_encoder_layers=0))
    with pytest.raises(ValueError, match="num_encoder_layers must be 0, not 2"):
        LanguageModel(tiny_config())
    assert isinstance(build_model(tiny_config()), Transformer)
    assert isinstance(build_model(tiny_config(num_encoder_layers=0)), LanguageModel)


def test_a_few_steps_of_training_learn_to_copy() -> None:
    torch.manual_seed(0)
    config = tiny_config(d_model=32, num_encoder_layers=1, num_decoder_layers=1, dropout=0.05)
    model = build_model(config).train()
    optimizer = torch.optim.Adam(model.parameters(), lr=5e-3)
    src = random_ids(3, 8, 5)
    tgt = torch.cat([torch.full((8, 1), BOS), src[:, :-1]], dim=1)
    for _ in range(60):
        loss = nn.functional.cross_entropy(model(src, tgt).flatten(0, 1), src.flatten())
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    assert torch.equal(model.eval()(src, tgt).argmax(-1), src)
