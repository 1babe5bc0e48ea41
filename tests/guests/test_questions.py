"""Questions asked of guests, each against a forward pass of transformers written by hand."""

from typing import Any

import numpy as np
import pytest
import torch

from tests.guests.families import tiny, tokenizer
from transformer import inside
from transformer.errors import HeadlightError
from transformer.guests.hugging_face.guest import HuggingFaceModel
from transformer.trace.trace import AttentionTrace

TEXT = "w1 w2 w3 w4 w5 w6 w7"
W2 = 7
"""Its id; five special tokens come before w0."""

FORMS = ["llama", "gpt2", "t5", "bart", "bert", "bloom"]


def asked(name: str) -> tuple[HuggingFaceModel, AttentionTrace]:
    guest = HuggingFaceModel(tiny(name), tokenizer(), name)
    options: dict[str, Any] = {"hidden": [2, 4]} if name == "bert" else {"max_steps": 5}
    return guest, guest.trace(TEXT, **options)


def by_hand(
    model: Any, trace: AttentionTrace, ids: list[int] | None = None, temperature: float = 1.0
) -> Any:
    """Log-probabilities of what is judged: [judged]."""
    src = torch.tensor([ids or list(trace.src_ids)])
    if trace.guest is not None and trace.guest.form == "encoder":
        hidden = trace.guest.hidden
        logits = model(src).logits[0, [it.at for it in hidden]]
        tokens = [it.id for it in hidden]
    elif not trace.src_ids:
        first = tokenizer()(TEXT).input_ids[0]
        read = torch.tensor([ids or [first, *trace.tgt_ids[:-1]]])
        logits, tokens = model(read).logits[0], trace.tgt_ids
    else:
        start = model.config.decoder_start_token_id
        read = torch.tensor([[start, *trace.tgt_ids[:-1]]])
        logits, tokens = model(src, decoder_input_ids=read).logits[0], trace.tgt_ids
    logs = (logits / temperature).log_softmax(-1)
    return logs.gather(-1, torch.tensor([list(tokens)]).T)[:, 0].detach().numpy()


def output_of(model: Any, name: str) -> Any:
    """The projection of what the first layer's heads hand on."""
    return {
        "llama": lambda: model.model.layers[0].self_attn.o_proj,
        "gpt2": lambda: model.transformer.h[0].attn.c_proj,
        "t5": lambda: model.decoder.block[0].layer[1].EncDecAttention.o,
        "bart": lambda: model.model.decoder.layers[0].encoder_attn.out_proj,
        "bert": lambda: model.bert.encoder.layer[0].attention.output.dense,
        "bloom": lambda: model.transformer.h[0].self_attention.dense,
    }[name]()


KINDS = {"t5": "cross", "bart": "cross", "bert": "encoder_self"}


def without_second_head(name: str) -> Any:
    model = tiny(name)

    def hook(_module: object, args: tuple[Any, ...]) -> tuple[Any, ...]:
        copy = args[0].clone()
        copy[..., 8:16] = 0
        return (copy, *args[1:])

    output_of(model, name).register_forward_pre_hook(hook)
    return model


@pytest.mark.parametrize("name", FORMS)
def test_an_effect_and_a_sweep_are_a_head_taken_out_by_hand(name: str) -> None:
    guest, trace = asked(name)
    kind = KINDS.get(name, "decoder_self")
    with guest:
        effect = inside.effect(guest, trace, [f"{kind}.L1H2=zero"])
        sweep = inside.sweep(guest, trace)
    before, after = by_hand(tiny(name), trace), by_hand(without_second_head(name), trace)
    np.testing.assert_allclose(effect.log_probability, after - before, atol=2e-5)
    deltas: Any = getattr(sweep, kind)
    assert deltas[0, 1] == pytest.approx((after - before).sum(), abs=1e-4)
    assert sweep.log_probability == pytest.approx(before.sum(), abs=1e-4)
    assert (effect.divergence >= 0).all()
    assert len(sweep.ranked()) == sum(sum(guest.heads(it)) for it in guest.learnt.heads)


