"""`sweep` and `heads`, as a user meets them."""

import csv
import json
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest

from tests.tiny import tiny_checkpoint
from transformer import Tokenizer, Translator, checkpoint, inside
from transformer.__main__ import main
from transformer.trace.kinds import KINDS

LINES = [("I love you.", "我爱你。"), ("Where is the station?", "车站在哪里？"), ("Good", "好")]


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, tokenizer: Tokenizer, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("HEADLIGHT_CHECKPOINTS", str(tmp_path))
    checkpoint.save(tmp_path / "tiny", tiny_checkpoint(tokenizer, max_length=40))
    alone = tiny_checkpoint(tokenizer, max_length=40, num_encoder_layers=0)
    checkpoint.save(tmp_path / "alone", alone)
    (tmp_path / "pairs.tsv").write_text("".join(f"{a}\t{b}\n" for a, b in LINES) + "\n")
    return tmp_path


def test_sweep_is_short_for_ask_sweep(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["sweep", "I love you.", "--model", "tiny"]) == 0
    printed = json.loads(capsys.readouterr().out)
    translator = Translator.load("tiny")
    swept = inside.sweep(translator, translator.trace("I love you."))
    assert printed["unit"] == "nats"
    assert swept.cross is not None
    assert np.array(printed["cross"]) == pytest.approx(swept.cross, abs=1e-5)


def test_a_model_is_described_station_by_station(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Over two files, one of which has columns of its own."""
    more = folder / "more.tsv"
    more.write_text("0\tGood morning\t早上好\n", encoding="utf-8")
    command = ["describe", "tiny", "--data", str(folder / "pairs.tsv"), f"{more}:2,3"]
    assert main([*command, "--json"]) == 0
    card = json.loads(capsys.readouterr().out)
    assert list(card) == ["heads", "lexicon", "start"]
    assert card["lexicon"]["pairs"] == len(LINES) + 1
    assert card["start"] is None
    assert main(command) == 0
    printed = capsys.readouterr().out
    assert "Over 4 sentences" in printed
    assert f"from {len(LINES) + 1} pairs" in printed
    assert Translator.load("tiny").lexicon is None, "nothing is kept unasked"


def test_heads_measures_a_file(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = folder / "heads.csv"
    command = [
        "describe",
        "tiny",
        "--only",
        "heads",
        "--data",
        str(folder / "pairs.tsv"),
        "--out",
        str(out),
    ]
    assert main([*command, "--json"]) == 0
    printed = json.loads(capsys.readouterr().out)["heads"]
    translator = Translator.load("tiny")
    expected = inside.statistics_over([translator.trace(*line) for line in LINES])
    assert len(printed) == 24
    row = next(row for row in printed if (row["kind"], row["head"]) == ("cross", "L2H3"))
    assert expected.cross is not None
    assert row["entropy"] == pytest.approx(expected.cross.entropy[1, 2], abs=1e-5)
    assert row["end"] == pytest.approx(expected.cross.shares["end"][1, 2], abs=1e-5)
    assert row["end_by_chance"] == pytest.approx(expected.cross.by_chance["end"])
    with out.open(encoding="utf-8") as file:
        saved = list(csv.DictReader(file))
    assert [r["head"] for r in saved] == [r["head"] for r in printed]
    assert float(saved[-1]["sharpness"]) == printed[-1]["sharpness"]


def test_heads_prints_a_line_a_head(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["describe", "tiny", "--only", "heads", "--data", str(folder / "pairs.tsv")]) == 0
    printed = capsys.readouterr().out
    lines = [line.split() for line in printed.splitlines()]
    assert sum(line[0] in KINDS for line in lines if line) == 24
    assert "Over 3 sentences" in printed


def test_a_source_alone_is_translated(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = folder / "sources.txt"
    file.write_text("\ufeffI love you.\nGood\n" + "love " * 40 + "\n", encoding="utf-8")
    assert main(["describe", "tiny", "--only", "heads", "--data", str(file), "--json"]) == 0
    output = capsys.readouterr()
    assert "1 lines left out as too long" in output.err
    translator = Translator.load("tiny")
    traces = [translator.trace("I love you."), translator.trace("Good")]
    expected = inside.statistics_over(traces).cross
    assert expected is not None
    row = next(row for row in json.loads(output.out)["heads"] if row["kind"] == "cross")
    assert row["entropy"] == pytest.approx(expected.entropy[0, 0], abs=1e-4)


def test_a_decoder_alone_reads_text(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = folder / "text.txt"
    file.write_text("I love you.\n\nGood morning\n", encoding="utf-8")
    assert main(["describe", "alone", "--data", str(file), "--json"]) == 0
    output = json.loads(capsys.readouterr().out)
    assert list(output) == ["heads"], "a decoder alone has no words of two languages"
    assert {row["kind"] for row in output["heads"]} == {"decoder_self"}


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (b"a\tb\tc\n", "line 1 has 3 columns"),
        (b"good\n\xff\n", "line 2: not UTF-8"),
        (b"\n\n", "no sentence that tiny can read"),
    ],
)
def test_what_cannot_be_used_is_named(
    folder: Path, capsys: pytest.CaptureFixture[str], content: bytes, sentence: str
) -> None:
    (folder / "bad.tsv").write_bytes(content)
    assert main(["describe", "tiny", "--data", str(folder / "bad.tsv")]) == 2
    assert sentence in capsys.readouterr().err


def test_wrong_options_end_with_a_sentence(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    command = ["describe", "tiny", "--only", "heads", "--data", str(folder / "pairs.tsv")]
    assert main([*command, "--out", "heads.txt"]) == 2
    assert ".parquet" in capsys.readouterr().err
    if find_spec("pyarrow") is None:
        assert main([*command, "--out", "heads.parquet"]) == 2
        assert "pip install pyarrow" in capsys.readouterr().err
    assert main(["describe", "tiny", "--data", str(folder / "none.tsv")]) == 2
    assert "none.tsv" in capsys.readouterr().err
    assert main(["describe", "tiny"]) == 2
    assert "--data FILE" in capsys.readouterr().err
    lexicon = ["describe", "alone", "--only", "lexicon", "--data", str(folder / "pairs.tsv")]
    assert main(lexicon) == 2
    assert "no source" in capsys.readouterr().err


def test_ask_prints_any_analysis_as_json(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["ask", "gradients", "I love you.", "step=1", "--model", "tiny"]) == 0
    printed = json.loads(capsys.readouterr().out)
    translator = Translator.load("tiny")
    gradients = inside.gradients(translator, translator.trace("I love you."), 1)
    np.testing.assert_allclose(printed["source"], gradients.source, atol=1e-5)
    assert printed["emitted"] == gradients.emitted
    assert (
        main(["ask", "effect", "I love you.", 'interventions=["cross=zero"]', "--model", "tiny"])
        == 0
    )
    capsys.readouterr()
    for options in (["step"], ["step=x"], ["other=1"]):
        assert main(["ask", "gradients", "I love you.", *options, "--model", "tiny"]) == 2
