"""What a Marian model's files ask of decoding: obeyed as Hugging Face does, or refused by name."""

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from safetensors.torch import load_file, save_file
from transformers import GenerationConfig, MarianMTModel, MarianTokenizer

from tests.checkpoint.marian import ENGLISH, SHAPES, save_marian
from transformer import CheckpointError, Transformer
from transformer.checkpoint.importing import convert
from transformer.checkpoint.marian.generation import WITHOUT_EFFECT
from transformer.decoding import decode

pytestmark = [
    # Hugging Face asks for a normaliser that it then never calls.
    pytest.mark.filterwarnings("ignore:Recommended. pip install sacremoses"),
]
FILE = "generation_config.json"


@pytest.fixture(scope="module")
def saved(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, MarianTokenizer]:
    folder = tmp_path_factory.mktemp("opus") / "model"
    _, tokenizer = save_marian(folder, **SHAPES["2+2 tied swish"])
    return folder, tokenizer


@pytest.fixture
def folder(saved: tuple[Path, MarianTokenizer], tmp_path: Path) -> Path:
    shutil.copytree(saved[0], tmp_path / "model")
    return tmp_path / "model"


def write(folder: Path, file: str, settings: dict[str, Any]) -> None:
    content = json.loads((folder / file).read_text(encoding="utf-8"))
    (folder / file).write_text(json.dumps(content | settings), encoding="utf-8")


def of_opus(pad: int = 149) -> dict[str, Any]:
    """What OPUS-MT's models say."""
    return {
        "bad_words_ids": [[pad]],
        "bos_token_id": 0,
        "decoder_start_token_id": pad,
        "eos_token_id": 0,
        "forced_eos_token_id": 0,
        "max_length": 512,
        "num_beams": 6,
        "pad_token_id": pad,
        "renormalize_logits": True,
    }


OBEYED: list[dict[str, Any]] = [
    {"max_length": 7},
    {"max_length": 7, "forced_eos_token_id": 0},
    {"max_length": 7, "forced_eos_token_id": [0], "eos_token_id": [0]},
    {"max_new_tokens": 5, "max_length": 30, "forced_eos_token_id": 0},
    {"max_length": 9, "suppress_tokens": [10, 20, 136]},
    {"max_length": 9, "bad_words_ids": [[149], [0], [136]]},
    {"max_length": 9, "num_beams": 4, "length_penalty": 2.0, "early_stopping": True},
    {"max_length": 9, "renormalize_logits": True, "min_length": 1, "repetition_penalty": 1},
    {"max_length": 9, "no_repeat_ngram_size": 0, "forced_bos_token_id": None},
]


@pytest.mark.parametrize("settings", OBEYED, ids=lambda settings: ", ".join(settings))
@pytest.mark.parametrize("file", [FILE, "config.json"])
def test_what_is_obeyed_decodes_as_hugging_face_does(
    saved: tuple[Path, MarianTokenizer], folder: Path, settings: dict[str, Any], file: str
) -> None:
    if file != FILE:
        # Before there was such a file, the configuration said it all.
        (folder / FILE).unlink()
        settings = {"bad_words_ids": [[149]], **settings}
    write(folder, file, settings)
    read = convert.read(folder).model
    assert isinstance(read, Transformer)
    batch = saved[1](ENGLISH, return_tensors="pt", padding=True)
    theirs = MarianMTModel.from_pretrained(folder).eval()
    generated = theirs.generate(  # pyright: ignore[reportAttributeAccessIssue]
        **batch, num_beams=1, do_sample=False
    )
    ours = [list(hypothesis.ids) for hypothesis in decode(read, batch["input_ids"], top_k=0)]
    width = generated.size(1) - 1
    assert [ids + [149] * (width - len(ids)) for ids in ours] == generated[:, 1:].tolist()
    assert len(set(map(tuple, ours))) > 3


def test_a_text_that_is_made_to_end_says_why(
    saved: tuple[Path, MarianTokenizer], folder: Path
) -> None:
    write(folder, FILE, of_opus() | {"max_length": 4})
    model = convert.read(folder).model
    src = saved[1](ENGLISH, return_tensors="pt", padding=True)["input_ids"]
    hypotheses = decode(model, src)
    assert {len(each.ids) for each in hypotheses if each.stop_reason == "max_length"} == {3}
    assert all(each.ids[-1] == 0 for each in hypotheses)
    # What it was made to say is among what it was offered, with the chance that the model gave it.
    assert all(0 in [token for token, *_ in each.candidates[-1]] for each in hypotheses)
    # Who asks for less gets it as the model writes it, and a given text stays as it is.
    assert {each.stop_reason for each in decode(model, src, max_steps=1)} <= {"max_steps", "eos"}
    [given] = decode(model, src[:1], prefix=[5, 6, 7, 8, 9, 0])
    assert given.ids == (5, 6, 7, 8, 9, 0)


