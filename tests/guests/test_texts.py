"""What a guest is asked: prompts, prefixes, targets, pairs, hidden tokens, languages, chats."""

import os
import signal
from time import sleep
from typing import Any

import numpy as np
import pytest
import torch
import transformers

import headlight
from tests.guests.families import ENDS, SIZES, VOCAB, tiny, tokenizer
from tests.guests.folders import bytes_of_pairs
from transformer import AttentionTrace, Sampling
from transformer.errors import HeadlightError
from transformer.guests.hugging_face.guest import HuggingFaceModel
from transformer.guests.hugging_face.texts import Texts

TEXT = "w1 w2 w3 w4 w5 w6 w7"


def ids_of(text: str) -> Any:
    return tokenizer()(text, return_tensors="pt").input_ids


def test_candidates_are_the_raw_logits_of_each_step() -> None:
    model = tiny("llama")
    ids = ids_of(TEXT)
    options: dict[str, Any] = {"return_dict_in_generate": True, "output_logits": True}
    output = model.generate(ids, attention_mask=torch.ones_like(ids), max_new_tokens=5, **options)
    with HuggingFaceModel(model, tokenizer()) as guest:
        trace = guest.trace(TEXT, max_steps=5, top_k=3)
    assert trace.prefix_length == 6
    assert trace.candidates[:6] == ((),) * 6
    for logits, step in zip(output.logits, trace.candidates[6:], strict=True):
        best = logits[0].double().softmax(-1).topk(3)
        assert [it.id for it in step] == best.indices.tolist()
        np.testing.assert_allclose([it.probability for it in step], best.values, rtol=1e-5)
    assert trace.stop_reason in ("max_steps", "eos")
    assert trace.tgt_out[:6] == ("w2", "w3", "w4", "w5", "w6", "w7")


def test_settings_that_force_a_token_are_named() -> None:
    model = tiny("bart")
    model.generation_config.forced_bos_token_id = 9
    model.generation_config.no_repeat_ngram_size = 1
    with HuggingFaceModel(model, tokenizer()) as guest:
        trace = guest.trace(TEXT, max_steps=6)
    assert trace.guest is not None
    reasons = trace.guest.forced_by
    assert trace.tgt_ids[0] == 9
    assert reasons[0] == "forced_bos_token_id"
    assert reasons[-1] == "forced_eos_token_id"
    assert "no_repeat_ngram_size" in reasons
    for step, reason, emitted in zip(trace.candidates, reasons, trace.tgt_ids, strict=True):
        assert (step[0].id == emitted) == (reason is None)


def test_a_small_nucleus_leaves_the_likeliest_alone() -> None:
    with HuggingFaceModel(tiny("llama"), tokenizer()) as guest:
        plain = guest.trace(TEXT, max_steps=6)
        drawn = [guest.trace(TEXT, max_steps=6, sampling=Sampling(2, 0, 1, it)) for it in (0.01, 1)]
    assert [it.tgt_ids == plain.tgt_ids for it in drawn] == [True, False]


def test_a_text_that_the_settings_stop_at_ends_it() -> None:
    own = bytes_of_pairs()
    model = tiny("llama", vocab_size=len(own), bos_token_id=0, eos_token_id=0)
    settings = model.generation_config
    settings.suppress_tokens = [
        it for it in range(len(own)) if it != own.convert_tokens_to_ids("a")
    ]
    with HuggingFaceModel(model, own) as guest:
        plain = guest.trace(TEXT, max_steps=6)
        settings.stop_strings = ["aa"]
        stopped = guest.trace(TEXT, max_steps=6)
        assert stopped.tgt_out == plain.tgt_out[: plain.prefix_length + 2]
        assert (plain.stop_reason, stopped.stop_reason) == ("max_steps", None)
        assert AttentionTrace.from_dict(stopped.to_dict()).to_dict() == stopped.to_dict()
        settings.token_healing = True
        with pytest.raises(HeadlightError, match="token_healing, which writes the end of the"):
            guest.trace(TEXT)


