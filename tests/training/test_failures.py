"""What goes wrong in a run gets a sentence, and the last good state is kept."""

import re
from dataclasses import replace
from pathlib import Path

import pytest
import torch

from tests.full_disk import no_room_for_files_over
from tests.training.runs import trained
from transformer import checkpoint
from transformer.__main__ import main
from transformer.checkpoint.whole import write_whole
from transformer.training.errors import TrainingError
from transformer.training.loop import Trainer
from transformer.training.recipe import Recipe


def test_a_disk_without_room_keeps_what_was_saved_and_the_run_goes_on(
    recipe: Recipe, tmp_path: Path
) -> None:
    straight = trained(recipe, tmp_path / "straight")
    run = tmp_path / "run"
    trained(replace(recipe, steps=6), run)
    trainer = Trainer(recipe, run)
    kept = {path: path.read_bytes() for path in run.rglob("*") if path.is_file()}
    sentence = r"cannot write to .*run: .*make room"
    with no_room_for_files_over(100), pytest.raises(TrainingError, match=sentence):
        trainer.run()
    assert {path: path.read_bytes() for path in run.rglob("*") if path.is_file()} == kept
    checkpoint.load(run / "best")

    resumed = Trainer(recipe, run)
    assert resumed.progress.step == 6
    resumed.run()
    for name, parameter in resumed.model.named_parameters():
        assert torch.equal(parameter, straight.model.get_parameter(name))


def test_a_run_is_trained_by_one_alone(
    recipe: Recipe, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run, learn = tmp_path / "run", Trainer.learn
    second = Trainer(recipe, run)
    messages: list[str] = []

    def beside_another(self: Trainer, batch: list[int]) -> tuple[float, int]:
        for begin in (second.run, lambda: Trainer(recipe, run)):
            with pytest.raises(TrainingError) as refused:
                begin()
            messages.append(str(refused.value))
        return learn(self, batch)

    monkeypatch.setattr(Trainer, "learn", beside_another)
    first = trained(replace(recipe, steps=1), run)
    assert messages == 2 * [messages[0]]
    assert messages[0].startswith(f"{run} is being trained already")
    assert first.progress.step == 1
    monkeypatch.undo()
    assert trained(replace(recipe, steps=2), run).progress.step == 2
    assert not [*run.glob(".*")]


def test_a_checkpoint_that_finds_no_room_is_told_too(
    recipe: Recipe,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    folder = tmp_path / "checkpoints"
    folder.write_text("a file where a folder should be")
    monkeypatch.setenv("HEADLIGHT_CHECKPOINTS", str(folder))
    data = ["--train", recipe.train[0], "--dev", recipe.dev]
    sizes = "--vocab-size 66 --num-layers 1 --d-model 16 --num-heads 2 --d-ff 16 --steps 2"
    assert main(["train", "toy", "--runs", str(tmp_path / "runs"), *data, *sizes.split()]) == 2
    assert f"cannot write to {folder / 'toy'}" in capsys.readouterr().err


def test_a_file_is_whole_or_as_it_was(tmp_path: Path) -> None:
    path = tmp_path / "file"
    write_whole(path, b"earlier")
    with no_room_for_files_over(100), pytest.raises(OSError, match="File too large"):
        write_whole(path, b"later" * 100)
    assert path.read_bytes() == b"earlier"
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        ("", "train.tsv is empty"),
        ("one\teno\ntwo\n", "train.tsv, line 2: a pair is two columns"),
        ("one\teno\tCC-BY 2.0\n", "line 1: a pair is two columns .* has 3"),
        ("one\teno\n", "--vocab-size: this text does not support a vocabulary of 4000 pieces"),
    ],
)
def test_data_that_cannot_be_learned_from_is_refused_in_a_sentence(
    corpus: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], content: str, sentence: str
) -> None:
    train = tmp_path / "train.tsv"
    train.write_text(content)
    data = ["--train", str(train), "--dev", str(corpus / "dev.tsv")]
    assert main(["train", "toy", "--runs", str(tmp_path / "runs"), *data]) == 2
    output = capsys.readouterr().err
    assert output.startswith("error: ")
    assert output.count("\n") == 1
    assert re.search(sentence, output), output
    assert not (tmp_path / "runs").exists()
