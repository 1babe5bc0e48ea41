"""`headlight.load`: names of ours, folders, the Hub, and what each of them refuses."""

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
import transformers
from safetensors.torch import load_file, save_file
from transformers.modeling_outputs import BaseModelOutput

import headlight
from tests.checkpoint.hub import Hub, running
from tests.guests.families import GROUPED, tiny, tokenizer
from tests.guests.folders import save
from transformer import Translator
from transformer.errors import HeadlightError
from transformer.guests.hugging_face.guest import HuggingFaceModel

TEXT = "w1 w2 w3"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A model and its tokenizer, as `save_pretrained` leaves them."""
    tiny("gpt2").save_pretrained(tmp_path / "saved")
    tokenizer().save_pretrained(tmp_path / "saved")
    return tmp_path / "saved"


def reconfigure(folder: Path, **fields: Any) -> None:
    """Writes something else into a folder's configuration."""
    path = folder / "config.json"
    values = json.loads(path.read_text(encoding="utf-8")) | fields
    path.write_text(json.dumps(values), encoding="utf-8")


def test_a_name_of_ours_is_ours() -> None:
    assert isinstance(headlight.load("reverse"), Translator)


def test_a_folder_is_what_was_saved_there(folder: Path) -> None:
    with headlight.load(folder) as loaded, headlight.load(tiny("gpt2"), tokenizer()) as at_hand:
        assert isinstance(loaded, HuggingFaceModel)
        trace = loaded.trace(TEXT, max_steps=4)
        assert trace.to_dict()["tgt_out"] == at_hand.trace(TEXT, max_steps=4).to_dict()["tgt_out"]
        assert trace.model == str(folder)
        assert trace.checkpoint == at_hand.trace(TEXT, max_steps=4).checkpoint


def test_what_it_computes_in_can_be_chosen(folder: Path) -> None:
    with headlight.load(folder, dtype="bfloat16", device="cpu") as loaded:
        assert loaded.model.dtype == torch.bfloat16
    with pytest.raises(HeadlightError, match="dtype='half'"):
        headlight.load(folder, dtype="half")


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("bert", "BertForMaskedLM"),
        ("bloom", "BloomForCausalLM"),
        ("t5", "T5ForConditionalGeneration"),
    ],
)
def test_a_folder_has_the_class_that_it_names(name: str, kind: str, tmp_path: Path) -> None:
    tiny(name).save_pretrained(tmp_path)
    tokenizer().save_pretrained(tmp_path)
    with headlight.load(tmp_path) as loaded:
        assert type(loaded.model).__name__ == kind
        assert loaded.trace(TEXT, max_steps=2).src_ids or name


@pytest.fixture
def hub(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Hub]:
    """A hub on loopback, and an empty cache."""
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", False)
    for module in ("huggingface_hub.constants", "transformers.utils.hub.constants"):
        monkeypatch.setattr(f"{module}.HF_HUB_CACHE", str(tmp_path / "cache"))
    with running() as hub:
        monkeypatch.setattr("huggingface_hub.constants.ENDPOINT", hub.url)
        monkeypatch.setattr(
            "huggingface_hub.constants.HUGGINGFACE_CO_URL_TEMPLATE",
            hub.url + "/{repo_id}/resolve/{revision}/{filename}",
        )
        yield hub


@pytest.mark.usefixtures("hub")
def test_what_the_hub_does_not_have_is_a_sentence() -> None:
    with pytest.raises(HeadlightError, match=r"nobody/nothing.*Hub") as refused:
        headlight.load("nobody/nothing")
    assert "\n" not in str(refused.value)


def test_a_model_of_the_hub_is_traced(hub: Hub, folder: Path) -> None:
    hub.models["somebody/small"] = {"main": folder}
    with headlight.load(folder) as here, headlight.load("somebody/small") as fetched:
        ours, theirs = (it.trace("I love you.", max_steps=3) for it in (here, fetched))
    np.testing.assert_array_equal(theirs.weights("decoder_self"), ours.weights("decoder_self"))
    with headlight.load("somebody/small", local_files_only=True) as kept:
        assert kept.trace("I love you.", max_steps=3).tgt_ids == ours.tgt_ids


