"""The command line, as a user meets it: what is printed, where, and with which exit status."""

import io
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.tiny import tiny_checkpoint
from transformer import Tokenizer, Translator, checkpoint
from transformer.__main__ import main
from transformer.trace.sampling import Sampling
from transformer.trace.trace import AttentionTrace


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, tokenizer: Tokenizer, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of checkpoints with one model, `tiny`, in it."""
    monkeypatch.setenv("HEADLIGHT_CHECKPOINTS", str(tmp_path))
    checkpoint.save(tmp_path / "tiny", tiny_checkpoint(tokenizer, max_length=64))
    return tmp_path


def test_trace_prints_one_line_a_step(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["trace", "I love you.", "--model", "tiny", "--max-steps", "4"]) == 0
    trace = Translator.load("tiny").trace("I love you.", max_steps=4)
    output = capsys.readouterr().out
    steps = [line for line in output.splitlines() if line[:1].isdigit()]
    assert len(steps) == len(trace.tgt_out)
    for line, predicts, (best, *_) in zip(steps, trace.tgt_out, trace.candidates, strict=True):
        assert predicts in line
        assert f"{best.probability:.2f}" in line
    assert "limit of steps" in output


def test_trace_as_json_is_the_trace(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["trace", "I love you.", "--model", "tiny", "--json"]) == 0
    printed = AttentionTrace.from_dict(json.loads(capsys.readouterr().out))
    assert printed.tgt_out == Translator.load("tiny").trace("I love you.").tgt_out


def test_trace_saves_npz(tmp_path: Path) -> None:
    file = tmp_path / "trace.npz"
    assert main(["trace", "I love you.", "--model", "tiny", "--npz", str(file)]) == 0
    assert AttentionTrace.load(file).source == "I love you."


def test_an_intervention_changes_the_recorded_head(capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ["trace", "I love you.", "--model", "tiny", "--json"]
    assert main([*arguments, "--intervene", "cross.L2H4=zero"]) == 0
    trace = AttentionTrace.from_dict(json.loads(capsys.readouterr().out))
    assert trace.cross is not None
    assert not trace.cross[1, 3].any()
    assert trace.cross[1, 2].any()


def test_a_step_is_aimed_and_one_that_is_not_there_is_told(
    capsys: pytest.CaptureFixture[str],
) -> None:
    changes = ["--intervene", "cross@2=aim:1", "--intervene", "cross@99=aim:1"]
    assert main(["trace", "I love you.", "--model", "tiny", "--max-steps", "4", *changes]) == 0
    output = capsys.readouterr().out
    step = output.splitlines()[3]
    assert step.startswith("2 ")
    assert "I 1.00" in step
    assert "cross@99=aim:1 has no effect" in output


def test_translate_keeps_the_lines_apart(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    text = f"I love you.\n\n{'love ' * 100}\nGood morning"
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(text.encode())))
    status = main(["translate", "--model", "tiny", "--max-steps", "5"])
    captured = capsys.readouterr()
    translator = Translator.load("tiny")
    first, last = (translator.translate(s, 5) for s in ("I love you.", "Good morning"))
    assert captured.out.split("\n") == [first, "", "", last, ""]
    assert status == 2
    assert "line 3" in captured.err
    assert "64" in captured.err


def test_what_a_line_is_written_in_is_told_and_the_others_are_translated(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "text.txt"
    file.write_bytes(
        "\ufeffI love you.\n".encode() + "我爱你\n".encode("gbk") + b"Good morning\r\n"
    )
    status = main(["translate", str(file), "--model", "tiny", "--max-steps", "5"])
    captured = capsys.readouterr()
    translator = Translator.load("tiny")
    first, last = (translator.translate(s, 5) for s in ("I love you.", "Good morning"))
    assert captured.out.split("\n") == [first, "", last, ""]
    assert status == 2
    assert "line 2: not UTF-8 text" in captured.err


def test_sampling_is_asked_for_by_any_of_its_options(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    command = ["trace", "I love you.", "--model", "tiny", "--json"]
    for options, sampling in (
        ([], None),
        (["--temperature", "0.8"], Sampling(0.8)),
        (["--sample-top-k", "3", "--seed", "5"], Sampling(1.0, 3, 5)),
    ):
        assert main([*command, *options]) == 0
        trace = AttentionTrace.from_dict(json.loads(capsys.readouterr().out))
        assert trace.sampling == sampling
        expected = Translator.load("tiny").trace("I love you.", sampling=sampling)
        assert trace.tgt_ids == expected.tgt_ids

    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"I love you.\n" * 2)))
    assert main(["translate", "--model", "tiny", "--temperature", "2", "--seed", "5"]) == 0
    translator = Translator.load("tiny")
    expected = [
        translator.translate("I love you.", sampling=Sampling(2.0, seed=seed)) for seed in (5, 6)
    ]
    assert capsys.readouterr().out.splitlines() == expected
    assert len(set(expected)) == 2


def test_evaluate_prints_scores_and_writes_translations(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    data, out = tmp_path / "dev.tsv", tmp_path / "out.txt"
    data.write_text("I love you.\t我爱你。\nGood morning\t早上好\n", encoding="utf-8")
    command = ["evaluate", "--model", "tiny", "--data", str(data), "--out", str(out)]
    assert main(command) == 0
    output = capsys.readouterr().out
    assert "bleu: 0.0" in output
    assert "signature: nrefs:1|" in output
    assert "sentences: 2, 0 left out" in output
    translator = Translator.load("tiny")
    expected = [translator.translate(text) for text in ("I love you.", "Good morning")]
    assert out.read_text(encoding="utf-8").splitlines() == expected


def test_a_missing_package_is_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "sacrebleu.metrics.bleu", None)
    monkeypatch.delitem(sys.modules, "transformer.training.evaluate", raising=False)
    assert main(["evaluate", "--model", "tiny", "--data", str(tmp_path / "dev.tsv")]) == 2
    assert "sacrebleu" in capsys.readouterr().err


def test_models_lists_what_is_installed(capsys: pytest.CaptureFixture[str], folder: Path) -> None:
    (folder / "broken").mkdir()
    (folder / "broken" / "config.json").write_text("{")
    assert main(["models"]) == 0
    output = capsys.readouterr().out
    assert "tiny" in output
    assert "Tiny" in output
    assert "broken" in output
    assert main(["models", "--json"]) == 0
    names = [model["name"] for model in json.loads(capsys.readouterr().out)]
    assert names == ["broken", "tiny"]


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        (["trace", "", "--model", "tiny"], "Type a sentence"),
        (["trace", "I", "--model", "nobody"], "nobody"),
        (["trace", "I", "--model", "tiny", "--intervene", "cross.L9H1=zero"], "cross.L9H1"),
        (["trace", "I", "--model", "tiny", "--intervene", "nonsense"], "nonsense"),
        (["trace", "I", "--model", "tiny", "--npz", "no/such/folder/x.npz"], "no/such/folder"),
        (["translate", "no-such-file", "--model", "tiny"], "no-such-file"),
        (["translate", "no-such-file", "--model", "tiny", "--temperature", "0"], "not 0.0"),
    ],
)
def test_a_mistake_gets_a_sentence_and_status_2(
    arguments: list[str], named: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(arguments) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.startswith("error: ")
    assert named in captured.err
    assert len(captured.err.splitlines()) == 1


def test_runs_as_a_module() -> None:
    command = [sys.executable, "-m", "transformer", "trace", "I love you.", "--model", "nobody"]
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    assert result.returncode == 2
    assert result.stderr == "error: there is no model 'nobody'; installed: tiny\n"


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="arguments are Unicode there")
def test_what_is_typed_is_read_as_utf_8_in_the_locale_c() -> None:
    typed = "我爱你。 Où est-il ? plain"
    plain = {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
    result = subprocess.run(
        [sys.executable, "-m", "transformer", "trace", typed.encode(), "--model", "tiny", "--json"],
        capture_output=True,
        check=True,
        env={**os.environ, **plain},
    )
    assert json.loads(result.stdout)["source"] == typed


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="arguments are Unicode there")
def test_a_file_is_found_or_named_whatever_the_locale(folder: Path) -> None:
    (folder / "句子.txt").write_text("I love you.\n", encoding="utf-8")
    plain = {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}

    def translate(name: str) -> subprocess.CompletedProcess[bytes]:
        return subprocess.run(
            [sys.executable, "-m", "transformer", "translate", name.encode(), "--model", "tiny"],
            capture_output=True,
            check=False,
            cwd=folder,
            env={**os.environ, **plain},
        )

    assert translate("句子.txt").returncode == 0
    missing = translate("没有.txt")
    assert missing.returncode == 2
    assert missing.stderr == (
        b"error: no file can be called '\\u6ca1\\u6709.txt' where names are in ascii: "
        b"set PYTHONUTF8=1\n"
    )


def test_bytes_that_are_no_text_are_read_as_question_marks(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main(["trace", "I love \udcff you.", "--model", "tiny"]) == 0
    output = capsys.readouterr()
    assert output.out.startswith("tiny: I love ? you. →")
    assert not output.err