def test_a_prefix_goes_before_what_is_written() -> None:
    for name in ("llama", "t5"):
        with HuggingFaceModel(tiny(name), tokenizer()) as guest:
            whole = guest.trace(TEXT, max_steps=6)
            start = whole.prefix_length
            begun = guest.trace(TEXT, max_steps=4, prefix=whole.tgt_ids[start : start + 2])
            other = guest.trace(TEXT, max_steps=4, prefix=[40])
        assert begun.tgt_ids == whole.tgt_ids
        assert begun.prefix_length == start + 2
        np.testing.assert_allclose(begun.decoder_self, whole.decoder_self, atol=3e-6)
        assert other.tgt_ids[start] == 40
        assert other.candidates[start] == ()


def test_a_target_is_forced_and_judged() -> None:
    model = tiny("t5")
    with HuggingFaceModel(model, tokenizer()) as guest:
        trace = guest.trace(TEXT, "w9 w8 w7")
    target = ids_of("w9 w8 w7")
    assert trace.tgt_ids == tuple(target[0].tolist())
    with torch.no_grad():
        logits = model(ids_of(TEXT), labels=target).logits[0]
    for row, step in zip(logits, trace.candidates, strict=True):
        assert step[0].id == int(row.argmax())
    assert trace.prefix_length == 3


def test_beams_are_the_model_s_own_and_recorded_afterwards() -> None:
    model = tiny("bart")
    model.generation_config.num_beams = 3
    ids = ids_of(TEXT)
    own = model.generate(ids, attention_mask=torch.ones_like(ids), max_new_tokens=6)
    with HuggingFaceModel(model, tokenizer()) as guest:
        trace = guest.trace(TEXT, max_steps=6)
    assert list(trace.tgt_ids) == own[0].tolist()[1:]


def test_a_pass_afterwards_that_computes_otherwise_is_refused() -> None:
    """Moshi's window is that of its cache alone."""
    kind: Any = transformers.MoshiForCausalLM
    config = kind.config_class(vocab_size=VOCAB, **ENDS, **SIZES, ffn_dim=32, sliding_window=9)
    model, seed = kind(config).eval(), torch.Generator().manual_seed(0)
    for parameter in model.parameters():
        if parameter.ndim > 1:
            parameter.data.normal_(std=0.3, generator=seed)
    with HuggingFaceModel(model, tokenizer()) as guest:
        assert guest.trace(TEXT, max_steps=2).tgt_ids
        with pytest.raises(HeadlightError, match=r"computes otherwise in one pass over the fin"):
            guest.trace(TEXT, max_steps=9)


def test_a_static_cache_is_recorded_afterwards() -> None:
    model = tiny("llama")
    with HuggingFaceModel(model, tokenizer()) as guest:
        plain = guest.trace(TEXT, max_steps=6)
        model.generation_config.cache_implementation = "static"
        model.generation_config.disable_compile = True
        static = guest.trace(TEXT, max_steps=6)
    assert static.tgt_ids == plain.tgt_ids
    np.testing.assert_allclose(static.decoder_self, plain.decoder_self, atol=3e-6)


def test_a_hidden_token_is_guessed_by_an_encoder() -> None:
    model = tiny("bert")
    with HuggingFaceModel(model, tokenizer()) as guest:
        trace = guest.trace(TEXT, hidden=[2])
    assert trace.guest is not None
    assert trace.guest.predicts == "src"
    [hidden] = trace.guest.hidden
    assert hidden == (2, "w3", ids_of(TEXT)[0, 2])
    masked = ids_of(TEXT)
    masked[0, 2] = tokenizer().mask_token_id
    assert trace.src_ids == tuple(masked[0].tolist())
    with torch.no_grad():
        best = model(masked).logits[0, 2].argmax()
    assert trace.candidates[2][0].id == int(best)


@pytest.mark.parametrize("name", ["BertForPreTraining", "ElectraForPreTraining"])
def test_pre_training_guesses_where_it_has_a_vocabulary_for_it(name: str) -> None:
    kind: Any = getattr(transformers, name)
    model = kind(kind.config_class(vocab_size=VOCAB, **SIZES)).eval()
    with HuggingFaceModel(model, tokenizer()) as guest:
        trace = guest.trace(TEXT)
        assert ("hidden" in guest.offers) == (name == "BertForPreTraining")
    if not trace.candidates:
        return
    with torch.no_grad():
        best = model(ids_of(TEXT)).prediction_logits[0].argmax(-1)
    assert [step[0].id for step in trace.candidates] == best.tolist()


