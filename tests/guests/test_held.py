"""A guest while it is held, and after: what it was before it is again, and others are unharmed."""

import copy
import pickle
import threading
from typing import Any

import numpy as np
import pytest
import torch

from tests.guests.families import tiny, tokenizer
from transformer.errors import HeadlightError
from transformer.guests.hugging_face.guest import HuggingFaceModel

TEXT = "w1 w2 w3 w4 w5 w6 w7"


def state_of(model: Any) -> dict[str, Any]:
    """All that somebody could notice."""
    hooks = ("_forward_hooks", "_forward_pre_hooks", "_backward_hooks")
    return {
        "attention": model.config._attn_implementation,
        "configuration": model.config.to_json_string(use_diff=False),
        "generation": str(getattr(model, "generation_config", None)),
        "training": [it.training for it in model.modules()],
        "names": [name for name, _ in model.named_modules()],
        "repr": repr(model),
        "state": {name: it.clone() for name, it in model.state_dict().items()},
        "hooks": [len(getattr(it, name)) for it in model.modules() for name in hooks],
        "attributes": [sorted(vars(it)) for it in model.modules()],
        "random": torch.get_rng_state(),
    }


def assert_alike(one: dict[str, Any], other: dict[str, Any]) -> None:
    for name, value in one.items():
        if name == "state":
            assert all(torch.equal(it, other[name][key]) for key, it in value.items())
        elif name == "random":
            assert torch.equal(value, other[name])
        else:
            assert value == other[name], name


@pytest.mark.parametrize("name", ["gpt2", "gemma3", "t5", "bert", "bloom", "deberta"])
def test_after_it_the_model_is_what_it_was(name: str) -> None:
    model = tiny(name).train()
    before = state_of(model)
    with HuggingFaceModel(model, tokenizer()) as guest:
        guest.trace(TEXT, max_steps=3, interventions=[])
        held = state_of(model)
        for kept in ("names", "repr", "state", "hooks", "attributes", "random"):
            assert_alike({kept: before[kept]}, held)
    assert_alike(before, state_of(model))
    pickle.loads(pickle.dumps(model))
    copy.deepcopy(model)


def test_it_is_let_go_when_a_trace_fails_too() -> None:
    model = tiny("gpt2")
    before = state_of(model)
    with (
        pytest.raises(HeadlightError),
        HuggingFaceModel(model, tokenizer()) as guest,
    ):
        guest.trace(TEXT, interventions=["cross=zero"])
    assert_alike(before, state_of(model))
    with pytest.raises(HeadlightError, match="was closed"):
        guest.trace(TEXT)


def test_sampling_leaves_the_random_numbers_as_they_were() -> None:
    from transformer import Sampling

    with HuggingFaceModel(tiny("gpt2"), tokenizer()) as guest:
        before = torch.get_rng_state()
        drawn = [
            guest.trace(TEXT, max_steps=8, sampling=Sampling(seed=s)).tgt_ids for s in (1, 1, 2)
        ]
        assert torch.equal(before, torch.get_rng_state())
    assert drawn[0] == drawn[1] != drawn[2]


@pytest.mark.parametrize("name", ["gpt2", "t5"])
def test_a_token_is_drawn_by_the_lot_of_its_position(name: str) -> None:
    """So that a text goes on as it was after a prefix of its own."""
    from transformer import Sampling

    sampling = Sampling(seed=1, temperature=2)
    with HuggingFaceModel(tiny(name), tokenizer()) as guest:
        trace = guest.trace(TEXT, max_steps=8, sampling=sampling)
        begun = trace.tgt_ids[trace.prefix_length :]
        again = guest.trace(TEXT, prefix=begun[:3], max_steps=5, sampling=sampling)
        assert again.tgt_ids == trace.tgt_ids
        model = guest.model
        ids = tokenizer()(TEXT, return_tensors="pt").input_ids
        read = {"input_ids": torch.tensor([[*ids[0].tolist(), *begun]])}
        if name == "t5":
            start = model.config.decoder_start_token_id
            read = {"input_ids": ids, "decoder_input_ids": torch.tensor([[start, *begun]])}
        with torch.no_grad():
            logits = model(**read).logits[0].double()
    lots = torch.rand(100, dtype=torch.float64, generator=torch.Generator().manual_seed(1))
    first = logits.size(0) - len(begun) - 1
    for position, token in enumerate(begun, start=first):
        shares, likeliest = (logits[position] / 2).softmax(-1).sort(descending=True)
        assert likeliest[int((shares.cumsum(-1) <= lots[position]).sum())] == token


def test_a_nucleus_is_drawn_from_and_told() -> None:
    from transformer import Sampling

    sampling = Sampling(temperature=0.7, top_k=20, seed=3, top_p=0.6)
    model = tiny("gpt2")
    with HuggingFaceModel(model, tokenizer()) as guest:
        trace = guest.trace(TEXT, max_steps=8, sampling=sampling, top_k=60)
    ids = tokenizer()(TEXT, return_tensors="pt").input_ids
    with torch.no_grad():
        logits = model(torch.tensor([[int(ids[0, 0]), *trace.tgt_ids]])).logits[0].double()
    for step in range(trace.prefix_length, len(trace.tgt_ids)):
        shares = (logits[step] / 0.7).topk(20).values.softmax(-1)
        kept = int((shares.cumsum(-1) < 0.6).sum()) + 1  # the fewest that reach it
        wanted = [*(shares[:kept] / shares[:kept].sum()).tolist(), *[0.0] * (60 - kept)]
        drawn = [it.drawn for it in trace.candidates[step]]
        np.testing.assert_allclose(np.array(drawn, float), wanted, atol=1e-5)


