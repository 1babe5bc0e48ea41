import json
import pickle
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
from safetensors.torch import load_file, save_file

from tests.tiny import random_ids, tiny_checkpoint
from transformer import CheckpointError, HeadlightError, Tokenizer, Translator, checkpoint
from transformer.checkpoint import CONFIG, TOKENIZER, WEIGHTS


@pytest.fixture
def folder(tokenizer: Tokenizer, tmp_path: Path) -> Path:
    folder = tmp_path / "tiny"
    checkpoint.save(folder, tiny_checkpoint(tokenizer))
    return folder


@pytest.mark.parametrize(
    "changes",
    [
        {},
        {"tied_embeddings": "all", "output_bias": False, "final_norms": True},
        {"tied_embeddings": "output", "norm_placement": "pre"},
        {"num_encoder_layers": 0, "tied_embeddings": "output"},
    ],
    ids=str,
)
def test_it_survives_the_disk_but_for_rounding_to_half(
    tokenizer: Tokenizer, tmp_path: Path, changes: dict[str, Any]
) -> None:
    saved = tiny_checkpoint(tokenizer, **changes)
    checkpoint.save(tmp_path / "a model", saved)
    loaded = checkpoint.load(tmp_path / "a model")
    assert loaded.name == "a model"
    assert loaded.card == saved.card
    assert loaded.model.config == saved.model.config
    assert loaded.tokenizer.to_bytes() == tokenizer.to_bytes()
    assert not loaded.model.training
    originals = dict(saved.model.named_parameters())
    assert dict(loaded.model.named_parameters()).keys() == originals.keys()
    for name, parameter in loaded.model.named_parameters():
        assert parameter.dtype == torch.float32
        assert torch.equal(parameter, originals[name].half().float())
    inputs = (
        [random_ids(1, 2, 5)] if loaded.model.config.decoder_only else [random_ids(1, 2, 5)] * 2
    )
    torch.testing.assert_close(loaded.model(*inputs), saved.model(*inputs), atol=0.1, rtol=0)


def test_what_it_writes(folder: Path) -> None:
    assert sorted(path.name for path in folder.iterdir()) == [CONFIG, WEIGHTS, TOKENIZER]
    content = json.loads((folder / CONFIG).read_text(encoding="utf-8"))
    assert content["model"]["d_model"] == 16
    assert content["card"]["title"] == {"en": "Tiny", "zh": "小"}
    assert "小" in (folder / CONFIG).read_text(encoding="utf-8")
    assert {tensor.dtype for tensor in load_file(folder / WEIGHTS).values()} == {torch.float16}


def test_saving_keeps_the_other_files(folder: Path, tokenizer: Tokenizer) -> None:
    (folder / "README.md").write_text("the card", encoding="utf-8")
    checkpoint.save(folder, tiny_checkpoint(tokenizer, seed=1))
    assert (folder / "README.md").read_text(encoding="utf-8") == "the card"
    assert len(list(folder.iterdir())) == 4