@pytest.mark.slow  # the library tries six times, and waits in between
def test_a_download_that_breaks_off_is_a_sentence(hub: Hub, folder: Path) -> None:
    hub.models["somebody/cut"] = {"main": folder}
    hub.cut = 1000
    with pytest.raises(HeadlightError, match="the download of a model broke off"):
        headlight.load("somebody/cut")
    hub.cut = 0
    with headlight.load("somebody/cut") as whole:
        assert whole.form == "decoder"


def test_an_adapter_on_the_hub_is_told_from_a_model(hub: Hub, folder: Path) -> None:
    an_adapter(folder)
    hub.models["somebody/lora"] = {"main": folder}
    with pytest.raises(
        HeadlightError, match=r"lora is an adapter to the weights of nobody/nothing"
    ):
        headlight.load("somebody/lora")


def test_without_the_hub_there_is_a_sentence(hub: Hub) -> None:
    with pytest.raises(HeadlightError, match=r"cannot be reached, and .* is not in the cache"):
        headlight.load("nobody/nothing", local_files_only=True)
    assert not hub.asked


@pytest.mark.parametrize(
    ("fields", "why", "code"),
    [
        ({"model_type": "longformer"}, "windows that are cut and joined", "guest_undrawn"),
        ({"model_type": "nothing-known"}, "cannot be loaded|does not recognize", "guest_family"),
        (
            {"quantization_config": {"quant_method": "gptq"}},
            r"is quantised \(gptq\)",
            "guest_quantised",
        ),
        (
            {"model_type": "own", "auto_map": {"AutoConfig": "own.Config"}},
            "code of its own, which is never run",
            "guest_code",
        ),
    ],
)
def test_what_cannot_be_drawn_truly_is_refused(
    folder: Path, fields: Any, why: str, code: str
) -> None:
    reconfigure(folder, **fields)
    with pytest.raises(HeadlightError, match=why) as refused:
        headlight.load(folder)
    assert "\n" not in str(refused.value)
    named = {"family": "nothing-known"} if code == "guest_family" else {}
    assert (refused.value.code, refused.value.details) == (code, {"model": str(folder)} | named)


@pytest.mark.parametrize(
    "fields",
    [
        {"n_layer": 1},
        {"n_layer": 3},
        {"n_layer": 10**9},
        {"n_embd": 64},
        {"embd_pdrop": 7.0},
        {"activation_function": "zork"},
        {"quantization_config": [1]},
    ],
)
def test_a_configuration_that_lies_is_a_sentence(folder: Path, fields: Any) -> None:
    reconfigure(folder, **fields)
    with pytest.raises(HeadlightError) as refused:
        headlight.load(folder)
    assert (refused.value.code, refused.value.details) == ("guest_unlike", {"model": str(folder)})


@pytest.mark.parametrize(
    ("field", "value", "shown"),
    [
        *(("n_head", it, str(it)) for it in (-1, 0, 7)),
        *(("n_layer", it, str(it)) for it in (-1, 0)),
        ("vocab_size", -1, "-1"),
        ("dtype", "int8", "int8"),
        # Of a value that is none of its type the library tells both.
        *(("n_layer", it, repr(it)) for it in (None, "2", "2" * 99)),
    ],
)
def test_a_value_that_cannot_be_is_named(folder: Path, field: str, value: Any, shown: str) -> None:
    reconfigure(folder, **{field: value})
    with pytest.raises(HeadlightError, match=f"in its configuration {field} is ") as refused:
        headlight.load(folder)
    shown = shown if len(shown) <= 40 else f"{shown[:39]}…"
    told = {"model": str(folder), "field": field, "value": shown}
    assert (refused.value.code, refused.value.details) == ("guest_config", told)


def test_heads_that_no_group_has_as_many_of_are_named(tmp_path: Path) -> None:
    folder = save(tmp_path / "grouped", tiny("qwen3", **GROUPED), tokenizer())
    reconfigure(folder, num_key_value_heads=3)
    with pytest.raises(HeadlightError, match="num_attention_heads = 4 is no multiple of it"):
        headlight.load(folder)