def test_a_model_that_trains_meanwhile_is_not_drawn() -> None:
    model = tiny("gpt2").train()
    with HuggingFaceModel(model, tokenizer()) as guest:
        guest.trace(TEXT, max_steps=2)
        model.train()
        with pytest.raises(HeadlightError, match="training mode"):
            guest.trace(TEXT, max_steps=2)
    assert model.training


def test_a_model_has_one_guest_and_a_guest_no_copy() -> None:
    model = tiny("gpt2")
    with HuggingFaceModel(model, tokenizer()) as guest:
        with pytest.raises(HeadlightError, match="loaded already"):
            HuggingFaceModel(model, tokenizer())
        with pytest.raises(HeadlightError, match="is loaded, with one guest"):
            copy.deepcopy(guest)
        with pytest.raises(HeadlightError, match="is a copy of one"):
            HuggingFaceModel(copy.deepcopy(model), tokenizer())
    HuggingFaceModel(model, tokenizer()).close()


def test_a_recording_that_went_round_a_point_is_refused() -> None:
    with HuggingFaceModel(tiny("gpt2"), tokenizer()) as guest:
        guest.model.transformer.h[1].attn = copy.deepcopy(guest.model.transformer.h[1].attn)
        with pytest.raises(HeadlightError, match="went round layer 2 of decoder_self"):
            guest.trace(TEXT, max_steps=2)


@pytest.mark.filterwarnings("ignore")  # PyTorch is about to move it
def test_layers_that_were_quantised_are_recorded_as_they_compute() -> None:
    linear: Any = {torch.nn.Linear}
    model = torch.ao.quantization.quantize_dynamic(tiny("bert"), linear, dtype=torch.qint8)
    own = [it.copy() for it in eager_weights(model, tokenizer()(TEXT, return_tensors="pt"))]
    with HuggingFaceModel(model, tokenizer()) as guest:
        trace: Any = guest.trace(TEXT)
        assert len(guest.checkpoint) == 12
    np.testing.assert_allclose(trace.encoder_self, np.stack(own), atol=3e-6)


def eager_weights(model: Any, encoding: Any) -> Any:
    model = copy.deepcopy(model)
    model.set_attn_implementation("eager")
    with torch.no_grad():
        attentions = model(encoding.input_ids, output_attentions=True).attentions
    return [it[0].numpy() for it in attentions]


def test_two_models_of_one_configuration_leave_each_other_alone() -> None:
    one = tiny("gpt2")
    two = type(one)(one.config).eval()
    with HuggingFaceModel(one, tokenizer()) as first:
        expected = first.trace(TEXT, max_steps=3)
        with HuggingFaceModel(two, tokenizer()) as second:
            assert second.trace(TEXT, max_steps=3).decoder_self.shape == expected.decoder_self.shape
        again = first.trace(TEXT, max_steps=3)
    np.testing.assert_array_equal(again.decoder_self, expected.decoder_self)
    assert one.config._attn_implementation == "sdpa"


def test_threads_whose_blocks_overlap_do_not_meet() -> None:
    model = tiny("bart")
    ids = tokenizer()(TEXT, return_tensors="pt").input_ids
    mask = torch.ones_like(ids)
    alone = model.generate(ids, attention_mask=mask, max_new_tokens=6).tolist()
    changes = [(), ("cross.L1=zero",), ("encoder_self=uniform",), ("decoder_self.L2H1=zero",)]
    with HuggingFaceModel(model, tokenizer()) as guest:
        expected = [guest.trace(TEXT, max_steps=6, interventions=it) for it in changes]
        together = threading.Barrier(len(changes) + 1)
        outcomes: dict[int, list[Any]] = {number: [] for number in range(len(changes) + 1)}

        def trace(number: int) -> None:
            for _ in range(5):
                together.wait(60)
                result = guest.trace(TEXT, max_steps=6, interventions=changes[number])
                outcomes[number].append(result.to_dict() == expected[number].to_dict())

        def generate() -> None:
            for _ in range(5):
                together.wait(60)
                written = model.generate(ids, attention_mask=mask, max_new_tokens=6)
                outcomes[len(changes)].append(written.tolist() == alone)

        threads = [threading.Thread(target=trace, args=(it,)) for it in range(len(changes))]
        threads.append(threading.Thread(target=generate))
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert outcomes == {number: [True] * 5 for number in outcomes}


def test_a_text_that_overflows_is_a_sentence() -> None:
    model = tiny("gpt2")
    with HuggingFaceModel(model, tokenizer()) as guest:
        # What the proof's short text does not come by.
        model.transformer.wpe.weight.data[8:] = torch.inf
        assert guest.trace(TEXT, max_steps=1).tgt_ids
        with pytest.raises(HeadlightError, match="not finite") as refused:
            guest.trace(" ".join([TEXT] * 2), max_steps=1)
    assert refused.value.code == "guest_not_finite"
