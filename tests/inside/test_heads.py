"""What a checkpoint ships about its heads, against the same measured by other ways."""

from pathlib import Path

import numpy as np
import pytest
import torch

from tests.tiny import tiny_checkpoint
from transformer import Tokenizer, Translator, checkpoint, inside
from transformer.__main__ import main
from transformer.checkpoint.measured_heads import HEADS
from transformer.inside.heads import shipped_statistics
from transformer.trace.kinds import KINDS

LINES = [("I love you.", "我爱你。"), ("Where is the station?", "车站在哪里？"), ("Good", "好")]


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, tokenizer: Tokenizer, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("HEADLIGHT_CHECKPOINTS", str(tmp_path))
    checkpoint.save(tmp_path / "tiny", tiny_checkpoint(tokenizer, max_length=40))
    alone = tiny_checkpoint(tokenizer, max_length=40, num_encoder_layers=0)
    checkpoint.save(tmp_path / "alone", alone)
    (tmp_path / "pairs.tsv").write_text("".join(f"{a}\t{b}\n" for a, b in LINES))
    (tmp_path / "lines.txt").write_text("".join(f"{a}\n" for a, _ in LINES))
    return tmp_path


@pytest.mark.parametrize(("name", "data"), [("tiny", "pairs.tsv"), ("alone", "lines.txt")])
def test_what_is_saved_is_what_is_measured(folder: Path, name: str, data: str) -> None:
    assert shipped_statistics(Translator.load(name)) is None
    hashed = Translator.load(name).checkpoint
    assert main(["describe", name, "--only", "heads", "--data", str(folder / data), "--save"]) == 0
    translator = Translator.load(name)
    assert translator.checkpoint == hashed
    shipped = shipped_statistics(translator)
    assert shipped is not None
    if name == "tiny":
        traces = [translator.trace(*line) for line in LINES]
    else:
        # A prompt of the whole line, and its end.
        traces = [translator.trace(a, prefix=[translator.config.eos_id]) for a, _ in LINES]
    expected = inside.statistics_over(traces)
    assert shipped.sentences == 3
    for kind in KINDS:
        mine, its = shipped.of(kind), expected.of(kind)
        assert (mine is None) == (its is None)
        if mine is None or its is None:
            continue
        assert mine.rows == its.rows
        assert mine.by_chance == pytest.approx(its.by_chance, nan_ok=True)
        assert mine.measured().keys() == its.measured().keys()
        for name_of_it, numbers in its.measured().items():
            np.testing.assert_allclose(mine.measured()[name_of_it], numbers, atol=1e-5)


def test_mean_outputs_are_those_of_the_traces(folder: Path) -> None:
    assert (
        main(["describe", "tiny", "--only", "heads", "--save", "--data", str(folder / "pairs.tsv")])
        == 0
    )
    translator = Translator.load("tiny")
    assert translator.measured_heads is not None
    recordings = [
        translator.replay(source, translator.trace(source, target).tgt_ids, (), ("attended",))
        for source, target in LINES
    ]
    for kind in KINDS:
        rows = [torch.cat(recording.at(kind, "attended")) for recording in recordings]
        expected = torch.cat(rows, dim=2).mean(2)  # [layer, head, d_head], over all positions
        mean = translator.measured_heads.arrays[f"{kind}.mean_output"]
        np.testing.assert_allclose(mean, expected, atol=1e-5)


def test_what_was_measured_of_other_weights_is_not_believed(
    folder: Path, tokenizer: Tokenizer
) -> None:
    data = str(folder / "pairs.tsv")
    assert main(["describe", "tiny", "--only", "heads", "--data", data, "--save"]) == 0
    assert Translator.load("tiny").measured_heads is not None
    checkpoint.save(folder / "tiny", tiny_checkpoint(tokenizer, seed=1, max_length=40))
    assert Translator.load("tiny").measured_heads is None
    (folder / "tiny" / HEADS).write_bytes(b"no archive")
    assert Translator.load("tiny").measured_heads is None
