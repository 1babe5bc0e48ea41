from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import torch

import transformer
from tests.tiny import BOS, EOS, PAD, same_weights, tiny_checkpoint
from transformer import HeadlightError, Tokenizer, Translator, checkpoint, record
from transformer.decoding import decode
from transformer.trace.head_names import RepresentativeHead
from transformer.trace.interventions import Intervention
from transformer.trace.kinds import KINDS, Kind
from transformer.trace.representative import representative_heads
from transformer.trace.sampling import Sampling
from transformer.training.evaluate import translate
from transformer.translator import TraceRequest

SOURCE = "I love you."


def make_it_say(translator: Translator, token: int) -> None:
    translator.model.decoder.output.bias.data[token] = 1e4


@pytest.fixture
def own(tokenizer: Tokenizer) -> Translator:
    """A translator that the test may spoil; it reads and writes up to 24 tokens."""
    return Translator(tiny_checkpoint(tokenizer))


def test_the_public_names() -> None:
    for name in transformer.__all__:
        assert hasattr(transformer, name)
    assert {"Translator", "AttentionTrace", "record", "intervene"} <= set(transformer.__all__)


def test_the_fields_of_a_trace_belong_together(translator: Translator) -> None:
    trace = translator.trace(SOURCE, max_steps=6, top_k=4)
    tokenizer = translator.tokenizer
    assert (trace.model, trace.source) == ("tiny", SOURCE)
    assert trace.src_ids == (*tokenizer.encode(SOURCE), EOS)
    assert trace.src == tuple(tokenizer.pieces(trace.src_ids))
    assert trace.src[-1] == "</s>"
    assert trace.tgt_in == ("<s>", *trace.tgt_out[:-1])
    assert trace.tgt_out == tuple(tokenizer.pieces(trace.tgt_ids))
    assert trace.translation == tokenizer.decode(trace.tgt_ids)
    assert trace.prefix_length == 0
    assert trace.interventions == ()
    steps, source = len(trace.tgt_out), len(trace.src)
    assert trace.encoder_self is not None
    assert trace.cross is not None
    assert trace.encoder_self.shape == (2, 4, source, source)
    assert trace.decoder_self.shape == (2, 4, steps, steps)
    assert trace.cross.shape == (2, 4, steps, source)
    assert [step[0].id for step in trace.candidates] == list(trace.tgt_ids)
    for step in trace.candidates:
        assert len(step) == 4
        assert [c.token for c in step] == tokenizer.pieces(c.id for c in step)


def test_the_weights_are_those_of_a_pass_over_what_it_read(translator: Translator) -> None:
    trace = translator.trace(SOURCE, max_steps=6)
    with torch.inference_mode(), record(translator.model) as recording:
        translator.model(torch.tensor([trace.src_ids]), torch.tensor([[BOS, *trace.tgt_ids[:-1]]]))
    for kind in KINDS:
        expected = torch.cat(recording.weights[kind])
        actual = torch.tensor(trace.weights(kind))
        torch.testing.assert_close(actual, expected, atol=1e-6, rtol=0)


@pytest.mark.parametrize("layers", [0, 2])
def test_a_padding_token_that_is_emitted_is_read_like_any_other(
    tokenizer: Tokenizer, layers: int
) -> None:
    # Decoding reads it, so a recorded pass that masked it would show another computation.
    own = Translator(tiny_checkpoint(tokenizer, max_length=64, num_encoder_layers=layers))
    make_it_say(own, PAD)
    trace = own.trace(SOURCE, max_steps=4)
    assert trace.tgt_ids[-4:] == (PAD,) * 4
    assert (trace.decoder_self[:, :, -1] > 0).all()


def test_translate_says_what_trace_says(translator: Translator, continuer: Translator) -> None:
    for model in (translator, continuer):
        assert model.translate(SOURCE, max_steps=6) == model.trace(SOURCE, max_steps=6).translation


def test_a_decoder_only_model_continues_the_text(continuer: Translator) -> None:
    trace = continuer.trace(SOURCE, max_steps=5)
    prompt = tuple(continuer.tokenizer.encode(SOURCE))
    assert trace.src == trace.src_ids == ()
    assert trace.encoder_self is trace.cross is None
    assert trace.tgt_ids[: len(prompt)] == prompt
    assert trace.prefix_length == len(prompt)
    assert len(trace.tgt_ids) <= len(prompt) + 5
    assert trace.tgt_in[0] == "<s>"
    assert trace.translation.startswith(SOURCE)