@pytest.mark.parametrize("name", [3, "PreTrainedModel", "BertModels"])
def test_a_class_that_is_no_models_is_passed_over(folder: Path, name: Any) -> None:
    reconfigure(folder, architectures=[name])
    with headlight.load(folder) as loaded:
        assert type(loaded.model).__name__ == "GPT2LMHeadModel"


def test_a_broken_folder_is_a_sentence(folder: Path) -> None:
    for weights in folder.glob("*.safetensors"):
        weights.write_bytes(b"no weights")
    with pytest.raises(HeadlightError, match="cannot be loaded as a model") as refused:
        headlight.load(folder)
    assert refused.value.code == "guest_weights"


class Runs:
    """What runs code as it is unpickled."""

    def __reduce__(self) -> Any:
        return (print, ("it was run",))


def an_adapter(folder: Path) -> None:
    (folder / "config.json").unlink()
    content = json.dumps({"base_model_name_or_path": "nobody/nothing"})
    (folder / "adapter_config.json").write_text(content, encoding="utf-8")


def a_pickle(folder: Path) -> None:
    (folder / "model.safetensors").unlink()
    torch.save({**tiny("gpt2").state_dict(), "more": Runs()}, folder / "pytorch_model.bin")


def without_a_tokenizer(folder: Path) -> None:
    for file in folder.glob("tokenizer*"):
        file.unlink()


def a_broken_tokenizer(folder: Path) -> None:
    (folder / "tokenizer.json").write_text("{", encoding="utf-8")


def without_weights(folder: Path, names: str) -> None:
    path = folder / "model.safetensors"
    kept = {name: it for name, it in load_file(path).items() if names not in name}
    save_file(kept, path, {"format": "pt"})


