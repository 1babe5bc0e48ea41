"""The line that tells how far a run is: over and over on a screen, now and then in a pipe."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.training.runs import write_corpus
from transformer.training.progress import ProgressLine


@pytest.mark.slow
def test_a_pipe_gets_whole_lines_and_none_between_the_samples(tmp_path: Path) -> None:
    corpus = write_corpus(tmp_path)
    command = [sys.executable, "-m", "transformer", "train", "toy", "--runs", "runs"]
    command += ["--train", str(corpus / "train.tsv"), "--dev", str(corpus / "dev.tsv")]
    command += ["--vocab-size", "66", "--num-layers", "1", "--d-model", "16", "--num-heads", "2"]
    command += ["--d-ff", "16", "--max-length", "16", "--batch-tokens", "200", "--steps", "6"]
    command += ["--eval-every", "3", "--warmup", "2"]
    root = str(Path(__file__).parents[2])
    environment = os.environ | {"HEADLIGHT_CHECKPOINTS": str(tmp_path), "PYTHONPATH": root}
    run = subprocess.run(
        command,
        cwd=tmp_path,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        check=True,
    )
    output = run.stdout.decode()
    assert "\r" not in output
    lines = output.split("\n")
    samples = [number for number, line in enumerate(lines) if " → " in line]
    assert len(samples) == 6
    for first, second, third in (samples[:3], samples[3:]):
        assert (second, third) == (first + 1, first + 2)
        assert lines[first - 1].startswith("step ")
    # A run of a second has nothing to tell between its measurements.
    assert not [line for line in lines if "tokens/s" in line]


def test_a_long_run_in_a_pipe_says_now_and_then_how_far_it_is(tmp_path: Path) -> None:
    with (tmp_path / "log").open("w+", encoding="utf-8") as log:
        now = [0.0]
        line = ProgressLine(2000, 100, file=log, clock=lambda: now[0])
        for step in range(200):
            now[0] += 0.5
            line.advance(f"loss {step}")
        line.close()
        log.seek(0)
        assert log.read().splitlines() == [
            "step 160 of 2,000, loss 59, 15 minutes to go",
            "step 220 of 2,000, loss 119, 15 minutes to go",
            "step 280 of 2,000, loss 179, 14 minutes to go",
        ]


def test_a_screen_gets_a_bar() -> None:
    class Screen:
        def __init__(self) -> None:
            self.written: list[str] = []

        def isatty(self) -> bool:
            return True

        def write(self, text: str) -> None:
            self.written.append(text)

        def flush(self) -> None:
            pass

    screen = Screen()
    line = ProgressLine(4, 0, file=screen)
    for _ in range(4):
        line.advance("loss 1.00")
    line.close()
    assert "100%" in "".join(screen.written)
    assert "loss 1.00" in "".join(screen.written)
