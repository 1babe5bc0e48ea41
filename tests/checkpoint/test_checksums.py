"""A file that is not what it was when the model was made is found at load, and named."""

import json
import random
from pathlib import Path

import numpy as np
import pytest
from safetensors.torch import load_file, save_file

from tests.tiny import tiny_checkpoint
from transformer import CheckpointError, Tokenizer, checkpoint
from transformer.__main__ import main
from transformer.checkpoint import CONFIG, TOKENIZER, WEIGHTS, arrays
from transformer.checkpoint.checksums import FILES
from transformer.checkpoint.measured_heads import HEADS, MeasuredHeads, read_heads, write_heads


@pytest.fixture
def folder(tokenizer: Tokenizer, tmp_path: Path) -> Path:
    folder = tmp_path / "tiny"
    checkpoint.save(folder, tiny_checkpoint(tokenizer))
    return folder


def test_no_flipped_bit_of_the_weights_goes_unseen(folder: Path) -> None:
    path, draw = folder / WEIGHTS, random.Random(0)
    whole = path.read_bytes()
    for _ in range(40):
        flipped = bytearray(whole)
        flipped[draw.randrange(len(whole))] ^= 1 << draw.randrange(8)
        path.write_bytes(flipped)
        with pytest.raises(CheckpointError, match=WEIGHTS):
            checkpoint.load(folder)
    path.write_bytes(whole)
    checkpoint.load(folder)


@pytest.mark.parametrize("setting", ["num_heads", "norm_placement"])
def test_another_architecture_is_refused_and_another_card_is_not(
    folder: Path, setting: str
) -> None:
    path = folder / CONFIG
    content = json.loads(path.read_text(encoding="utf-8"))
    content["card"]["title"] = {"en": "Mine"}
    path.write_text(json.dumps(content), encoding="utf-8")
    assert checkpoint.load(folder).card["title"] == {"en": "Mine"}
    content["model"] |= {"num_heads": 2, "norm_placement": "pre"}
    content["model"] = {**content["model"], setting: content["model"][setting]}
    path.write_text(json.dumps(content), encoding="utf-8")
    with pytest.raises(CheckpointError, match=CONFIG):
        checkpoint.load(folder)


def test_a_file_that_is_gone_or_new_is_named(folder: Path) -> None:
    (folder / "vocab.json").write_text("{}", encoding="utf-8")
    with pytest.raises(CheckpointError, match=r"vocab\.json"):
        checkpoint.load(folder)
    (folder / "vocab.json").unlink()
    checkpoint.load(folder)
    sums = json.loads((folder / FILES).read_text(encoding="utf-8"))
    sums["sha256"]["gone.model"] = "0" * 64
    (folder / FILES).write_text(json.dumps(sums), encoding="utf-8")
    with pytest.raises(CheckpointError, match=r"gone\.model: the file is missing"):
        checkpoint.load(folder)


def test_what_others_have_made_is_loaded_without(folder: Path) -> None:
    (folder / FILES).unlink()
    checkpoint.load(folder)


def test_weights_of_zeros_or_of_whole_numbers_are_refused(folder: Path) -> None:
    (folder / FILES).unlink()
    weights = load_file(folder / WEIGHTS)
    name = next(name for name, tensor in weights.items() if tensor.ndim > 1)
    save_file({**weights, name: weights[name] * 0}, folder / WEIGHTS)
    with pytest.raises(CheckpointError, match="holds nothing but zeros"):
        checkpoint.load(folder)
    save_file({**weights, name: weights[name].char()}, folder / WEIGHTS)
    with pytest.raises(CheckpointError, match=f"{name} holds I8, and weights are floats"):
        checkpoint.load(folder)


def test_no_damage_to_what_was_measured_keeps_a_model_from_loading(folder: Path) -> None:
    own = checkpoint.load(folder).hash
    write_heads(folder, own, MeasuredHeads({"means": np.zeros((50, 9))}, {"sentences": 3}))
    path, draw = folder / HEADS, random.Random(1)
    whole = path.read_bytes()
    for _ in range(200):
        damaged = bytearray(whole)
        damaged[draw.randrange(len(whole))] ^= 1 << draw.randrange(8)
        path.write_bytes(damaged)
        read_heads(folder, own)
    path.write_bytes(whole[: len(whole) // 2])
    assert checkpoint.load(folder).heads is None


def test_the_command_verifies_all_that_is_installed(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("HEADLIGHT_CHECKPOINTS", str(folder.parent))
    assert main(["models", "--verify"]) == 0
    assert "tiny" in capsys.readouterr().out
    (folder / TOKENIZER).write_bytes((folder / TOKENIZER).read_bytes() + b"\0")
    assert main(["models", "--verify"]) == 1
    assert f"{TOKENIZER}: the file is not what it was" in capsys.readouterr().out


def test_a_deeply_nested_configuration_is_a_sentence(folder: Path) -> None:
    (folder / CONFIG).write_text("[" * 100_000, encoding="utf-8")
    with pytest.raises(CheckpointError, match=CONFIG):
        checkpoint.load(folder)


@pytest.mark.parametrize(
    ("part", "value"),
    [("title", None), ("title", {"en": 3}), ("examples", "I"), ("scores", 1), ("about", [])],
)
def test_a_card_of_another_form_is_named(folder: Path, part: str, value: object) -> None:
    content = json.loads((folder / CONFIG).read_text(encoding="utf-8"))
    content["card"][part] = value
    (folder / CONFIG).write_text(json.dumps(content), encoding="utf-8")
    with pytest.raises(CheckpointError, match=f'"{part}" of the card must be'):
        checkpoint.read_card(folder)


def test_measures_that_would_swell_are_left(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    own = checkpoint.load(folder).hash
    write_heads(folder, own, MeasuredHeads({"a": np.zeros(100_000)}, {}))
    assert read_heads(folder, own) is not None
    # As with a megabyte that holds gigabytes: nothing of it is inflated.
    monkeypatch.setattr(arrays, "MOST", 100_000)
    monkeypatch.setattr(np, "load", None)
    assert read_heads(folder, own) is None
    assert checkpoint.load(folder).heads is None