def test_another_model_s_tokenizer_is_a_sentence() -> None:
    with HuggingFaceModel(tiny("gpt2", vocab_size=20), tokenizer()) as guest:
        with pytest.raises(HeadlightError, match=r"with id 35, but .* reads ids 0 to 19: is it an"):
            guest.trace("w1 w30")
        assert guest.trace("w1", max_steps=1).tgt_ids


def test_what_a_tokenizer_does_not_know_is_a_word_that_can_be_hidden() -> None:
    with HuggingFaceModel(tiny("bert"), tokenizer()) as guest:
        shown = guest.trace("w1 ☃ w3")
        hidden = guest.trace("w1 ☃ w3", hidden=[shown.src.index("<unk>")])
    for trace in (shown, hidden):
        assert trace.guest is not None
        assert [it for it in trace.guest.words["src"] if it is not None] == [0, 1, 2]
    assert hidden.guest is not None
    assert [it.token for it in hidden.guest.hidden] == ["<unk>"]


def test_a_token_that_ends_texts_is_no_word_though_it_is_the_unknown_one() -> None:
    own = bytes_of_pairs()
    own.unk_token = own.eos_token
    ids = own("<|endoftext|>a").input_ids
    assert Texts(own, "it", None).labels(ids).words == (None, 0)


def test_a_token_is_hidden_once_and_sites_are_checked() -> None:
    with HuggingFaceModel(tiny("bert"), tokenizer()) as guest:
        trace = guest.trace(TEXT, hidden=[1, 1])
        wrong: Any = ["nowhere"]
        with pytest.raises(HeadlightError, match="sites has 'nowhere'; there are scores, weights"):
            guest.replay(TEXT, (), sites=wrong)
    assert trace.guest is not None
    assert [it.at for it in trace.guest.hidden] == [1]


def test_a_pair_is_told_to_the_model_and_to_people() -> None:
    model = tiny("bert")
    with HuggingFaceModel(model, tokenizer()) as guest:
        trace = guest.trace(("w1 w2", "w3 w4 w5"))
    assert trace.guest is not None
    assert trace.guest.pair == ("w1 w2", "w3 w4 w5")
    assert trace.guest.parts["src"] == (0, 0, -1, 1, 1, 1)
    encoding = tokenizer()("w1 w2", "w3 w4 w5", return_tensors="pt")
    eager = tiny("bert", attn_implementation="eager")
    with torch.no_grad():
        attentions = eager(**encoding, output_attentions=True).attentions
    assert trace.encoder_self is not None
    for mine, own in zip(trace.encoder_self, attentions, strict=True):
        np.testing.assert_allclose(mine, own[0], atol=3e-6)


def test_a_language_comes_first() -> None:
    model = tiny("m2m_100")
    words = tokenizer()
    words.add_special_tokens({"additional_special_tokens": ["fra_Latn", "__de__"]})
    words.src_lang = "__de__"
    model.resize_token_embeddings(VOCAB + 2)
    with HuggingFaceModel(model, words) as guest:
        french = guest.trace(TEXT, max_steps=4, target_language="fra_Latn")
        german = guest.trace(TEXT, max_steps=4, target_language="de")
        assert guest.texts.languages == ("__de__", "fra_Latn")
        for code in ("xx", "w1", "</s>"):
            why = f"knows no language '{code}'; it knows __de__, fra_Latn"
            with pytest.raises(HeadlightError, match=why):
                guest.trace(TEXT, target_language=code)
    assert french.tgt_out[0] == "fra_Latn"
    assert german.tgt_ids[0] == VOCAB + 1
    assert french.guest is not None
    assert french.guest.forced_by[0] == "forced_bos_token_id"


CHAT = "{% for turn in messages %}w9 {{ turn.content }} w8{% endfor %}"
ENDLESS = "{{ 10**(10**10) }}"  # one multiplication, which no thread interrupts
ESCAPING = "{{ messages.__class__.__mro__[1].__subclasses__() }}"


