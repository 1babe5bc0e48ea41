"""Correct models, of whatever make, are left in peace."""

from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import Tensor, nn
from transformers import (
    BertConfig,
    BertLMHeadModel,
    GPT2Config,
    GPT2LMHeadModel,
    MarianConfig,
    MarianMTModel,
)

from tests.checker import zoo_classic, zoo_compact, zoo_holdout, zoo_torch
from tests.checker.bugs import batch
from transformer import TransformerConfig, build_model, check
from transformer.checker import Report
from transformer.checker.basis.clues import OF_LOSS

ADDITIVE = "additive"


class TorchTransformer(nn.Module):
    """nn.Transformer between an embedding and an output, with masks of any convention."""

    def __init__(self, batch_first: bool, norm_first: bool, mask: str) -> None:
        super().__init__()
        self.batch_first, self.mask = batch_first, mask
        self.words, self.places = nn.Embedding(23, 16), nn.Embedding(64, 16)
        self.body = nn.Transformer(16, 4, 2, 2, 32, batch_first=batch_first, norm_first=norm_first)
        self.out = nn.Linear(16, 23)

    def forward(self, src: Tensor, tgt: Tensor) -> Tensor:
        x, y = (self.words(i) + self.places(torch.arange(i.size(1))) for i in (src, tgt))
        if not self.batch_first:
            x, y = x.transpose(0, 1), y.transpose(0, 1)
        hidden = src == 0
        causal = nn.Transformer.generate_square_subsequent_mask(tgt.size(1))
        pads = torch.zeros(hidden.shape).masked_fill(hidden, -torch.inf)
        options = (causal, pads) if self.mask == ADDITIVE else (causal.isinf(), hidden)
        z = self.body(
            x,
            y,
            tgt_mask=options[0],
            src_key_padding_mask=options[1],
            memory_key_padding_mask=options[1],
        )
        return self.out(z if self.batch_first else z.transpose(0, 1))


def with_attention(name: str, config: type[Any], **sizes: Any) -> Any:
    """A Hugging Face configuration whose attention is "eager" or "sdpa"."""
    return config(attn_implementation=name, **sizes)


def assert_in_peace(report: Report) -> None:
    assert report.codes == (), str(report)
    assert set(report.unknown) <= OF_LOSS | {"embedding_scale"}
    assert not report.problems


@pytest.mark.filterwarnings("ignore:enable_nested_tensor is True")
@pytest.mark.parametrize(
    ("batch_first", "norm_first", "mask"),
    [
        (True, True, ADDITIVE),
        (True, False, "bool"),
        (False, True, "bool"),
        (False, False, ADDITIVE),
    ],
)
def test_torch_transformer(batch_first: bool, norm_first: bool, mask: str) -> None:
    torch.manual_seed(0)
    assert_in_peace(check(TorchTransformer(batch_first, norm_first, mask), *batch()))


@pytest.mark.parametrize(
    ("encoders", "norm_placement", "tied"),
    [(0, "pre", "none"), (0, "post", "all"), (2, "pre", "all"), (2, "post", "none")],
)
def test_ours(encoders: int, norm_placement: str, tied: str) -> None:
    torch.manual_seed(0)
    config = TransformerConfig.from_dict(
        {
            "src_vocab_size": 23,
            "tgt_vocab_size": 23,
            "d_model": 16,
            "num_heads": 4,
            "num_encoder_layers": encoders,
            "num_decoder_layers": 2,
            "d_ff": 32,
            "norm_placement": norm_placement,
            "final_norms": norm_placement == "pre",
            "tied_embeddings": "output" if tied == "all" and encoders == 0 else tied,
        }
    )
    src, tgt = batch()
    model = build_model(config)
    assert_in_peace(check(model, src, tgt) if encoders else check(model, tgt))


@pytest.mark.parametrize(("scaled", "attention"), [(True, "eager"), (False, "sdpa")])
def test_marian(scaled: bool, attention: str) -> None:
    torch.manual_seed(0)
    config = with_attention(
        attention,
        MarianConfig,
        vocab_size=23,
        d_model=16,
        encoder_layers=2,
        decoder_layers=2,
        encoder_ffn_dim=32,
        decoder_ffn_dim=32,
        encoder_attention_heads=4,
        decoder_attention_heads=4,
        pad_token_id=0,
        eos_token_id=2,
        decoder_start_token_id=0,
        scale_embedding=scaled,
    )
    src, tgt = batch()
    tgt[:, 0] = 0  # Marian starts from padding

    def call(model: nn.Module, src: Tensor, tgt: Tensor) -> Tensor:
        return model(input_ids=src, attention_mask=(src != 0).long(), decoder_input_ids=tgt).logits

    assert_in_peace(check(MarianMTModel(config), src, tgt, call=call))


@pytest.mark.parametrize("attention", ["eager", "sdpa"])
def test_gpt2(attention: str) -> None:
    torch.manual_seed(0)
    config = with_attention(
        attention,
        GPT2Config,
        vocab_size=23,
        n_embd=16,
        n_layer=2,
        n_head=4,
        n_positions=32,
        bos_token_id=1,
        eos_token_id=2,
    )
    assert_in_peace(check(GPT2LMHeadModel(config), batch()[1]))


@pytest.mark.parametrize("attention", ["eager", "sdpa"])
def test_bert_as_decoder(attention: str) -> None:
    torch.manual_seed(0)
    config = with_attention(
        attention,
        BertConfig,
        vocab_size=23,
        hidden_size=16,
        num_hidden_layers=2,
        num_attention_heads=4,
        intermediate_size=32,
        is_decoder=True,
        max_position_embeddings=32,
        pad_token_id=0,
    )
    model = BertLMHeadModel(config)
    assert_in_peace(check(model, batch()[1], call=lambda m, ids: m(ids, (ids != 0).long())))


MODELS: dict[str, Callable[[], nn.Module]] = {
    "classic post-norm": lambda: zoo_classic.Classic(pre=False),
    "classic pre-norm": lambda: zoo_classic.Classic(),
    "library": lambda: zoo_torch.Modern(),
    "library pre-norm": lambda: zoo_torch.Modern(pre=True, drop=0.0),
    "sequence first": lambda: zoo_holdout.SeqFirst(),
}


@pytest.mark.parametrize("name", sorted(MODELS))
def test_encoder_decoders_in_students_styles(name: str) -> None:
    torch.manual_seed(0)
    assert_in_peace(check(MODELS[name](), *batch()))


def test_learned_positions_that_start_at_zero_are_positions() -> None:
    model = zoo_compact.Compact(layers=1)
    nn.init.zeros_(model.places.weight)
    assert_in_peace(check(model, batch()[1]))


def test_few_tokens_one_sentence_and_a_short_table() -> None:
    model = zoo_compact.Compact(layers=1)
    model.places = nn.Embedding(4, 16)
    assert_in_peace(check(model, torch.tensor([[1, 7, 2, 0]])))


@pytest.mark.parametrize("model", [zoo_compact.Compact, zoo_holdout.Modern])
def test_decoders_in_students_styles(model: Callable[[], nn.Module]) -> None:
    torch.manual_seed(0)
    assert_in_peace(check(model(), batch()[1]))
