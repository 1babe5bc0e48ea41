"""Whole training runs, small enough to take a second or two."""

import csv
import json
import math
import os
import signal
import socket
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import torch
import torch.nn.functional as F
from safetensors.torch import load_file

from tests.training.runs import trained
from transformer import Translator, checkpoint
from transformer.__main__ import main
from transformer.training import loop, precision
from transformer.training.data import Text, read_pairs
from transformer.training.errors import TrainingError
from transformer.training.evaluate import measure
from transformer.training.history import History
from transformer.training.loop import Trainer
from transformer.training.precision import Bfloat16Linear, linear_precision
from transformer.training.publish import publish
from transformer.training.recipe import Optimizer, Recipe


@pytest.fixture(params=["fp32", "bf16"])
def either_processor(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """What "auto" means on a processor that multiplies bf16, and on one that does not."""
    monkeypatch.setattr(precision, "multiplies_bf16", lambda _device: request.param == "bf16")


def same(one: Any, other: Any) -> bool:
    """Bit for bit, through dicts and lists of tensors."""
    if isinstance(one, torch.Tensor):
        return torch.equal(one, other)
    if isinstance(one, dict):
        return one.keys() == other.keys() and all(same(one[key], other[key]) for key in one)
    if isinstance(one, list):
        return len(one) == len(other) and all(map(same, one, other))
    return one == other


def without_times(curve: list[dict[str, float]]) -> list[dict[str, float]]:
    timed = ("minutes", "tokens_per_second")
    return [{name: row[name] for name in row if name not in timed} for row in curve]


@pytest.mark.usefixtures("either_processor")
def test_a_model_learns(recipe: Recipe, tmp_path: Path) -> None:
    recipe = replace(recipe, d_model=32, steps=60, eval_every=20)
    trainer = trained(recipe, tmp_path / "run")
    losses = [row["dev_loss"] for row in trainer.progress.curve]
    assert losses == sorted(losses, reverse=True)
    assert losses[-1] < 0.75 * math.log(62)  # nats a symbol, for who knows nothing
    with (tmp_path / "run" / "curve.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert [float(row["dev_loss"]) for row in rows] == losses
    assert {"step", "epoch", "train_loss", "bleu", "chrf", "tokens_per_second"} <= rows[0].keys()
    last = checkpoint.load(tmp_path / "run" / "last")
    measured = measure(Translator(last), trainer.dev)
    assert measured.loss == pytest.approx(losses[-1], abs=0.01)  # float16 in between


@pytest.mark.usefixtures("either_processor")
@pytest.mark.parametrize(("how", "optimizer"), [("killed", "adamw"), ("Ctrl-C", "muon")])
def test_a_run_goes_on_exactly_where_it_was_interrupted(
    recipe: Recipe,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    how: str,
    optimizer: Optimizer,
) -> None:
    recipe = replace(recipe, optimizer=optimizer)
    straight = trained(recipe, tmp_path / "straight")
    learn = Trainer.learn

    def interrupted(self: Trainer, batch: list[int]) -> tuple[float, int]:
        if self.progress.step == 9:
            if how == "killed":
                raise MemoryError
            signal.raise_signal(signal.SIGINT)
        return learn(self, batch)

    monkeypatch.setattr(Trainer, "learn", interrupted)
    if how == "killed":
        with pytest.raises(MemoryError):
            trained(recipe, tmp_path / "run")
    else:
        # What a shell starts in the background ignores it.
        before = signal.getsignal(signal.SIGINT)
        assert trained(recipe, tmp_path / "run").interrupted
        assert signal.getsignal(signal.SIGINT) is before
    monkeypatch.setattr(Trainer, "learn", learn)

    resumed = Trainer(recipe, tmp_path / "run")
    assert resumed.progress.step == (8 if how == "killed" else 10)
    assert not resumed.history_steps.isdisjoint(range(resumed.progress.step + 1, 13))
    resumed.run()
    assert same(resumed.model.state_dict(), straight.model.state_dict())
    assert same(resumed.optimizer.state_dict(), straight.optimizer.state_dict())
    assert without_times(resumed.progress.curve) == without_times(straight.progress.curve)
    ours, theirs = (History.load(tmp_path / name / "history.npz") for name in ("run", "straight"))
    assert ours.steps == theirs.steps == sorted(straight.history_steps)
    for step in ours.steps:
        for mine, yours in zip(ours.weights[step], theirs.weights[step], strict=True):
            assert all((mine[kind] == yours[kind]).all() for kind in yours)


def test_a_run_reads_some_sources_again_as_people_type_them(recipe: Recipe, tmp_path: Path) -> None:
    words = tmp_path / "words.tsv"
    words.write_text("head\tdaeh\n", encoding="utf-8")
    recipe = replace(recipe, train=(*recipe.train, str(words)), typo_share=1.0)
    read = [example.text for example in Trainer(recipe, tmp_path / "run").examples]
    assert read.count(Text("head", "daeh")) == 1
    [typed] = [text.source for text in read if text.target == "daeh" and text.source != "head"]
    assert typed[0] == "h"


def test_a_finished_run_has_nothing_left_to_do(recipe: Recipe, tmp_path: Path) -> None:
    first = trained(recipe, tmp_path / "run")
    again = trained(recipe, tmp_path / "run")
    assert same(again.model.state_dict(), first.model.state_dict())
    longer = trained(replace(recipe, steps=14), tmp_path / "run")
    assert longer.progress.step == 14


def test_another_recipe_does_not_go_on_with_a_run(recipe: Recipe, tmp_path: Path) -> None:
    trained(replace(recipe, steps=1), tmp_path / "run")
    with pytest.raises(TrainingError, match="started with --d-model 16, not 32"):
        Trainer(replace(recipe, d_model=32), tmp_path / "run")


def test_a_damaged_state_is_named_and_not_unpickled(recipe: Recipe, tmp_path: Path) -> None:
    trained(replace(recipe, steps=1), tmp_path / "run")
    torch.save({"model": print}, tmp_path / "run" / "state.pt")
    with pytest.raises(TrainingError, match=r"state\.pt is damaged"):
        Trainer(recipe, tmp_path / "run")


def test_a_state_is_not_unpickled_by_an_old_pytorch(
    recipe: Recipe, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    trained(replace(recipe, steps=1), tmp_path / "run")
    monkeypatch.setattr(torch, "__version__", "2.8.0")
    with pytest.raises(TrainingError, match=r"state\.pt: .* 2\.10 and newer .* goes on from it"):
        Trainer(recipe, tmp_path / "run")


@pytest.mark.slow
def test_two_processes_learn_what_one_does(recipe: Recipe, tmp_path: Path) -> None:
    # Adam and clipping would hide gradients of the wrong size.
    recipe = replace(recipe, optimizer="sgd", clip=1e9, learning_rate=0.1)
    recipe = replace(recipe, dropout=0.0, steps=5, eval_every=5, precision="fp32")
    one = trained(recipe, tmp_path / "one")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = str(free.getsockname()[1])
    program = (
        "import sys; from pathlib import Path; from transformer.training.loop import Trainer; "
        f"from transformer.training.recipe import Recipe; t = Trainer({recipe!r}, "
        "Path(sys.argv[1])); assert t.processes.count == 2; t.run(); t.end()"
    )
    shared = {"MASTER_ADDR": "127.0.0.1", "MASTER_PORT": port, "WORLD_SIZE": "2"}
    shared |= {"ACCELERATE_USE_CPU": "true", "LOCAL_WORLD_SIZE": "2"}
    processes = [
        subprocess.Popen(
            [sys.executable, "-c", program, str(tmp_path / "two")],
            env={**os.environ, **shared, "RANK": str(rank), "LOCAL_RANK": str(rank)},
            stderr=subprocess.PIPE,
            text=True,
        )
        for rank in range(2)
    ]
    for process in processes:
        _, complaints = process.communicate(timeout=100)
        assert process.returncode == 0, complaints
    two = Trainer(recipe, tmp_path / "two")
    (expected,), (row,) = one.progress.curve, two.progress.curve
    assert row["train_loss"] == pytest.approx(expected["train_loss"], abs=2e-4)
    assert row["dev_loss"] == pytest.approx(expected["dev_loss"], abs=2e-4)
    for name, parameter in two.model.named_parameters():
        torch.testing.assert_close(parameter, one.model.get_parameter(name), atol=1e-5, rtol=0)


def test_a_loss_that_is_no_number_keeps_the_last_good_state(
    recipe: Recipe, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    recipe = replace(recipe, steps=6, save_every=2)

    def poisoned(*args: Any) -> torch.Tensor:
        loss = F.cross_entropy(args[0].flatten(0, 1), args[1][:, 1:].flatten())
        return loss * (float("nan") if trainer.progress.step == 3 else 1)

    trainer = Trainer(recipe, tmp_path / "run")
    monkeypatch.setattr(loop, "cross_entropy", poisoned)
    with pytest.raises(TrainingError, match=r"no longer a number at step 4\. .*--learning-rate"):
        trainer.run()
    monkeypatch.undo()
    resumed = Trainer(replace(recipe, learning_rate=0.001), tmp_path / "run")
    assert resumed.progress.step == 2
    resumed.run()
    assert all(parameter.isfinite().all() for parameter in resumed.model.parameters())


@pytest.mark.parametrize(("seconds", "kept"), [(600, 0), (0, 3)])
def test_the_state_is_saved_when_its_time_has_come_whatever_the_steps(
    recipe: Recipe, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, seconds: float, kept: int
) -> None:
    recipe = replace(recipe, steps=6, save_every=100, eval_every=100)
    trainer = Trainer(recipe, tmp_path / "run")
    learn = trainer.learn

    def cut(batch: list[int]) -> tuple[float, int]:
        if trainer.progress.step == 3:
            raise TrainingError("the power is gone")
        return learn(batch)

    monkeypatch.setattr(loop, "SAVE_SECONDS", seconds)
    monkeypatch.setattr(trainer, "learn", cut)
    with pytest.raises(TrainingError, match="the power"):
        trainer.run()
    assert Trainer(recipe, tmp_path / "run").progress.step == kept


def test_a_vocabulary_that_the_text_does_not_support_is_refused(
    recipe: Recipe, tmp_path: Path
) -> None:
    with pytest.raises(TrainingError, match=r"--vocab-size: .* 5000 pieces: choose at most \d+"):
        Trainer(replace(recipe, vocab_size=5000), tmp_path / "run")


def test_training_stops_early_without_progress(recipe: Recipe, tmp_path: Path) -> None:
    # With a learning rate of almost nothing no measurement beats the first.
    stuck = replace(recipe, learning_rate=1e-12, steps=50, eval_every=2, patience=3)
    trainer = trained(stuck, tmp_path / "run")
    assert trainer.progress.step == trainer.history.steps[-1] == 8


@pytest.mark.usefixtures("either_processor")
def test_a_language_model_trains_on_plain_text(recipe: Recipe, tmp_path: Path) -> None:
    text = tmp_path / "text.txt"
    text.write_text("".join(f"{'ab' * (1 + i % 5)}{i}\n" for i in range(200)), encoding="utf-8")
    poet = replace(recipe, train=(str(text),), dev=str(text), decoder_only=True, vocab_size=20)
    trainer = trained(poet, tmp_path / "run")
    report = publish(tmp_path / "run", tmp_path / "poet", trainer.dev)
    assert "perplexity" in report
    loaded = checkpoint.load(tmp_path / "poet")
    assert loaded.model.config.decoder_only
    assert loaded.card["scores"]["perplexity"] < 20
    first, *_ = History.load(tmp_path / "poet" / "history.npz").weights[0]
    assert list(first) == ["decoder_self"]
    assert list(loaded.card["heads"]) == ["decoder_self"]


@pytest.mark.usefixtures("either_processor")
def test_publishing_ships_the_better_model_with_scores_and_history(
    recipe: Recipe, tmp_path: Path
) -> None:
    trainer = trained(recipe, tmp_path / "run")
    folder = tmp_path / "checkpoints" / "toy"
    publish(tmp_path / "run", folder, trainer.dev)
    shipped = checkpoint.load(folder)
    measured = measure(Translator(shipped), trainer.dev)
    assert shipped.card["scores"] == measured.figures()
    lengths = sorted(len(shipped.tokenizer.encode(e.text.source)) for e in trainer.examples)
    longest = shipped.card["longest"]
    assert sum(length > longest for length in lengths) <= len(lengths) / 100
    assert longest in lengths
    assert (folder / "history.npz").stat().st_size < 3_000_000
    assert {t.dtype for t in load_file(folder / "model.safetensors").values()} == {torch.float16}

    recent = sorted((tmp_path / "run" / "recent").iterdir())
    assert [int(path.stem) for path in recent] == [6, 12]
    mean = {k: (v + load_file(recent[1])[k]) / 2 for k, v in load_file(recent[0]).items()}
    best = checkpoint.load(tmp_path / "run" / "best").model
    candidates = [dict(best.named_parameters()), mean]
    assert any(
        all(
            torch.allclose(p, weights[name], atol=1e-3)
            for name, p in shipped.model.named_parameters()
        )
        for weights in candidates
    )

    shipped.card["title"] = {"en": "Toy", "zh": "玩具"}
    checkpoint.save(folder, shipped)
    (folder / "README.md").write_text("A card.", encoding="utf-8")
    publish(tmp_path / "run", folder, trainer.dev)
    assert checkpoint.read_card(folder)["title"] == {"en": "Toy", "zh": "玩具"}
    assert (folder / "README.md").read_text(encoding="utf-8") == "A card."


def test_the_command_trains_publishes_and_evaluates(
    corpus: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setenv("HEADLIGHT_CHECKPOINTS", str(tmp_path / "checkpoints"))
    train, dev = str(corpus / "train.tsv"), str(corpus / "dev.tsv")
    sizes = "--vocab-size 66 --num-layers 1 --d-model 16 --num-heads 2 --d-ff 16 --max-length 16"
    where = ["--runs", str(tmp_path / "runs"), "--train", train, "--dev", dev]
    assert main(["train", "toy", *where, *sizes.split(), "--steps", "3"]) == 0
    assert "Training for 3 steps" in capsys.readouterr().out
    shipped = checkpoint.read_card(tmp_path / "checkpoints" / "toy")["scores"]

    out = tmp_path / "translations.txt"
    assert main(["evaluate", "--model", "toy", "--data", dev, "--out", str(out)]) == 0
    report = dict(line.split(": ", 1) for line in capsys.readouterr().out.splitlines())
    assert {name: report[name] for name in shipped} == {k: str(v) for k, v in shipped.items()}
    lines = out.read_text(encoding="utf-8").removesuffix("\n").split("\n")
    toy = Translator.load("toy")
    assert lines == [toy.translate(text.source) for text in read_pairs(Path(dev))]
    assert main(["train", "toy", *where, *sizes.split(), "--d-ff", "8", "--steps", "3"]) == 2
    assert "--d-ff 16, not 8" in capsys.readouterr().err
    assert main(["train", "odd", *where, *sizes.split(), "--num-heads", "3"]) == 2
    assert "divisible by num_heads" in capsys.readouterr().err


def test_a_run_that_is_older_than_a_setting_goes_on_without_it(
    recipe: Recipe, tmp_path: Path
) -> None:
    path = tmp_path / "recipe.json"
    recipe.save(path)
    older = json.loads(path.read_text(encoding="utf-8"))
    del older["unlikelihood"]
    path.write_text(json.dumps(older), encoding="utf-8")
    recipe.check_continues(path)
    with pytest.raises(TrainingError, match=r"--unlikelihood 0.0, not 20"):
        replace(recipe, unlikelihood=20.0).check_continues(path)


def test_settings_that_make_no_sense_are_refused(recipe: Recipe) -> None:
    for change, name in (
        ({"steps": 0}, "--steps"),
        ({"learning_rate": 0.0}, "--learning-rate"),
        ({"label_smoothing": 1.0}, "--label-smoothing"),
        ({"unlikelihood": -1.0}, "--unlikelihood"),
        ({"unlikelihood": math.nan}, "--unlikelihood"),
        ({"schedule": "linear"}, "--schedule"),
    ):
        with pytest.raises(TrainingError, match=name):
            replace(recipe, **change)


def test_the_papers_schedule(recipe: Recipe) -> None:
    d_model, warmup = 256, 1000
    peak = (d_model * warmup) ** -0.5
    paper = replace(recipe, warmup=warmup, learning_rate=peak, schedule="inverse-sqrt")
    for step in (1, 500, 1000, 1001, 7000):
        # Vaswani et al. 2017, equation 3.
        expected = d_model**-0.5 * min(step**-0.5, step * warmup**-1.5)
        assert paper.learning_rate_at(step) == pytest.approx(expected)


def test_the_cosine_schedule_ends_at_nothing(recipe: Recipe) -> None:
    cosine = replace(recipe, warmup=10, steps=110, learning_rate=1.0, schedule="cosine")
    assert [cosine.learning_rate_at(step) for step in (5, 10, 60, 110)] == pytest.approx(
        [0.5, 1, 0.5, 0]
    )


@pytest.mark.usefixtures("either_processor")
def test_auto_is_what_the_processor_is_good_at(request: pytest.FixtureRequest) -> None:
    chosen = linear_precision("auto", torch.device("cpu"))
    assert (chosen is Bfloat16Linear) == ("bf16" in request.node.name)


def test_only_linear_layers_are_rounded_to_bf16() -> None:
    layer, x = torch.nn.Linear(64, 64), torch.randn(8, 64, requires_grad=True)
    with Bfloat16Linear():
        rounded, exact = layer(x), x @ x.T
    expected = F.linear(x.bfloat16(), layer.weight.bfloat16(), layer.bias.bfloat16())
    assert torch.equal(rounded, expected.float())
    assert torch.equal(exact, x @ x.T)
    rounded.sum().backward()
    assert layer.weight.grad is not None
    assert layer.weight.grad.dtype == torch.float32
    torch.testing.assert_close(layer.weight.grad[0], x.detach().sum(0), atol=0.1, rtol=0.05)
    assert linear_precision("bf16", torch.device("cpu")) is Bfloat16Linear
    with linear_precision("fp32", torch.device("cpu"))():
        assert torch.equal(layer(x), F.linear(x, layer.weight, layer.bias))


def test_bf16_learns_what_fp32_does(recipe: Recipe, tmp_path: Path) -> None:
    recipe = replace(recipe, steps=4, eval_every=4, dropout=0.0)
    exact = trained(replace(recipe, precision="fp32"), tmp_path / "fp32").progress.curve[0]
    rounded = trained(replace(recipe, precision="bf16"), tmp_path / "bf16").progress.curve[0]
    assert rounded["dev_loss"] == pytest.approx(exact["dev_loss"], rel=0.01)
    assert rounded["train_loss"] != exact["train_loss"]