@pytest.mark.parametrize("name", [WEIGHTS, CONFIG, TOKENIZER])
def test_an_interrupted_save_leaves_the_old_checkpoint_whole(
    folder: Path, tokenizer: Tokenizer, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    before = {path.name: path.read_bytes() for path in folder.iterdir()}
    new = tiny_checkpoint(tokenizer, seed=1)

    def fail(path: Path, *_args: Any, **_options: Any) -> None:
        if path.name == name:
            raise KeyboardInterrupt
        path.touch()

    def fail_at_weights(_weights: Any, path: Path) -> None:
        fail(path)

    monkeypatch.setattr(checkpoint, "save_file", fail_at_weights)
    monkeypatch.setattr(Path, "write_text", fail)
    monkeypatch.setattr(Path, "write_bytes", fail)
    with pytest.raises(KeyboardInterrupt):
        checkpoint.save(folder, new)
    monkeypatch.undo()
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == before


def edit_config(**changes: Any) -> Callable[[Path], None]:
    def edit(folder: Path) -> None:
        content = json.loads((folder / CONFIG).read_text(encoding="utf-8"))
        content["model"].update(changes)
        (folder / CONFIG).write_text(json.dumps(content), encoding="utf-8")

    return edit


def edit_weights(edit: Callable[[dict[str, torch.Tensor]], Any]) -> Callable[[Path], None]:
    def apply(folder: Path) -> None:
        weights = load_file(folder / WEIGHTS)
        edit(weights)
        save_file(weights, folder / WEIGHTS)

    return apply


def write(name: str, content: bytes) -> Callable[[Path], object]:
    return lambda folder: (folder / name).write_bytes(content)


def remove(name: str) -> Callable[[Path], None]:
    return lambda folder: (folder / name).unlink()


def truncate(name: str, length: int) -> Callable[[Path], object]:
    return lambda folder: (folder / name).write_bytes((folder / name).read_bytes()[:length])


class Bomb:
    """Unpickling it would stop the tests."""

    def __reduce__(self) -> tuple[Any, ...]:
        return pytest.exit, ("model.safetensors was unpickled",)


BIAS = "decoder.output.bias"
BROKEN: list[tuple[str, Callable[[Path], object], str, str]] = [
    ("no config", remove(CONFIG), CONFIG, "missing or cannot be read"),
    ("no tokenizer", remove(TOKENIZER), TOKENIZER, "missing or cannot be read"),
    ("no weights", remove(WEIGHTS), WEIGHTS, "missing, or not a safetensors file"),
    ("cut config", truncate(CONFIG, 40), CONFIG, "not JSON"),
    ("cut tokenizer", truncate(TOKENIZER, 1000), TOKENIZER, "not a SentencePiece model"),
    ("cut weights", truncate(WEIGHTS, 5000), WEIGHTS, "not a safetensors file"),
    ("cut header", truncate(WEIGHTS, 5), WEIGHTS, "not a safetensors file"),
    ("pickle", write(WEIGHTS, pickle.dumps(Bomb())), WEIGHTS, "not a safetensors file"),
    ("pickled tokenizer", write(TOKENIZER, pickle.dumps(Bomb())), TOKENIZER, "not a Sentence"),
    ("empty weights", write(WEIGHTS, b""), WEIGHTS, "not a safetensors file"),
    ("not UTF-8", write(CONFIG, b"\xff\xfe"), CONFIG, "not JSON"),
    ("a JSON list", write(CONFIG, b"[]"), CONFIG, 'an object with a "model" object'),
    ("no model", write(CONFIG, b'{"card": {}}'), CONFIG, 'an object with a "model" object'),
    ("a text", edit_config(d_model="16"), CONFIG, "d_model must be of type int, not '16'"),
    ("impossible", edit_config(num_heads=3), CONFIG, r"d_model \(16\) must be divisible"),
    ("unknown setting", edit_config(n_embd=1), CONFIG, "unknown settings: n_embd"),
    ("other vocabulary", edit_config(tgt_vocab_size=99), TOKENIZER, "120 pieces, but .* says 99"),
    ("other source", edit_config(src_vocab_size=99), TOKENIZER, "120 pieces, but .* says 99"),
    ("other special ids", edit_config(bos_id=5), TOKENIZER, "special tokens other ids"),
    ("other width", edit_config(d_ff=25), WEIGHTS, r"shape \[24, 16\], but .* \[25, 16\]"),
    ("a layer more", edit_config(num_decoder_layers=3), WEIGHTS, r"decoder\.layers\.2.* missing"),
    ("a layer less", edit_config(num_decoder_layers=1), WEIGHTS, r"no .* named decoder\.layers\.1"),
    ("missing", edit_weights(lambda w: w.pop(BIAS)), WEIGHTS, f"weights of {BIAS} are missing"),
    (
        "unknown",
        edit_weights(lambda w: w.update(extra=torch.ones(1))),
        WEIGHTS,
        "describes no weights named extra",
    ),
    ("NaN", edit_weights(lambda w: w[BIAS][3].fill_(torch.nan)), WEIGHTS, f"{BIAS} holds values"),
    ("infinite", edit_weights(lambda w: w[BIAS][3].fill_(torch.inf)), WEIGHTS, "not finite"),
    (
        "turned",
        edit_weights(lambda w: w.update({BIAS: w[BIAS][None].clone()})),
        WEIGHTS,
        r"decoder\.output\.bias has shape \[1, 120\], but config\.json asks for \[120\]",
    ),
]


@pytest.mark.parametrize(
    ("damage", "file", "reason"), [row[1:] for row in BROKEN], ids=[row[0] for row in BROKEN]
)
def test_a_broken_checkpoint_is_refused_naming_file_and_reason(
    folder: Path, damage: Callable[[Path], object], file: str, reason: str
) -> None:
    damage(folder)
    with pytest.raises(CheckpointError, match=reason) as caught:
        checkpoint.load(folder)
    assert str(caught.value).startswith(f"{folder / file}: ")
    assert caught.value.code == "broken_checkpoint"
    assert caught.value.details["file"] == file


def test_a_card_that_is_no_object_is_no_card(folder: Path) -> None:
    content = json.loads((folder / CONFIG).read_text(encoding="utf-8"))
    (folder / CONFIG).write_text(json.dumps(content | {"card": "a text"}), encoding="utf-8")
    assert checkpoint.load(folder).card == {}


def test_the_folder_may_be_chosen(
    folder: Path, tokenizer: Tokenizer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HEADLIGHT_CHECKPOINTS", str(folder.parent))
    checkpoint.save(folder.parent / "another", tiny_checkpoint(tokenizer))
    (folder.parent / "no checkpoint").mkdir()
    assert checkpoint.checkpoints_folder() == folder.parent
    assert checkpoint.available() == ["another", "tiny"]
    assert checkpoint.find("tiny") == folder
    assert checkpoint.read_card(folder)["examples"] == ["I love you."]
    assert Translator.load("tiny", device="cpu").name == "tiny"


def test_a_folder_may_be_given_instead_of_a_name(folder: Path) -> None:
    assert Translator.load(folder, device="cpu").name == "tiny"
    assert checkpoint.find(str(folder)) == folder


@pytest.mark.parametrize("name", ["en-fr", "../tiny-not", "a" * 5000, "\0"])
def test_an_unknown_name_lists_what_is_installed(
    folder: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    monkeypatch.setenv("HEADLIGHT_CHECKPOINTS", str(folder.parent))
    with pytest.raises(HeadlightError, match="installed: tiny") as caught:
        Translator.load(name)
    assert caught.value.code == "unknown_model"
    assert caught.value.details == {"model": name}


def test_nothing_installed_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HEADLIGHT_CHECKPOINTS", str(tmp_path / "nowhere"))
    assert checkpoint.available() == []
    with pytest.raises(HeadlightError, match="installed: none"):
        checkpoint.find("en-zh")


def test_the_default_folder_is_the_projects(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("HEADLIGHT_CHECKPOINTS", raising=False)
    assert checkpoint.checkpoints_folder() == Path(__file__).parent.parent / "checkpoints"


def test_weights_that_half_precision_cannot_hold_are_not_saved(
    folder: Path, tokenizer: Tokenizer
) -> None:
    before = (folder / WEIGHTS).read_bytes()
    for value in (1e6, float("nan")):
        diverged = tiny_checkpoint(tokenizer)
        diverged.model.decoder.output.bias.data[3] = value
        with pytest.raises(CheckpointError, match=r"decoder\.output\.bias holds values beyond"):
            checkpoint.save(folder, diverged)
    assert (folder / WEIGHTS).read_bytes() == before