@pytest.mark.parametrize("name", FORMS)
def test_a_word_is_left_out(name: str) -> None:
    guest, trace = asked(name)
    with guest:
        left = inside.leave_one_out(guest, trace)
    model, before = tiny(name), by_hand(tiny(name), trace)
    if name in ("llama", "gpt2", "bloom"):
        first = tokenizer()(TEXT).input_ids[0]
        read = [first, *trace.tgt_ids[:-1]]
        with torch.no_grad():
            logs = model(torch.tensor([[*read[:2], *read[3:]]])).logits[0].log_softmax(-1)
        assert np.isnan(left.deltas[:2, 2]).all()
        # Row 1, which read w2, now says what stood after the word.
        assert left.deltas[2, 2] == pytest.approx(
            float(logs[1, trace.tgt_ids[2]]) - before[2], abs=1e-4
        )
        assert left.deltas[-1, 2] == pytest.approx(
            float(logs[-1, trace.tgt_ids[-1]]) - before[-1], abs=1e-4
        )
    elif name == "bert":
        assert np.isnan(left.deltas[:, [2, 4]]).all()
        ids = list(trace.src_ids)
        with torch.no_grad():
            logits = model(torch.tensor([[ids[0], *ids[2:]]])).logits[0].log_softmax(-1)
        expected = [float(logits[at, it]) for at, it in ((1, 8), (3, 10))]
        np.testing.assert_allclose(left.deltas[:, 1], expected - before, atol=1e-4)
    else:
        ids = list(trace.src_ids)
        after = by_hand(model, trace, [ids[0], *ids[2:]])
        np.testing.assert_allclose(left.deltas[:, 1], after - before, atol=1e-4)


@pytest.mark.parametrize("name", ["gpt2", "t5"])
def test_every_temperature_is_told_of_the_whole_vocabulary(name: str) -> None:
    guest, trace = asked(name)
    with guest:
        distribution = inside.distribution(guest, trace)
    written = range(trace.prefix_length, len(trace.tgt_ids))
    places = [(step, [*distribution.ids[step]].index(trace.tgt_ids[step])) for step in written]
    for temperature in (0.5, 1.0, 2.0):
        sums = distribution.log_sum[:, distribution.temperatures.index(temperature)]
        logs = [distribution.logits[at] / temperature - sums[at[0]] for at in places]
        own = by_hand(tiny(name), trace, temperature=temperature)
        np.testing.assert_allclose(logs, own[trace.prefix_length :], atol=1e-4)
    assert distribution.tokens[-1][0] == trace.candidates[-1][0].token


@pytest.mark.parametrize("name", ["llama", "gpt2", "t5", "bart", "bert"])
def test_the_lens_reads_each_layer_as_the_last(name: str) -> None:
    guest, trace = asked(name)
    with guest:
        lens = inside.lens(guest, trace)
    model = tiny(name)
    options: dict[str, Any] = {"output_hidden_states": True}
    with torch.no_grad():
        if name in ("llama", "gpt2"):
            first = tokenizer()(TEXT).input_ids[0]
            states = model(torch.tensor([[first, *trace.tgt_ids[:-1]]]), **options).hidden_states
            norm = model.model.norm if name == "llama" else model.transformer.ln_f
            logits = model.lm_head(norm(states[1]))[0]
        elif name == "bert":
            states = model(torch.tensor([list(trace.src_ids)]), **options).hidden_states
            logits = model.cls(states[1])[0, [2, 4]]
        else:
            start = model.config.decoder_start_token_id
            read = torch.tensor([[start, *trace.tgt_ids[:-1]]])
            src = torch.tensor([list(trace.src_ids)])
            state = model(src, decoder_input_ids=read, **options).decoder_hidden_states[1]
            if name == "t5":
                logits = model.lm_head(model.decoder.final_layer_norm(state))[0]
                scaled = model.lm_head(model.decoder.final_layer_norm(state) * 32**-0.5)[0]
                logits = scaled if model.config.tie_word_embeddings else logits
            else:
                logits = (model.lm_head(state) + model.final_logits_bias)[0]
    shares = logits.softmax(-1)
    np.testing.assert_array_equal(lens.ids[0], shares.argmax(-1).numpy())
    np.testing.assert_allclose(lens.probability[0], shares.max(-1).values.numpy(), rtol=1e-4)
    final = by_hand(model, trace)
    np.testing.assert_allclose(np.log(lens.emitted[-1]), final, atol=1e-4)


