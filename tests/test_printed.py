"""The command line where output is no UTF-8: a pipe or a file of Windows, or the C locale."""

import io
import json
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
import torch
from torch import nn

from tests.checkpoint.marian import SHAPES, save_marian
from tests.tiny import tiny_checkpoint
from tests.training.runs import write_corpus
from transformer import Tokenizer, Translator, check, checkpoint
from transformer.__main__ import COMMANDS, main
from transformer.printed import PLAIN, print_safely
from transformer.trace.trace import AttentionTrace

SENTENCE = "我爱你。"

Run = Callable[..., str]


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, tokenizer: Tokenizer, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("HEADLIGHT_CHECKPOINTS", str(tmp_path / "checkpoints"))
    tiny = tiny_checkpoint(tokenizer, max_length=64)
    tiny.card.update(title={"en": "Chinese → 中文"}, examples=[SENTENCE])
    checkpoint.save(tmp_path / "checkpoints" / "tiny", tiny)
    (tmp_path / "pairs.tsv").write_text(f"{SENTENCE}\tI love you.\n", encoding="utf-8")
    return tmp_path


@pytest.fixture(params=["cp1252", "ascii"])
def printed(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Run:
    """Runs a command with such streams; what it has written there."""

    def run(*arguments: str, status: int = 0) -> str:
        for name in ("stdout", "stderr"):
            stream = io.TextIOWrapper(io.BytesIO(), encoding=request.param, write_through=True)
            monkeypatch.setattr(sys, name, stream)
        try:
            ended = main([*arguments])
        except SystemExit as leaving:
            ended = leaving.code
        assert ended == status
        out, err = sys.stdout, sys.stderr
        assert isinstance(out, io.TextIOWrapper)
        assert isinstance(err, io.TextIOWrapper)
        return "".join(
            each.buffer.getvalue().decode(request.param)
            for each in (out, err)
            if isinstance(each.buffer, io.BytesIO)
        )

    return run


def test_every_command_explains_itself(printed: Run) -> None:
    for command in ("trace", "translate", "import-marian", "models", *COMMANDS):
        assert "usage" in printed(command, "--help")


def test_what_is_traced_and_translated_is_printed(printed: Run, folder: Path) -> None:
    tiny = ("--model", "tiny")
    output = printed("trace", SENTENCE, *tiny, "--max-steps", "4")
    translation = Translator.load("tiny").translate(SENTENCE, 4)
    assert any(f"{arrow} {translation[0]}" in output for arrow in ("→", "->")) or "\\u" in output
    assert printed("translate", str(folder / "pairs.tsv"), *tiny, "--max-steps", "4")
    assert "tiny" in printed("models")
    assert "\\U0001f600" in printed("translate", "😀.txt", *tiny, status=2)
    assert printed("sweep", SENTENCE, *tiny)
    assert printed("describe", "tiny", "--only", "start", status=1)
    assert "other sentences" in printed("teach", SENTENCE, "I love you.", *tiny, "--steps", "1")
    assert "sentences: 1" in printed("evaluate", *tiny, "--data", str(folder / "pairs.tsv"))
    for language in ("en", "zh"):
        assert printed("course", str(folder / language), "--language", language)


@pytest.mark.filterwarnings("ignore:Recommended. pip install sacremoses")
def test_what_is_measured_built_and_imported_is_printed(printed: Run, folder: Path) -> None:
    pairs = str(folder / "pairs.tsv")
    output = printed("describe", "tiny", "--data", pairs)
    assert "encoder_self" in output
    assert "words of the source" in output
    assert printed("site", str(folder / "站.html"), "--models", "tiny")
    assert (folder / "站.html").is_file()
    save_marian(folder / "模型", **SHAPES["2+2 tied swish"])
    assert "--model" in printed("import-marian", str(folder / "模型"), "译")
    assert checkpoint.find("译")
    torch.manual_seed(1)
    layer = nn.TransformerEncoderLayer(16, 2, 32, batch_first=True)
    module = nn.Sequential(nn.Embedding(20, 16), layer, nn.Linear(16, 20))
    check(module, torch.randint(3, 20, (4, 8)), language="zh").save(folder / "报告.json")
    for form in ("text", "json", "sarif", "github"):
        assert printed("report", str(folder / "报告.json"), "--format", form, status=1)


def test_what_a_program_reads_is_the_same_everywhere(printed: Run) -> None:
    output = printed("trace", SENTENCE, "--model", "tiny", "--json")
    assert AttentionTrace.from_dict(json.loads(output)).source == SENTENCE
    [model] = json.loads(printed("models", "--json"))
    assert model["card"]["title"]["en"] == "Chinese → 中文"
    assert json.loads(printed("sweep", SENTENCE, "--model", "tiny"))
    teach = ["teach", SENTENCE, "I love you.", "--steps", "1"]
    assert json.loads(printed(*teach, "--model", "tiny", "--json"))
    asked = printed("ask", "leave_one_out", SENTENCE, "--model", "tiny")
    assert json.loads(asked)


def test_a_model_is_trained_and_saved(printed: Run, folder: Path) -> None:
    corpus = write_corpus(folder)
    command = ["train", "toy", "--runs", str(folder / "运行")]
    command += ["--train", str(corpus / "train.tsv"), "--dev", str(corpus / "dev.tsv")]
    command += ["--vocab-size", "66", "--num-layers", "1", "--d-model", "16", "--num-heads", "2"]
    command += ["--d-ff", "16", "--max-length", "16", "--batch-tokens", "200", "--steps", "1"]
    command += ["--eval-every", "1", "--warmup", "1"]
    assert "translate --model toy" in printed(*command)
    assert checkpoint.load(checkpoint.find("toy")).name == "toy"


@pytest.mark.parametrize("encoding", ["cp1252", "ascii"])
@pytest.mark.parametrize("language", ["en", "zh"])
def test_a_report_is_printed_by_whoever_checks_a_module(
    encoding: str, language: str, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    torch.manual_seed(1)
    layer = nn.TransformerEncoderLayer(16, 2, 32, batch_first=True)
    module = nn.Sequential(nn.Embedding(20, 16), layer, nn.Linear(16, 20))
    report = check(module, torch.randint(3, 20, (4, 8)), language=language)
    assert report.findings
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(io.BytesIO(), encoding=encoding))
    sys.stdout.write(f"{report}\n")
    # The page that is written for others is not made of what this stream could not hold.
    report.save(folder / "report.html")
    assert "→" in (folder / "report.html").read_text(encoding="utf-8")


def test_signs_of_ours_are_readable_in_ascii(monkeypatch: pytest.MonkeyPatch) -> None:
    stream = io.TextIOWrapper(io.BytesIO(), encoding="ascii", write_through=True)
    monkeypatch.setattr(sys, "stdout", stream)
    print_safely()
    stream.write("".join(PLAIN) + " 好\ud800\n")
    assert isinstance(stream.buffer, io.BytesIO)
    assert stream.buffer.getvalue().decode() == "".join(PLAIN.values()) + " \\u597d\\ud800\n"