NOTHING = ["", " ", "\t\n", "\u3000", "\0", "\x00\x1b\x7f", "\u200b\ufeff", "\u200e \u2028"]


@pytest.mark.parametrize("source", NOTHING)
@pytest.mark.parametrize(
    ("name", "code", "sentence"),
    [
        ("translator", "empty_source", r"^Type a sentence to translate\.$"),
        ("continuer", "empty_prompt", r"^Type the beginning of a text\.$"),
    ],
)
def test_nothing_to_translate_is_refused(
    request: pytest.FixtureRequest, name: str, code: str, sentence: str, source: str
) -> None:
    translator: Translator = request.getfixturevalue(name)
    for call in (translator.trace, translator.translate, lambda s: translator.trace(s, "我")):
        with pytest.raises(HeadlightError, match=sentence) as caught:
            call(source)
        assert caught.value.code == code


@pytest.mark.parametrize("layers", [0, 2])
def test_a_text_too_long_is_refused_naming_length_and_limit(
    tokenizer: Tokenizer, layers: int
) -> None:
    own = Translator(tiny_checkpoint(tokenizer, num_encoder_layers=layers))
    longest = "我" * 23  # and </s>, or <s>
    assert own.trace(longest, max_steps=1).source == longest
    for call in (own.trace, own.translate):
        with pytest.raises(
            HeadlightError, match=r"25 tokens long; tiny takes at most 24"
        ) as caught:
            call(longest + "我")
        assert caught.value.code == "source_too_long"
        assert caught.value.details == {"length": 25, "limit": 24}


def test_decoding_that_never_ends_stops_and_says_so(own: Translator) -> None:
    make_it_say(own, 9)
    trace = own.trace(SOURCE, max_steps=7)
    assert (len(trace.tgt_out), trace.stop_reason) == (7, "max_steps")
    trace = own.trace(SOURCE)
    assert (len(trace.tgt_out), trace.stop_reason) == (24, "max_length")
    make_it_say(own, EOS)
    own.model.decoder.output.bias.data[9] = 0
    trace = own.trace(SOURCE)
    assert (trace.tgt_out, trace.stop_reason, trace.translation) == (("</s>",), "eos", "")


def test_a_branch_goes_on_from_the_candidate_that_was_forced(translator: Translator) -> None:
    trunk = translator.trace(SOURCE, max_steps=6)
    other = trunk.candidates[2][1]
    prefix = [*trunk.tgt_ids[:2], other.id]
    branch = translator.trace(SOURCE, prefix=prefix, max_steps=4)
    assert branch.prefix_length == 3
    assert branch.tgt_ids[:3] == tuple(prefix)
    assert branch.tgt_out[2] == other.token
    assert len(branch.tgt_ids) <= 7
    # Up to the fork both have seen the same, so they say the same.
    for mine, its in zip(branch.candidates[:3], trunk.candidates[:3], strict=True):
        assert [c.id for c in mine] == [c.id for c in its]
        assert [c.probability for c in mine] == pytest.approx(
            [c.probability for c in its], abs=1e-5
        )
    [expected] = decode(translator.model, torch.tensor([trunk.src_ids]), prefix=prefix, max_steps=4)
    assert branch.tgt_ids == expected.ids


def test_a_branch_of_a_decoder_only_model_follows_its_prompt(continuer: Translator) -> None:
    prompt = continuer.tokenizer.encode(SOURCE)
    branch = continuer.trace(SOURCE, prefix=[7, 8], max_steps=2)
    assert branch.tgt_ids[: len(prompt) + 2] == (*prompt, 7, 8)
    assert branch.prefix_length == len(prompt) + 2


@pytest.mark.parametrize(
    ("prefix", "code"),
    [
        *(([999], "bad_prefix"), ([-1], "bad_prefix"), ([EOS, 5], "bad_prefix")),
        ([5] * 65, "prefix_too_long"),
    ],
)
def test_a_prefix_that_begins_no_target_is_refused(
    translator: Translator, prefix: list[int], code: str
) -> None:
    with pytest.raises(HeadlightError, match=r"token|prefix") as caught:
        translator.trace(SOURCE, prefix=prefix)
    assert caught.value.code == code