@pytest.mark.parametrize("name", ["llama", "gpt2", "t5", "bart", "bert"])
def test_gradients_are_autograd_s_own(name: str) -> None:
    guest, trace = asked(name)
    step = 1 if name == "bert" else len(trace.tgt_ids) - 1
    with guest:
        gradients = inside.gradients(guest, trace, step)
    model = tiny(name)
    table = model.get_input_embeddings()
    if name in ("t5", "bart", "bert"):
        vectors = table(torch.tensor([list(trace.src_ids)])).detach().requires_grad_()
        options: dict[str, Any] = {"inputs_embeds": vectors}
        if name != "bert":
            start = model.config.decoder_start_token_id
            options["decoder_input_ids"] = torch.tensor([[start, *trace.tgt_ids[:-1]]])
        rows = gradients.source[0]
        pieces = gradients.source_pieces
    else:
        first = tokenizer()(TEXT).input_ids[0]
        ids = torch.tensor([[first, *trace.tgt_ids[:-1]]])
        vectors = table(ids).detach().requires_grad_()
        options = {"inputs_embeds": vectors}
        rows, pieces = gradients.prefix[0], gradients.prefix_pieces
    row, token = (step, trace.tgt_ids[step]) if name != "bert" else (4, 10)
    value = model(**options).logits[0, row].log_softmax(-1)[token]
    [slope] = torch.autograd.grad(value, vectors)
    along = (slope * vectors).sum(-1)[0].detach().numpy()
    expected = [along[list(word)].sum() for word in pieces]
    np.testing.assert_allclose(rows, expected, atol=2e-4)
    assert gradients.value == pytest.approx(value.item(), abs=1e-4)
    # RMSNorm has no slope where every word's embedding is 0.
    assert len(gradients.readings) == (1 if name in ("llama", "t5") else 2)
    if len(gradients.readings) == 2:
        total = gradients.source[1].sum() + gradients.prefix[1].sum()
        assert total == pytest.approx(gradients.value - gradients.baseline, abs=1e-3)
    assert gradients.figure().data


@pytest.mark.parametrize("name", ["llama", "gpt2", "t5", "bert"])
def test_value_norms_are_what_a_head_moves(name: str) -> None:
    guest, trace = asked(name)
    kind = "encoder_self" if name in ("t5", "bert") else "decoder_self"
    with guest:
        norms: Any = inside.value_norms(guest, trace).of(kind)
        value = guest.record(trace, ("value",)).at(kind, "value")[0][0]
    model = tiny(name)
    weight = {
        "llama": lambda: model.model.layers[0].self_attn.o_proj.weight,
        "gpt2": lambda: model.transformer.h[0].attn.c_proj.weight.T,
        "t5": lambda: model.encoder.block[0].layer[0].SelfAttention.o.weight,
        "bert": lambda: model.bert.encoder.layer[0].attention.output.dense.weight,
    }[name]()
    mine = value[0 if name == "llama" else 1]  # of llama, two heads share their values
    lengths = (mine @ weight[:, 8:16].T).norm(dim=-1).detach().numpy()
    weights: Any = trace.of(kind)
    np.testing.assert_allclose(norms[0, 1], weights[0, 1] * lengths, atol=1e-4)


def a_values_module(name: str, layer: int) -> tuple[Any, Any, slice]:
    """A layer, the module that makes its values, and which of its outputs these are."""
    model, whole = tiny(name), slice(None)
    places: dict[str, Any] = {
        "llama": lambda it: (it.model.layers, "self_attn.v_proj", whole),
        "mixtral": lambda it: (it.model.layers, "self_attn.v_proj", whole),
        "gpt2": lambda it: (it.transformer.h, "attn.c_attn", slice(64, 96)),
        "t5": lambda it: (it.decoder.block, "layer.1.EncDecAttention.v", whole),
        "bart": lambda it: (it.model.decoder.layers, "encoder_attn.v_proj", whole),
        "bert": lambda it: (it.bert.encoder.layer, "attention.self.value", whole),
    }
    layers, path, columns = places[name](model)
    return model, (layers[layer], layers[layer].get_submodule(path)), columns


@pytest.mark.parametrize("name", ["llama", "mixtral", "gpt2", "t5", "bart", "bert"])
@pytest.mark.parametrize("layer", [0, 1])
def test_value_zeroing_is_a_forward_without_each_token_s_values(name: str, layer: int) -> None:
    guest, trace = asked(name)
    kind: Any = KINDS.get(name, "decoder_self")
    with guest:
        shares: Any = inside.value_zeroing(guest, trace).of(kind)
    model, (block, values), columns = a_values_module(name, layer)
    outputs: list[Any] = []
    zeroed: list[int] = []

    def without(_module: object, _args: object, output: Any) -> Any:
        output = output.clone()
        output[0, zeroed, columns] = 0
        return output

    def keep(_module: object, _args: object, returned: Any) -> None:
        outputs.append((returned if torch.is_tensor(returned) else returned[0])[0].double())

    values.register_forward_hook(without)
    block.register_forward_hook(keep)
    with torch.no_grad():
        by_hand(model, trace)
        for key in range(shares.shape[-1]):
            zeroed[:] = [key]
            by_hand(model, trace)
    whole, *turned = outputs
    expected = np.stack([1 - torch.cosine_similarity(it, whole, -1).numpy() for it in turned], -1)
    expected /= expected.sum(-1, keepdims=True)
    np.testing.assert_allclose(shares[layer], expected, atol=2e-4)


