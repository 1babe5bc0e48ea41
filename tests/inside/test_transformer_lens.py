"""A model of ours and TransformerLens' own, with the same random weights, asked the same.

Not among `make test`'s packages: CONTRIBUTING.md says how to install it.
"""

import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
import torch
from torch import Tensor

from tests.tiny import tiny_checkpoint
from transformer import LanguageModel, Tokenizer, Translator, inside
from transformer.model.layers import DecoderLayer
from transformer.trace.trace import AttentionTrace

with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # of the packages that it brings
    lens = pytest.importorskip("transformer_lens")
    try:
        HookedTransformer = lens.HookedTransformer
        detect_head = lens.head_detector.detect_head
    except ImportError:
        pytest.skip("TransformerLens 4 has no model of its own", allow_module_level=True)

pytestmark = pytest.mark.filterwarnings("ignore:HookedTransformer is deprecated")

SOURCE = "The cat sleeps on the warm bed."

Array = npt.NDArray[Any]
Hooks = list[tuple[str, Any]]


@pytest.fixture(scope="module")
def ours(tokenizer: Tokenizer) -> Translator:
    """Decoder-only, with LayerNorm before each sublayer: the form that TransformerLens computes."""
    size: dict[str, Any] = {"num_encoder_layers": 0, "num_decoder_layers": 3, "max_length": 64}
    return Translator(tiny_checkpoint(tokenizer, norm_placement="pre", final_norms=True, **size))


@pytest.fixture(scope="module")
def theirs(ours: Translator) -> Any:
    """TransformerLens' model with the weights of `ours`."""
    model, config = ours.model, ours.config
    assert isinstance(model, LanguageModel)
    hooked_model = HookedTransformer(
        lens.HookedTransformerConfig(
            n_layers=config.num_decoder_layers,
            n_heads=config.num_heads,
            d_model=config.d_model,
            d_head=config.d_head,
            d_mlp=config.d_ff,
            d_vocab=config.tgt_vocab_size,
            n_ctx=config.max_length,
            act_fn=config.activation,
            normalization_type="LN",
            device="cpu",
        )
    )
    decoder: Any = model.decoder

    def split(projected: Tensor) -> Tensor:
        """[heads · d_head, …] → [head, …, d_head]."""
        return projected.unflatten(0, (config.num_heads, config.d_head)).movedim(1, -1)

    weights: dict[str, Tensor] = {
        "embed.W_E": decoder.embedding.token.weight * decoder.embedding.scale,
        "pos_embed.W_pos": decoder.embedding.position.encoding,
        "ln_final.w": decoder.norm.weight,
        "ln_final.b": decoder.norm.bias,
        "unembed.W_U": decoder.output.weight.T,
        "unembed.b_U": decoder.output.bias,
    }
    for index, layer in enumerate(decoder.layers):
        attention, network = layer.self_attention, layer.feed_forward
        named: dict[str, Tensor] = {
            "ln1.w": layer.self_attention_residual.norm.weight,
            "ln1.b": layer.self_attention_residual.norm.bias,
            "ln2.w": layer.feed_forward_residual.norm.weight,
            "ln2.b": layer.feed_forward_residual.norm.bias,
            "attn.W_O": attention.output.weight.T.unflatten(0, (config.num_heads, -1)),
            "attn.b_O": attention.output.bias,
            "mlp.W_in": network.inner.weight.T,
            "mlp.b_in": network.inner.bias,
            "mlp.W_out": network.outer.weight.T,
            "mlp.b_out": network.outer.bias,
        }
        projections = attention.query_key_value
        parts = zip("QKV", projections.weight.chunk(3), projections.bias.chunk(3), strict=True)
        for name, weight, bias in parts:
            named[f"attn.W_{name}"], named[f"attn.b_{name}"] = split(weight), split(bias)
        weights |= {f"blocks.{index}.{name}": value for name, value in named.items()}
    missing, unexpected = hooked_model.load_state_dict(weights, strict=False)
    assert not unexpected
    # Masks alone are not ours to give.
    assert all(name.endswith((".mask", ".IGNORE")) for name in missing), missing
    return hooked_model.eval()


