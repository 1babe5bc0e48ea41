import json
import os
import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import torch
from safetensors.torch import load_file

from tests.checkpoint.damage import BROKEN, BROKEN_SHARDS
from tests.tiny import SENTENCES, random_ids, tiny_checkpoint, tiny_model
from transformer import CheckpointError, HeadlightError, Tokenizer, Translator, checkpoint
from transformer.checkpoint import CONFIG, TOKENIZER, WEIGHTS, Checkpoint
from transformer.checkpoint import weights as weights_file
from transformer.checkpoint.checksums import FILES
from transformer.checkpoint.weights import INDEX


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
    assert sorted(path.name for path in folder.iterdir()) == [CONFIG, FILES, WEIGHTS, TOKENIZER]
    content = json.loads((folder / CONFIG).read_text(encoding="utf-8"))
    assert content["model"]["d_model"] == 16
    assert content["card"]["title"] == {"en": "Tiny", "zh": "小"}
    assert "小" in (folder / CONFIG).read_text(encoding="utf-8")
    assert {tensor.dtype for tensor in load_file(folder / WEIGHTS).values()} == {torch.float16}


def test_saving_keeps_the_other_files(folder: Path, tokenizer: Tokenizer) -> None:
    (folder / "README.md").write_text("the card", encoding="utf-8")
    checkpoint.save(folder, tiny_checkpoint(tokenizer, seed=1))
    assert (folder / "README.md").read_text(encoding="utf-8") == "the card"
    assert len(list(folder.iterdir())) == 5


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

    monkeypatch.setattr(weights_file, "save_file", fail_at_weights)
    monkeypatch.setattr(Path, "write_text", fail)
    monkeypatch.setattr(Path, "write_bytes", fail)
    with pytest.raises(KeyboardInterrupt):
        checkpoint.save(folder, new)
    monkeypatch.undo()
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == before


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


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="a system without pipes in folders")
@pytest.mark.parametrize("name", [CONFIG, TOKENIZER, WEIGHTS])
@pytest.mark.parametrize("how", ["pipe", "link"])
def test_what_is_no_file_is_neither_waited_for_nor_read_for_ever(
    folder: Path, name: str, how: str
) -> None:
    (folder / name).unlink()
    if how == "pipe":
        os.mkfifo(folder / name)
    else:
        (folder / name).symlink_to("/dev/zero")
    with pytest.raises(CheckpointError, match=rf"{name}: .*missing"):
        checkpoint.load(folder)


def test_what_else_is_in_the_folder_is_none_of_its_files(folder: Path) -> None:
    (folder / "notes.json").mkdir()
    (folder / "away.model").symlink_to(folder / "nowhere")
    checkpoint.load(folder)
    checkpoint.save(folder, checkpoint.load(folder))


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
    assert checkpoint.checkpoints_folder() == Path(__file__).parents[2] / "checkpoints"


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


def two_tokenizers(tokenizer: Tokenizer, **changes: Any) -> Checkpoint:
    """A checkpoint whose target has a tokenizer of its own, with a vocabulary of another size."""
    tgt_tokenizer = Tokenizer.train(SENTENCES, 110)
    model = tiny_model(src_vocab_size=120, tgt_vocab_size=110, **changes)
    return Checkpoint("two", model, tokenizer, {}, tgt_tokenizer)


def test_each_language_may_have_a_tokenizer_of_its_own(folder: Path, tokenizer: Tokenizer) -> None:
    saved = two_tokenizers(tokenizer)
    assert saved.tgt_tokenizer
    checkpoint.save(folder, saved)
    # The shared one that was there before is gone, as it would contradict the weights.
    files = [CONFIG, FILES, WEIGHTS, "source_tokenizer.model", "target_tokenizer.model"]
    assert sorted(path.name for path in folder.iterdir()) == files
    loaded = checkpoint.load(folder)
    assert loaded.tgt_tokenizer
    assert loaded.tokenizer.to_bytes() == tokenizer.to_bytes()
    assert loaded.tgt_tokenizer.to_bytes() == saved.tgt_tokenizer.to_bytes()
    trace = Translator(loaded).trace("I love you.", max_steps=5)
    assert trace.tgt_out == tuple(loaded.tgt_tokenizer.pieces(trace.tgt_ids))

    checkpoint.save(folder, tiny_checkpoint(tokenizer))
    assert sorted(path.name for path in folder.iterdir()) == [CONFIG, FILES, WEIGHTS, TOKENIZER]