@pytest.mark.parametrize(
    ("spoil", "why", "code"),
    [
        (
            an_adapter,
            "is an adapter to the weights of nobody/nothing: load both with .* peft",
            "guest_adapter",
        ),
        (a_pickle, "a pickle with more in it than tensors, which is never run", "guest_weights"),
        (
            lambda it: reconfigure(it, n_layer=3),
            r"no weights for 12 parts.*\(transformer\.h\.2\.attn",
            "guest_unlike",
        ),
        (lambda it: without_weights(it, "wte"), r"no weights named wte\.weight", "guest_unlike"),
        (lambda it: without_weights(it, "ln_f"), r"no weights named ln_f\.bias", "guest_unlike"),
        (without_a_tokenizer, "comes without a tokenizer", "no_tokenizer"),
        (a_broken_tokenizer, "cannot be loaded as a tokenizer", "no_tokenizer"),
        (lambda it: (it / "model.safetensors").unlink(), "no file named", "guest_weights"),
        (lambda it: (it / "config.json").write_text("{"), "not a valid JSON", "guest_file"),
    ],
    ids=[
        *("an adapter", "a pickle", "layers that are not there", "no words", "no last norm"),
        *("no tokenizer", "a broken tokenizer", "no weights", "a broken configuration"),
    ],
)
def test_a_folder_that_lacks_something_says_what(
    spoil: Any, why: str, code: str, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    spoil(folder)
    with pytest.raises(HeadlightError, match=why) as refused:
        headlight.load(folder)
    assert refused.value.code == code
    assert refused.value.details.get("model") == str(folder)
    assert "it was run" not in capsys.readouterr().out


def test_a_tokenizer_that_needs_another_package_says_which(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The library tells of tiktoken, whatever it was that kept it from reading the file."""
    without_a_tokenizer(folder)
    (folder / "tokenizer.model").write_bytes(b"pieces")
    settings = json.dumps({"tokenizer_class": "LlamaTokenizer"})
    (folder / "tokenizer_config.json").write_text(settings, encoding="utf-8")
    module = "transformer.guests.hugging_face.refusals.is_protobuf_available"
    monkeypatch.setattr(module, lambda: False)
    with pytest.raises(HeadlightError, match=r"reads with another package: pip install protobuf$"):
        headlight.load(folder)


@pytest.mark.parametrize("named", [["BertForMaskedLM"], None])
def test_a_head_without_weights_guesses_nothing(named: Any, tmp_path: Path) -> None:
    """It would be random; so are the files of DeBERTa, which name no class, either."""
    model = tiny("bert")
    model.save_pretrained(tmp_path)
    tokenizer().save_pretrained(tmp_path)
    reconfigure(tmp_path, architectures=named)
    with headlight.load(tmp_path) as whole:
        assert type(whole.model).__name__ == "BertForMaskedLM"
        expected = whole.trace(TEXT)
    assert len(expected.candidates) == 3
    without_weights(tmp_path, "cls.")
    with headlight.load(tmp_path) as headless:
        trace = headless.trace(TEXT)
        assert "hidden" not in headless.offers
    assert trace.candidates == ()
    np.testing.assert_array_equal(trace.encoder_self, expected.encoder_self)


def test_where_it_computes_and_in_what_is_checked(folder: Path) -> None:
    no_text: Any = torch.float32
    with headlight.load(folder, dtype=no_text) as loaded:
        assert loaded.trace(TEXT, max_steps=1).tgt_ids
    wrong: dict[str, Any]
    for wrong, why in (
        ({"device": "cuda:99"}, "device='cuda:99' cannot"),
        ({"dtype": []}, "one of"),
    ):
        with pytest.raises(HeadlightError, match=why):
            headlight.load(folder, **wrong)
    with pytest.raises(HeadlightError, match="is a file; expected the folder of a model"):
        headlight.load(folder / "config.json")
    with pytest.raises(HeadlightError, match="nor a name as on the Hub"):
        headlight.load("a" * 5000)


def small(name: str, **more: Any) -> Any:
    kind: Any = getattr(transformers, name)
    sizes = {"hidden_size": 32, "num_hidden_layers": 1, "num_attention_heads": 2}
    towers = {"d_model": 32, "encoder_layers": 1, "decoder_layers": 1}
    text = {"vocab_size": 60, "bos_token_id": 1, "eos_token_id": 2, "pad_token_id": 0}
    return kind(kind.config_class(**sizes, **towers, **text, intermediate_size=32, **more)).eval()


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("ViTModel", r"\(ViTModel\) reads pixel_values, no text: headlight.trace draws"),
        ("BartForSequenceClassification", "cannot be called with a short.* IndexError.*AutoModel$"),
        # Prompts of its own stand before the keys of all but the encoder's layers.
        ("MvpForConditionalGeneration", "attends with 4 rows and 18 columns where its text has"),
    ],
)
def test_what_cannot_be_learnt_is_refused_and_left_alone(name: str, why: str) -> None:
    more = {"use_prompt": True, "prompt_length": 14, "prompt_mid_dim": 8} if "Mvp" in name else {}
    model = small(name, **more)
    before = model.config._attn_implementation
    with pytest.raises(HeadlightError, match=why):
        HuggingFaceModel(model, tokenizer(), "mine")
    assert model.config._attn_implementation == before


def test_a_tokenizer_of_one_mark_is_none(tmp_path: Path) -> None:
    tiny("t5").save_pretrained(tmp_path)
    with pytest.raises(HeadlightError, match="comes without a tokenizer"):
        headlight.load(tmp_path)


def test_without_a_tokenizer_there_is_a_sentence() -> None:
    with pytest.raises(HeadlightError, match="comes without a tokenizer"):
        headlight.load(tiny("gpt2"))
    not_one: Any = torch.nn.Linear(2, 2)
    with pytest.raises(HeadlightError, match=r"a Linear; expected .*headlight\.trace"):
        headlight.load(not_one)


OFFLINE = """
import sys
sys.modules["transformers"] = None
import headlight
try:
    headlight.load("somebody/model")
except ImportError as error:
    print(error)
"""


def test_a_missing_library_is_told_with_the_line_that_brings_it() -> None:
    output = subprocess.run(
        [sys.executable, "-c", OFFLINE], capture_output=True, text=True, check=True
    )
    assert 'pip install "headlight-attention[hub]"' in output.stdout


def test_attention_that_computes_something_else_where_it_is_fused_is_refused() -> None:
    """PaliGemma's prompt looks ahead with SDPA if nobody hands in types, and not with eager."""
    text = small("GemmaForCausalLM", num_key_value_heads=2, head_dim=16).config.to_dict()
    vision = transformers.SiglipVisionConfig(
        hidden_size=32, intermediate_size=32, num_hidden_layers=1, num_attention_heads=2
    )
    config = transformers.PaliGemmaConfig(
        text_config=text, vision_config=vision.to_dict(), projection_dim=32, image_token_index=59
    )
    torch.manual_seed(3)
    model: Any = transformers.PaliGemmaForConditionalGeneration(config).eval()
    for parameter in model.parameters():
        if parameter.ndim > 1:
            torch.nn.init.normal_(parameter, std=0.2)
    why = r'with its own attention \(fused.*attn_implementation="eager"'
    with pytest.raises(HeadlightError, match=why):
        headlight.load(model, tokenizer())
    model.set_attn_implementation("eager")
    ids = tokenizer()(TEXT, return_tensors="pt").input_ids
    own = model.generate(ids, attention_mask=torch.ones_like(ids), max_new_tokens=4)
    with headlight.load(model, tokenizer()) as guest:
        assert guest.trace(TEXT, max_steps=4).tgt_ids == tuple(own[0, 1:].tolist())


class Heads(torch.nn.Module):
    """Attention of its own in a file whose models transformers believes to ask its interface."""

    def __init__(self) -> None:
        super().__init__()
        self.qkv = torch.nn.Linear(32, 96)
        self.weights = torch.zeros(0)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        q, k, v = (it.unflatten(-1, (4, 8)).transpose(1, 2) for it in self.qkv(x).chunk(3, -1))
        weights = torch.softmax(q @ k.mT / 8**0.5, -1)
        self.weights = weights.detach()
        return (weights @ v).transpose(1, 2).flatten(2)


class Own(transformers.PreTrainedModel):
    config_class = transformers.BertConfig

    def __init__(self, config: Any) -> None:
        super().__init__(config)
        self.words = torch.nn.Embedding(60, 32)
        self.layers = torch.nn.ModuleList(Heads() for _ in range(2))
        self.post_init()

    def get_input_embeddings(self) -> torch.nn.Module:
        return self.words

    def forward(self, input_ids: torch.Tensor, **_: Any) -> Any:
        x = self.words(input_ids)
        for layer in self.layers:
            x = x + layer(x)
        return BaseModelOutput(last_hidden_state=x)


@pytest.mark.parametrize("wrap", [torch.nn.DataParallel, None])
def test_a_class_of_ones_own_with_attention_of_its_own_is_recorded(wrap: Any) -> None:
    assert Own._can_set_attn_implementation()
    model: Any = Own(transformers.BertConfig(hidden_size=32))
    with headlight.load(model if wrap is None else wrap(model), tokenizer()) as guest:
        trace = guest.trace(TEXT)
    model(tokenizer()(TEXT, return_tensors="pt").input_ids)
    for layer, mine in zip(model.layers, trace.layers("encoder_self") or (), strict=True):
        assert (layer.weights[0].numpy() == mine).all()
    assert model.config._attn_implementation != "headlight"


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("", "the name is empty"),
        (" ", "the name is empty"),
        ("/nowhere/at all", "neither a model of ours, nor a folder, nor a name as on the Hub"),
        ("https://huggingface.co/gpt2", 'such as "gpt2" or "owner/name"'),
        (None, "model is a NoneType; expected a name"),
    ],
)
def test_what_is_no_name_is_a_sentence(name: Any, why: str) -> None:
    with pytest.raises(HeadlightError, match=why):
        headlight.load(name)


@pytest.mark.parametrize("weights", ["attn.c_attn", "mlp.c_proj"])
def test_weights_that_are_no_numbers_are_a_sentence(weights: str, folder: Path) -> None:
    model = tiny("gpt2")
    model.get_parameter(f"transformer.h.0.{weights}.weight").data.fill_(torch.nan)
    model.save_pretrained(folder)
    with pytest.raises(HeadlightError, match=r"numbers in float32 that are not finite") as refused:
        headlight.load(folder)
    assert refused.value.code == "guest_not_finite"