@pytest.fixture(scope="module")
def trace(ours: Translator) -> AttentionTrace:
    return ours.trace(SOURCE, max_steps=9)


@pytest.fixture(scope="module")
def read(ours: Translator, trace: AttentionTrace) -> Tensor:
    """What both read, [1, tgt]."""
    return torch.tensor([[ours.config.bos_id, *trace.tgt_ids[:-1]]])


def logs(model: Any, read: Tensor, emitted: list[int], hooks: Hooks | None = None) -> Array:
    """TransformerLens' log-probability of what was emitted at the last rows, in nats."""
    with torch.inference_mode():
        logits = model.run_with_hooks(read, fwd_hooks=hooks or [])[0, -len(emitted) :]
    rows = torch.arange(len(emitted))
    return logits.double().log_softmax(-1)[rows, emitted].numpy()


def test_attention_lengths_and_the_logit_lens(
    ours: Translator, theirs: Any, trace: AttentionTrace, read: Tensor
) -> None:
    with torch.inference_mode():
        logits, cache = theirs.run_with_cache(read)
        layers = range(ours.config.num_decoder_layers)
        assert trace.decoder_self is not None
        for layer in layers:
            np.testing.assert_allclose(
                trace.decoder_self[layer], cache["pattern", layer][0], atol=1e-6
            )
        lengths = inside.residual(ours, trace)
        points = [
            cache[f"resid_{point}", layer][0] for layer in layers for point in ("mid", "post")
        ]
        np.testing.assert_allclose(
            lengths.decoder, torch.stack([point.norm(dim=-1) for point in points]), rtol=1e-5
        )
        readings = inside.lens(ours, trace)
        stream = [cache["resid_post", layer] for layer in layers]
        each = torch.cat([theirs.unembed(theirs.ln_final(state)) for state in stream]).softmax(-1)
    np.testing.assert_array_equal(readings.ids, each.argmax(-1))
    emitted = each[:, range(len(trace.tgt_ids)), trace.tgt_ids]
    np.testing.assert_allclose(readings.emitted, emitted, atol=1e-6)
    np.testing.assert_allclose(
        readings.emitted[-1],
        logits[0].softmax(-1)[range(len(emitted[0])), trace.tgt_ids],
        atol=1e-6,
    )