@pytest.mark.parametrize("name", ["source_tokenizer.model", "target_tokenizer.model"])
def test_a_broken_tokenizer_of_one_language_is_named(
    tmp_path: Path, tokenizer: Tokenizer, name: str
) -> None:
    checkpoint.save(tmp_path, two_tokenizers(tokenizer))
    (tmp_path / name).write_bytes(Tokenizer.train(SENTENCES, 115).to_bytes())
    with pytest.raises(CheckpointError, match="it has 115 pieces") as caught:
        checkpoint.load(tmp_path)
    assert caught.value.details["file"] == name


@pytest.fixture
def sharded(folder: Path, tokenizer: Tokenizer, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(weights_file, "SHARD_BYTES", 9000)
    checkpoint.save(folder, tiny_checkpoint(tokenizer))
    return folder


def test_weights_too_large_for_one_file_become_shards(sharded: Path, tokenizer: Tokenizer) -> None:
    assert not (sharded / WEIGHTS).exists()
    shards = sorted(path for path in sharded.glob("model-*.safetensors"))
    assert len(shards) > 2
    assert shards[0].name == f"model-00001-of-{len(shards):05}.safetensors"
    assert max(sum(t.nbytes for t in load_file(shard).values()) for shard in shards) <= 9000
    index = json.loads((sharded / INDEX).read_text(encoding="utf-8"))
    assert set(index["weight_map"].values()) == {shard.name for shard in shards}
    loaded, saved = checkpoint.load(sharded).model, tiny_checkpoint(tokenizer).model
    for name, parameter in loaded.named_parameters():
        assert torch.equal(parameter, saved.get_parameter(name).half().float())


def test_one_file_takes_the_place_of_shards(
    sharded: Path, tokenizer: Tokenizer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.undo()
    checkpoint.save(sharded, tiny_checkpoint(tokenizer))
    assert sorted(path.name for path in sharded.iterdir()) == [CONFIG, FILES, WEIGHTS, TOKENIZER]


@pytest.mark.parametrize(
    ("damage", "file", "reason"),
    [row[1:] for row in BROKEN_SHARDS],
    ids=[row[0] for row in BROKEN_SHARDS],
)
def test_broken_shards_are_refused_naming_file_and_reason(
    sharded: Path, damage: Callable[[Path], object], file: str, reason: str
) -> None:
    damage(sharded)
    with pytest.raises(CheckpointError, match=reason) as caught:
        checkpoint.load(sharded)
    assert str(caught.value.details["file"]).startswith(file)


def test_the_hash_tells_other_weights_and_no_other_card(
    folder: Path, tokenizer: Tokenizer, tmp_path: Path
) -> None:
    loaded = checkpoint.load(folder)
    assert re.fullmatch("[0-9a-f]{8}", loaded.hash)
    checkpoint.save(tmp_path, replace(loaded, card={"title": {"en": "Other"}}))
    assert checkpoint.load(tmp_path).hash == loaded.hash
    checkpoint.save(tmp_path, tiny_checkpoint(tokenizer, seed=1))
    assert checkpoint.load(tmp_path).hash != loaded.hash


@pytest.mark.parametrize(
    "heads", [[], {"self": {}}, {"cross": {"head": "L9H1", "role": "aligns"}}, {"cross": "L1H1"}]
)
def test_representative_heads_that_are_none_are_refused(folder: Path, heads: object) -> None:
    path = folder / CONFIG
    content = json.loads(path.read_text(encoding="utf-8"))
    content["card"]["heads"] = heads
    path.write_text(json.dumps(content), encoding="utf-8")
    with pytest.raises(CheckpointError, match=r"config\.json: "):
        Translator.load(folder)


def test_representative_heads_come_with_every_trace(folder: Path) -> None:
    path = folder / CONFIG
    content = json.loads(path.read_text(encoding="utf-8"))
    content["card"]["heads"] = {"cross": {"head": "L2H4", "role": "aligns", "row": "reads"}}
    path.write_text(json.dumps(content), encoding="utf-8")
    translator = Translator.load(folder)
    trace = translator.trace("I love you.")
    assert trace.heads["cross"] == ("L2H4", "aligns", "reads", None)
    assert trace.checkpoint == checkpoint.load(folder).hash


def test_whether_it_normalises_is_kept_and_changes_no_hash(
    folder: Path, tokenizer: Tokenizer
) -> None:
    before = checkpoint.load(folder)
    assert not before.normalise
    checkpoint.save(folder, replace(tiny_checkpoint(tokenizer), normalise=True))
    after = checkpoint.load(folder)
    assert after.normalise
    assert after.hash == before.hash, "addresses that people keep name it"
    config = json.loads((folder / CONFIG).read_text(encoding="utf-8"))
    (folder / CONFIG).write_text(json.dumps({**config, "normalise": "yes"}), encoding="utf-8")
    with pytest.raises(CheckpointError, match='"normalise" must be true or false'):
        checkpoint.load(folder)