def test_a_chat_is_written_in_the_model_s_own_template(monkeypatch: pytest.MonkeyPatch) -> None:
    words = tokenizer()
    with HuggingFaceModel(tiny("llama"), words) as guest:
        with pytest.raises(HeadlightError, match="no chat template"):
            guest.trace("w1 w2", chat=True)
        words.chat_template = CHAT
        trace = guest.trace("w1 w2", chat=True, max_steps=2)
        assert (*trace.tgt_in[:1], *trace.tgt_out[:3]) == ("w9", "w1", "w2", "w8")
        words.chat_template = ESCAPING
        with pytest.raises(HeadlightError, match="cannot be used"):
            guest.trace("w1 w2", chat=True)
        words.chat_template = "{{ 'w1 ' * 400000 }}"
        with pytest.raises(HeadlightError, match="writes 1200000 characters"):
            guest.trace("w1 w2", chat=True)
        words.chat_template = "{{ 'a' * 10**10 }}"
        with pytest.raises(HeadlightError, match="asks for more than 512 MB of memory"):
            guest.trace("w1 w2", chat=True)
        words.chat_template = ENDLESS
        monkeypatch.setattr("transformer.guests.hugging_face.texts.TEMPLATE_SECONDS", 0.2)
        with pytest.raises(HeadlightError, match=r"longer than 0\.2 seconds"):
            guest.trace("w1 w2", chat=True)


TURN = "{% for turn in messages %}<|{{ turn.role }}|>{{ turn.content | trim }}<|end|>{% endfor %}"


@pytest.mark.parametrize("source", ["user", "end", "  I love you. ", "assistant|>"])
def test_of_a_chat_what_was_typed_is_told_from_the_template(source: str) -> None:
    own = bytes_of_pairs()
    own.chat_template = TURN
    with HuggingFaceModel(tiny("llama", vocab_size=len(own)), own) as guest:
        trace = guest.trace(source, chat=True, max_steps=2)
    assert trace.guest is not None
    turn = own.encode(source.strip(), add_special_tokens=False)
    # Around it <|user|> and <|end|>, and after these what was written.
    assert trace.guest.parts["tgt"] == (
        -1,
        *[0] * len(turn),
        -1,
        *[0] * (len(trace.tgt_in) - len(turn) - 2),
    )


def test_a_word_that_was_added_is_read_as_it_is_written() -> None:
    own = bytes_of_pairs()
    own.add_tokens(["Zoë"])
    with HuggingFaceModel(tiny("llama", vocab_size=len(own)), own) as guest:
        assert guest.trace("Zoë é", max_steps=1).tgt_in == ("Zoë", "␣", "\\xc3", "\\xa9")