def test_sampling_is_what_decoding_draws_and_is_remembered(continuer: Translator) -> None:
    sampling = Sampling(1.5, 20, seed=3)
    trace = continuer.trace(SOURCE, sampling=sampling, max_steps=6)
    prompt = continuer.tokenizer.encode(SOURCE)
    [drawn] = decode(continuer.model, None, prefix=prompt, sampling=sampling, max_steps=6)
    assert (trace.tgt_ids, trace.sampling) == (drawn.ids, sampling)
    assert continuer.translate(SOURCE, 6, sampling) == trace.translation
    greedy = continuer.trace(SOURCE, max_steps=6)
    assert greedy.sampling is None
    assert greedy.tgt_ids != trace.tgt_ids
    # A branch from a prefix of what was drawn is drawn alike.
    branch = continuer.trace(SOURCE, prefix=trace.tgt_ids[len(prompt) :][:2], sampling=sampling)
    assert branch.tgt_ids[: len(trace.tgt_ids)] == trace.tgt_ids


def test_an_intervention_changes_the_result_and_is_recorded(translator: Translator) -> None:
    plain = translator.trace(SOURCE, max_steps=4)
    changed = translator.trace(SOURCE, interventions=["cross.L1=zero"], max_steps=4)
    assert changed.interventions == (Intervention("cross", 0, None, "zero"),)
    assert changed.cross is not None
    assert (changed.cross[0] == 0).all()
    assert (changed.cross[1] != 0).any()
    probabilities = [[c.probability for c in t.candidates[0]] for t in (plain, changed)]
    assert probabilities[0] != pytest.approx(probabilities[1], abs=1e-3)
    # Decoding was changed, not only the recorded pass; and nothing lingers.
    again = translator.trace(SOURCE, max_steps=4)
    assert again.candidates == plain.candidates
    assert same_weights(again, plain)


@pytest.mark.parametrize(
    "intervention",
    ["cross.L3H1=zero", "cross.L1H5=zero", "nonsense", Intervention("cross", 0, 9, "zero")],
)
def test_an_intervention_that_cannot_be_is_refused(
    translator: Translator, intervention: str | Intervention
) -> None:
    with pytest.raises(HeadlightError) as caught:
        translator.trace(SOURCE, interventions=[intervention])
    assert caught.value.code == "bad_intervention"


def test_cross_attention_of_a_decoder_only_model_cannot_be_changed(continuer: Translator) -> None:
    with pytest.raises(HeadlightError, match="has 0 layers of cross"):
        continuer.trace(SOURCE, interventions=["cross.L1H1=zero"])


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [({"max_steps": 0}, "max_steps must be at least 1"), ({"top_k": -1}, "top_k must be")],
)
def test_numbers_out_of_range_are_refused(
    translator: Translator, arguments: dict[str, Any], sentence: str
) -> None:
    with pytest.raises(ValueError, match=sentence):
        translator.trace(SOURCE, **arguments)


@pytest.mark.parametrize("name", ["translator", "continuer"])
def test_a_pair_is_traced_with_every_token_forced(
    request: pytest.FixtureRequest, name: str
) -> None:
    translator: Translator = request.getfixturevalue(name)
    trace = translator.trace(SOURCE, "我爱你。")
    target = (*translator.tokenizer.encode("我爱你。"), EOS)
    assert trace.tgt_ids[-len(target) :] == target
    assert trace.prefix_length == len(trace.tgt_ids)
    assert trace.stop_reason == "eos"
    assert trace.translation.endswith("我爱你。")


def test_a_pair_whose_target_is_too_long_is_refused(own: Translator) -> None:
    with pytest.raises(HeadlightError, match="25 tokens long; tiny takes at most 24"):
        own.trace(SOURCE, "我" * 24)