def test_the_detector_of_induction_heads(
    ours: Translator, theirs: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    trace = ours.trace("The cat sleeps. The cat sleeps. The cat", max_steps=9)
    read = torch.tensor([[ours.config.bos_id, *trace.tgt_ids[:-1]]])
    # It takes a text alone, and has no tokenizer of ours.
    monkeypatch.setattr(theirs, "to_tokens", lambda _: read)
    with torch.inference_mode():
        scores = detect_head(theirs, "", "induction_head", error_measure="mul")
    induction = inside.induction(trace)
    assert 5 < induction.rows < induction.queries
    np.testing.assert_allclose(
        induction.shares * induction.rows / induction.queries, scores, atol=1e-6
    )


def test_every_head_switched_off(
    ours: Translator, theirs: Any, trace: AttentionTrace, read: Tensor
) -> None:
    swept = inside.sweep(ours, trace)
    assert swept.decoder_self is not None
    ids = list(trace.tgt_ids)
    before = logs(theirs, read, ids).sum()
    assert swept.log_probability == pytest.approx(before, abs=1e-4)
    for layer, head in np.ndindex(swept.decoder_self.shape):

        def off(pattern: Tensor, head: int = head, **_: object) -> Tensor:
            pattern[:, head] = 0
            return pattern

        after = logs(theirs, read, ids, [(f"blocks.{layer}.attn.hook_pattern", off)]).sum()
        assert swept.decoder_self[layer, head] == pytest.approx(after - before, abs=1e-4)


def test_every_word_left_out(
    ours: Translator, theirs: Any, trace: AttentionTrace, read: Tensor
) -> None:
    left = inside.leave_one_out(ours, trace)
    ids = list(trace.tgt_ids)
    before = logs(theirs, read, ids)
    assert len(left.pieces) > 5
    for column, word in enumerate(left.pieces):
        last = word[-1]
        kept = [i for i in range(read.shape[1]) if i not in word]
        after = logs(theirs, read[:, kept], ids[last:])
        np.testing.assert_allclose(left.deltas[last:, column], after - before[last:], atol=1e-5)
        assert np.isnan(left.deltas[:last, column]).all()


def test_every_value_set_to_zero(
    ours: Translator, theirs: Any, trace: AttentionTrace, read: Tensor
) -> None:
    zeroed = inside.value_zeroing(ours, trace).decoder_self
    with torch.inference_mode():
        _, cache = theirs.run_with_cache(read)
    size = read.shape[1]
    for layer in range(ours.config.num_decoder_layers):
        plain, turned = cache["resid_post", layer][0], torch.zeros(size, size)
        for token in range(size):
            kept: list[Tensor] = []

            def zero(value: Tensor, token: int = token, **_: object) -> Tensor:
                value[:, token] = 0
                return value

            def keep(state: Tensor, kept: list[Tensor] = kept, **_: object) -> None:
                kept.append(state[0])

            place = f"blocks.{layer}"
            hooks: Hooks = [(f"{place}.attn.hook_v", zero), (f"{place}.hook_resid_post", keep)]
            logs(theirs, read, list(trace.tgt_ids), hooks)
            turned[:, token] = 1 - torch.cosine_similarity(kept[0], plain, dim=-1)
        turned = turned.double().tril().clamp(min=0)
        # 1 − cosine, where both are close, has few digits left in float32.
        np.testing.assert_allclose(zeroed[layer], turned / turned.sum(-1, keepdim=True), atol=5e-4)


@pytest.fixture
def attentive(ours: Translator, theirs: Any) -> Iterator[None]:
    """Untrained, both say the same whatever they have read; heads that say more change that."""
    weights: list[Tensor] = [block.attn.W_O for block in theirs.blocks]
    for layer in ours.model.decoder.layers:
        assert isinstance(layer, DecoderLayer)
        weights.append(layer.self_attention.output.weight)
    for weight in weights:
        weight.data *= 8
    yield
    for weight in weights:
        weight.data /= 8


@pytest.mark.usefixtures("attentive")
def test_every_head_taken_from_another_text(ours: Translator, theirs: Any) -> None:
    trace = ours.trace(SOURCE, max_steps=9)
    donor = "The bed sleeps on the warm cat."
    patching = inside.patching(ours, trace, donor)
    size, bos = len(ours.tokenizer.encode(SOURCE)), ours.config.bos_id
    own = torch.tensor([[bos, *trace.tgt_ids[: patching.step]]])
    other = own.clone()
    other[0, 1 : 1 + size] = torch.tensor(ours.tokenizer.encode(donor))
    answers = [
        next(i for i in range(ours.config.tgt_vocab_size) if ours.tgt_tokenizer.piece(i) == label)
        for label in (patching.answer, patching.donor_answer)
    ]
    with torch.inference_mode():
        _, cache = theirs.run_with_cache(other)

    def difference(tokens: Tensor, hooks: Hooks) -> float:
        with torch.inference_mode():
            row = theirs.run_with_hooks(tokens, fwd_hooks=hooks)[0, -1].log_softmax(-1)
        return float(row[answers[0]] - row[answers[1]])

    before, after = difference(own, []), difference(other, [])
    assert (patching.difference, patching.donor_difference) == pytest.approx(
        (before, after), abs=1e-4
    )
    for layer, head in np.ndindex(patching.heads["decoder_self"].shape):
        place = f"blocks.{layer}.attn.hook_z"

        def put(z: Tensor, head: int = head, place: str = place, **_: object) -> Tensor:
            z[:, :, head] = cache[place][:, :, head]
            return z

        share = (difference(own, [(place, put)]) - before) / (after - before)
        assert patching.heads["decoder_self"][layer, head] == pytest.approx(share, abs=1e-3)