def test_a_chat_s_template_is_rendered_where_the_last_one_was(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    words = tokenizer()
    words.chat_template = CHAT
    with HuggingFaceModel(tiny("llama"), words) as guest:
        renderer = guest.texts.renderer
        assert renderer.pid is None
        assert [guest.texts.chat(it).text for it in ("w1", "w2")] == ["w9 w1 w8", "w9 w2 w8"]
        first = renderer.pid or 0
        assert guest.texts.chat("w3").text == "w9 w3 w8"
        assert renderer.pid == first != 0
        os.kill(first, signal.SIGKILL)
        while renderer.pid:
            sleep(0.01)
        assert guest.texts.chat("w4").text == "w9 w4 w8"
        words.chat_template = ENDLESS
        monkeypatch.setattr("transformer.guests.hugging_face.texts.TEMPLATE_SECONDS", 0.2)
        with pytest.raises(HeadlightError, match=r"longer than 0\.2 seconds"):
            guest.texts.chat("w1")
        assert renderer.pid is None
        monkeypatch.undo()
        words.chat_template = CHAT
        assert guest.texts.chat("w5").text == "w9 w5 w8"
    assert renderer.pid is None


def test_what_would_take_a_gigabyte_is_refused_before_it_is_computed() -> None:
    model = tiny("gpt_oss", max_position_embeddings=10**6)
    with HuggingFaceModel(model, tokenizer()) as guest:
        with pytest.raises(
            HeadlightError, match=r"1\.\d GB.*include_layers=.*at most 5\d\d\d tokens"
        ):
            guest.trace("w1 " * 6000)
        with pytest.raises(HeadlightError, match="include_layers="):
            guest.trace("w1", max_steps=6000)
        few = guest.trace(TEXT, max_steps=2, include_layers=[1])
    layers = few.layers("decoder_self")
    assert layers is not None
    assert [layer is None for layer in layers] == [True, False]


@pytest.mark.parametrize(
    ("name", "longest"),
    [("gpt2", 128), ("mpt", 128), ("bart", 128), ("bert", 128), ("roberta", 127)],
)
def test_a_text_may_be_as_long_as_its_model_reads(name: str, longest: int) -> None:
    """RoBERTa's first position is that after padding's; MPT's setting has a name of its own."""
    with HuggingFaceModel(tiny(name), tokenizer()) as guest:
        trace = guest.trace("w1 " * longest, max_steps=2, top_k=1)
        assert len(trace.src_ids or trace.tgt_ids) == longest
        with pytest.raises(HeadlightError, match=rf"{longest + 1} tokens long.*most {longest}\.$"):
            guest.trace("w1 " * (longest + 1))
    if guest.form == "decoder":
        assert trace.stop_reason == "max_length"
        assert len(trace.candidates[-1]) >= 1


@pytest.mark.parametrize(
    ("name", "source", "options", "why"),
    [
        ("llama", " ", {}, "nothing to read"),
        ("bart", "w1", {"target": "w2 " * 200}, "201 tokens long.*at most 128"),
        ("llama", "w1 " * 200, {}, "200 tokens long.*at most 128"),
        ("llama", ("w1", "w2"), {}, "one text"),
        ("llama", "w1", {"hidden": [0]}, "an encoder alone"),
        ("bert", "w1", {"target": "w2"}, "writes nothing"),
        ("bert", "w1", {"hidden": [7]}, "tokens 0 to 0"),
        ("bart", "w1", {"chat": True}, "go on with a text"),
        ("bart", "w1", {"target_language": "w2"}, "knows no languages"),
        ("llama", ("w1", "w2"), {"chat": True}, "one text, not a pair"),
        ("llama", "w1", {"target_language": "fr"}, "translate"),
        ("llama", ["w1", "w2"], {}, r"source is \['w1', 'w2'\]; expected a text, or a pair"),
        ("llama", "w1 \ud800", {}, "The tokenizer of .* cannot read this text"),
        ("bert", None, {}, "source is None; expected a text"),
        ("bert", "w1", {"hidden": 1}, r"hidden is 1; expected numbers of tokens, such as \[3\]"),
        ("bart", "w1", {"target": 5}, "target is 5; expected a text"),
        ("llama", "w1", {"max_steps": 0}, "max_steps=0; expected 1 or more"),
        ("bart", "w1", {"prefix": [60]}, "prefix has 60 in it; expected ids, 0 to 59"),
        ("llama", "w1", {"top_k": -1}, "top_k=-1; expected 0 or more"),
        ("llama", "w1", {"sampling": 5}, r"sampling is 5; expected Sampling\(seed=1\)"),
        ("llama", "w1", {"prefix": None}, "prefix is None; expected a list of ids"),
        ("llama", "w1", {"interventions": "cross=zero"}, "interventions is 'cross=zero'; expected"),
        ("llama", "w1", {"include_layers": 1}, "is 1; expected some of the 2 layers"),
        ("llama", "w1", {"include_layers": [2]}, r"is \[2\]; expected some of the 2 layers"),
    ],
)
def test_what_makes_no_sense_is_a_sentence(name: str, source: Any, options: Any, why: str) -> None:
    with (
        HuggingFaceModel(tiny(name), tokenizer()) as guest,
        pytest.raises(HeadlightError, match=why),
    ):
        guest.trace(source, **options)


def test_it_stops_at_the_model_s_own_length() -> None:
    with HuggingFaceModel(tiny("gpt2", n_positions=10), tokenizer()) as guest:
        trace = guest.trace(TEXT)
    assert len(trace.tgt_in) == 10
    assert trace.stop_reason == "max_length"


def test_a_translation_is_what_the_trace_says() -> None:
    for name in ("t5", "llama"):
        with HuggingFaceModel(tiny(name), tokenizer()) as guest:
            assert guest.translate(TEXT, 6) == guest.trace(TEXT, max_steps=6).translation


def test_a_processor_has_its_tokenizer_and_others_are_refused() -> None:
    class Processor:
        tokenizer = tokenizer()

    with headlight.load(tiny("gpt2"), Processor()) as guest:
        assert guest.trace(TEXT, max_steps=1).tgt_in == tuple(TEXT.split())
    with pytest.raises(HeadlightError, match="tokenizer is a int; expected one of transformers"):
        headlight.load(tiny("gpt2"), 5)