@pytest.mark.parametrize("name", ["bloom", "albert"])
def test_value_zeroing_that_cannot_be_is_a_sentence(name: str) -> None:
    with HuggingFaceModel(tiny(name), tokenizer(), name) as guest:
        trace = guest.trace(TEXT, max_steps=2)
        with pytest.raises(HeadlightError, match=r"values are not seen|is not known"):
            inside.value_zeroing(guest, trace)


@pytest.mark.parametrize("name", ["llama", "bart", "bert"])
def test_a_part_of_another_text_is_put_in_its_place(name: str) -> None:
    guest, trace = asked(name)
    donor = "w9 w8 w3 w4 w12 w6 w11"
    with guest:
        patching = inside.patching(guest, trace, donor)
    for shares in (*patching.heads.values(), *patching.positions.values()):
        assert np.isfinite(shares).all()
    tower: Any = "encoder" if name == "bert" else "decoder"
    last = patching.positions[tower][-1]
    row = (2, 4)[patching.step] if name == "bert" else patching.step
    # What the last layer hands on at the step's own place decides everything, elsewhere nothing.
    assert last[row] == pytest.approx(1, abs=1e-3)
    assert np.abs(np.delete(last, row)).max() < 1e-3
    if name == "bart":
        whole = patching.positions["encoder"][-1]
        assert np.abs(whole).max() > 0


def test_statistics_rollout_and_comparison_read_a_guest_s_trace() -> None:
    for name in FORMS:
        guest, trace = asked(name)
        with guest:
            other = guest.trace(TEXT, max_steps=3, hidden=[1] if name == "bert" else ())
        statistics = inside.statistics(trace)
        kind = "encoder_self" if trace.src_ids else "decoder_self"
        weights: Any = trace.of(kind)
        of_kind: Any = statistics.of(kind)
        skipped = weights[:, :, 1:] if kind == "decoder_self" else weights
        np.testing.assert_allclose(of_kind.sharpness, skipped.max(-1).mean(-1), atol=1e-6)
        mixed = np.eye(weights.shape[-1])
        for layer in weights.astype(float):
            mixed = (layer.mean(0) + np.eye(len(mixed))) / 2 @ mixed
        np.testing.assert_allclose(inside.rollout(trace).weights[-1], mixed, atol=1e-5)
        compared: Any = inside.compare(trace, other)
        assert compared.of(kind) is not None


def test_a_branch_is_a_trace_with_another_beginning() -> None:
    for name in ("llama", "t5"):
        guest, trace = asked(name)
        with guest:
            start = trace.prefix_length
            other = next(it.id for it in trace.candidates[start + 1][1:])
            branch = guest.trace(TEXT, max_steps=3, prefix=(trace.tgt_ids[start], other))
        assert branch.tgt_ids[: start + 2] == (*trace.tgt_ids[: start + 1], other)


@pytest.mark.parametrize(
    "question", ["contributions", "learnt_from", "work_out", "residual", "costs"]
)
def test_what_a_guest_cannot_answer_is_a_sentence(question: str) -> None:
    guest, trace = asked("gpt2")
    with guest, pytest.raises(HeadlightError, match=f"{question} cannot be asked of a guest: "):
        getattr(inside, question)(guest, trace)


def test_an_encoder_is_judged_by_what_is_hidden_from_it() -> None:
    guest, _ = asked("bert")
    with guest, pytest.raises(HeadlightError, match=r"hidden=\[3\]"):
        inside.sweep(guest, guest.trace(TEXT))


def test_of_two_sentences_each_token_stays_of_its_own() -> None:
    words = tokenizer()
    words.model_input_names = [*words.model_input_names, "token_type_ids"]
    with HuggingFaceModel(tiny("bert"), words, "bert") as guest:
        trace = guest.trace(("w1 w2 w3", "w4 w5"), hidden=[1])
        sweep = inside.sweep(guest, trace)
        left = inside.leave_one_out(guest, trace)
        weights = guest.record(trace, ("weights",)).at("encoder_self", "weights")
    assert trace.encoder_self is not None
    np.testing.assert_allclose(np.stack([it[0] for it in weights]), trace.encoder_self, atol=1e-6)
    ids, types = list(trace.src_ids), [0, 0, 0, 0, 1, 1]

    def log(kept: list[int]) -> float:
        options: Any = {"token_type_ids": torch.tensor([[types[at] for at in kept]])}
        logits = tiny("bert")(torch.tensor([[ids[at] for at in kept]]), **options).logits[0, 1]
        return logits.log_softmax(-1)[W2].item()

    assert sweep.log_probability == pytest.approx(log([0, 1, 2, 3, 4, 5]), abs=1e-4)
    assert left.deltas[0, -1] == pytest.approx(
        log([0, 1, 2, 3, 4]) - sweep.log_probability, abs=1e-4
    )