def test_opus_mts_own_settings_are_obeyed(folder: Path) -> None:
    write(folder, FILE, of_opus())
    config = convert.read(folder).model.config
    assert (config.banned_ids, config.longest_target, config.ends_longest) == ((149,), 511, True)
    assert config.most_emitted == 64  # there are no more positions


REFUSED: dict[str, Any] = {
    "begin_suppress_tokens": [5],
    "bad_words_ids": [[5, 6]],
    "encoder_no_repeat_ngram_size": 3,
    "encoder_repetition_penalty": 1.2,
    "exponential_decay_length_penalty": [3, 1.5],
    "forced_bos_token_id": 5,
    "forced_decoder_ids": [[1, 5]],
    "forced_eos_token_id": 5,
    "guidance_scale": 2,
    "max_time": 0.5,
    "min_length": 4,
    "min_new_tokens": 4,
    "no_repeat_ngram_size": 2,
    "repetition_penalty": 1.2,
    "sequence_bias": [[[5], 10.0]],
    "stop_strings": ["a"],
    "max_length": 1,
    "suppress_tokens": "all",
    "eos_token_id": [0, 5],
}


@pytest.mark.parametrize(("name", "value"), REFUSED.items(), ids=REFUSED)
def test_what_is_not_obeyed_is_refused_by_name(folder: Path, name: str, value: Any) -> None:
    write(folder, FILE, {name: value})
    with pytest.raises(CheckpointError, match=rf"generation_config\.json: {name} "):
        convert.read(folder)
    # Where that file is, Hugging Face reads the other one no longer; where it is not, it does.
    write(folder, FILE, {name: None})
    write(folder, "config.json", {name: value})
    if name != "eos_token_id":
        convert.read(folder)
    (folder / FILE).unlink()
    with pytest.raises(CheckpointError, match=rf"/config\.json: {name} "):
        convert.read(folder)


READ = (
    "bos_token_id decoder_start_token_id eos_token_id forced_eos_token_id max_length max_new_tokens"
    " bad_words_ids suppress_tokens"
)
NO_TOKEN = {
    "drawing": "do_sample temperature top_k top_p top_h min_p typical_p epsilon_cutoff eta_cutoff",
    "beams": "num_beams num_beam_groups num_return_sequences diversity_penalty length_penalty"
    " early_stopping",
    "assistants": "assistant_confidence_threshold assistant_early_exit assistant_ensemble_weight"
    " assistant_lookbehind is_assistant num_assistant_tokens num_assistant_tokens_schedule"
    " prompt_lookup_num_tokens max_matching_ngram_size target_lookbehind speculation_type use_mtp",
    "memory": "cache_config cache_implementation compile_config continuous_batching_config"
    " disable_compile low_memory max_cache_len prefill_chunk_size use_cache",
    "what is handed out": "output_attentions output_hidden_states output_logits output_scores"
    " return_dict_in_generate",
    "no choice": "pad_token_id remove_invalid_values renormalize_logits _from_model_config"
    " transformers_version",
}
"""Settings of Hugging Face's that change no token of greedy decoding, by what they are about."""


def test_nothing_that_hugging_face_can_be_told_is_overlooked() -> None:
    settings = {*WITHOUT_EFFECT, *READ.split(), *" ".join(NO_TOKEN.values()).split()}
    assert GenerationConfig().to_dict().keys() <= settings


def test_weights_beyond_float16_are_named_as_the_file_names_them(
    folder: Path, tmp_path: Path
) -> None:
    weights = load_file(folder / "model.safetensors")
    name = "model.encoder.layers.0.fc1.weight"
    weights[name][0, 0] = 1e5
    save_file(weights, folder / "model.safetensors", {"format": "pt"})
    with pytest.raises(CheckpointError, match=f"{name} holds values beyond float16's range"):
        convert.install(folder, tmp_path / "installed", "somewhere")
    assert not (tmp_path / "installed").exists()