@pytest.mark.parametrize(
    "source",
    [
        "</s>",
        "<img src=x onerror=alert(1)>",
        "😀👩‍👩‍👧",
        "مرحبا",
        "龘",
        "${pwn()} {{x}}",
        "\ud800我",
        "a\0b",
    ],
)
def test_strange_text_is_only_text(translator: Translator, tmp_path: Path, source: str) -> None:
    trace = translator.trace(source, max_steps=2)
    assert trace.src.count("</s>") == 1
    assert trace.source == source.replace("\ud800", "?")
    trace.save(tmp_path / "trace.json")  # JSON is UTF-8, which half a surrogate pair is not
    assert transformer.AttentionTrace.load(tmp_path / "trace.json").source == trace.source


def test_an_unknown_character_shows_in_its_place(translator: Translator) -> None:
    assert "<unk>" in translator.trace("我爱龘。", max_steps=1).src


def test_the_device_is_the_gpu_where_there_is_one(tokenizer: Tokenizer, tmp_path: Path) -> None:
    checkpoint.save(tmp_path / "tiny", tiny_checkpoint(tokenizer))
    expected = "cuda" if torch.cuda.is_available() else "cpu"
    assert Translator.load(tmp_path / "tiny").device.type == expected
    assert Translator.load(tmp_path / "tiny", device="cpu").device.type == "cpu"


@pytest.mark.skipif(not torch.cuda.is_available(), reason="there is no CUDA device")
@pytest.mark.parametrize("layers", [0, 2])
def test_a_gpu_gives_the_same_trace(tokenizer: Tokenizer, tmp_path: Path, layers: int) -> None:
    saved = tiny_checkpoint(tokenizer, max_length=64, num_encoder_layers=layers)
    checkpoint.save(tmp_path / "tiny", saved)
    on_cpu, on_gpu = (Translator.load(tmp_path / "tiny", device) for device in ("cpu", "cuda"))
    cpu = on_cpu.trace(SOURCE, interventions=["decoder_self.L1H2=uniform"], max_steps=8)
    gpu = on_gpu.trace(SOURCE, interventions=["decoder_self.L1H2=uniform"], max_steps=8)
    assert gpu.tgt_ids == cpu.tgt_ids
    for kind in KINDS:
        if cpu.weights(kind) is not None:
            expected = torch.tensor(cpu.weights(kind))
            torch.testing.assert_close(torch.tensor(gpu.weights(kind)), expected, atol=1e-4, rtol=0)
    for mine, its in zip(gpu.candidates, cpu.candidates, strict=True):
        assert [c.probability for c in mine] == pytest.approx(
            [c.probability for c in its], abs=1e-4
        )


def test_a_checkpoint_that_normalises_says_what_it_read(translator: Translator) -> None:
    plain = translator.trace("I don't", max_steps=4)
    own = Translator(replace(translator.loaded, normalise=True))
    typed = ["I don’t 🎉", "I don't", "I don’t"]
    alone = [own.trace(text, max_steps=4) for text in typed]
    together = own.traces([TraceRequest(text) for text in typed], max_steps=4)
    for each, beside in zip(alone, together, strict=True):
        assert not isinstance(beside, HeadlightError)
        assert (each.src_ids, each.read_as) == (beside.src_ids, beside.read_as)
        assert (each.src_ids, each.tgt_ids) == (plain.src_ids, plain.tgt_ids)
    assert [each.source for each in alone] == typed
    assert [each.read_as for each in alone] == ["I don't", None, "I don't"]
    assert own.trace("I don’t", "我爱你。").read_as == "I don't"
    assert own.translate(typed[0], 4) == translate(own, typed, 4)[0] == plain.translation
    assert translator.trace("I don’t", max_steps=4).read_as is None, "as it is typed"
    with pytest.raises(HeadlightError, match="Type a sentence"):
        own.trace("🎉")


def test_a_trace_names_the_representative_head_of_each_kind(
    own: Translator, continuer: Translator
) -> None:
    """As the page gets them: the card names none here."""
    trace = own.trace(SOURCE, max_steps=6)
    assert trace.heads == representative_heads(trace)
    assert set(trace.heads) == set(KINDS)
    assert set(continuer.trace(SOURCE, max_steps=6).heads) == {"decoder_self"}
    named = RepresentativeHead("L2H3", "aligns", "reads")
    heads: dict[Kind, RepresentativeHead] = {"cross": named}
    own.representative_heads = heads
    assert own.trace(SOURCE, max_steps=6).heads == {**trace.heads, "cross": named}
