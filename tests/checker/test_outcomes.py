"""The first line of a report, what its words depend on, and the forms that programs read."""

import json
from pathlib import Path

import pytest
import torch
from torch import Tensor, nn

from tests.checker.bugs import batch
from tests.checker.mutations import examine, mutations
from tests.checker.zoo_classic import Classic
from tests.checker.zoo_compact import Compact
from transformer import check
from transformer.__main__ import main


class LastOnly(nn.Module):
    """Gives the logits of the last position alone, and no loss where none is asked for."""

    def __init__(self) -> None:
        super().__init__()
        self.body = Compact(layers=1)

    def forward(self, ids: Tensor) -> tuple[Tensor, None]:
        return self.body(ids)[:, [-1]], None


class Raises(Compact):
    def forward(self, ids: Tensor) -> Tensor:
        raise ValueError("no mask was given" if len(ids) else "")


@pytest.mark.parametrize(
    ("language", "first"),
    [
        ("en", "LastOnly could not be examined: it returned (float32 [4, 1, 23], None), where"),
        ("zh", "LastOnly 无法检查：它返回的是 (float32 [4, 1, 23], None)，其中"),
        (
            "fr",
            "LastOnly n’a pas pu être examiné\u202f: il a renvoyé (float32 [4, 1, 23], None), où",
        ),
    ],
)
def test_what_could_not_be_examined_says_why_and_what_to_do(language: str, first: str) -> None:
    report = check(LastOnly(), batch()[1], language=language)
    assert str(report).startswith(first)
    assert "call=" in str(report)
    assert "future_leak" not in str(report)
    assert "\n" not in str(report)


def test_an_error_of_the_module_is_the_reason() -> None:
    report = check(Raises(layers=1), batch()[1])
    assert str(report).startswith(
        "Raises could not be examined: the call failed with ValueError: no mask was given. "
    )


def test_where_nothing_was_found_it_says_of_how_many() -> None:
    torch.manual_seed(0)
    report = check(Compact(layers=1), batch()[1])
    assert report.headline == (
        f"Compact: nothing wrong was found in {report.judged} codes judged; "
        "6 were not judged because no loss= was given."
    )
    assert 25 < report.judged < 40


def test_without_a_known_attention_most_of_it_is_said_to_be_open() -> None:
    class Recurrent(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.words, self.run, self.out = nn.Embedding(23, 8), nn.GRU(8, 8), nn.Linear(8, 23)

        def forward(self, ids: Tensor) -> Tensor:
            return self.out(self.run(self.words(ids).transpose(0, 1))[0].transpose(0, 1))

    torch.manual_seed(0)
    report = check(Recurrent(), batch()[1])
    assert report.codes == ()
    assert "most of them because no attention could be recorded" in report.headline


def evidence(file: str, code: str, at: int = 0) -> tuple[str, str, str]:
    mutation = [each for each in mutations(file) if each.code == code][at]
    (finding,) = examine(mutation).findings
    return finding.sentence, finding.evidence, finding.hint


def test_names_and_hints_go_by_what_was_seen() -> None:
    _, text, _ = evidence("small_gpt", "softmax_axis")
    assert "softmax(dim=1) of scores [3, 4, 6, 6] runs over the heads" in text
    _, text, _ = evidence("small_gpt", "key_from_query")
    assert "h.0.attn.c_attn.weight makes both the queries and the keys" in text
    sentence, _, hint = evidence("small_gpt", "shared_layers")
    assert "one object" in sentence
    assert "deepcopy" not in hint
    _, text, hint = evidence("this_year", "future_leak", 4)
    assert "no attention gives weight to a later key" in text
    assert "triu" not in text + hint
    assert "tril" not in hint


def test_one_parameter_is_one_parameter() -> None:
    _, text, _ = evidence("this_year_pairs", "parameter_unused")
    assert text == "One parameter is not read: heads.next.weight."


def test_both_names_of_a_tied_matrix_are_told() -> None:
    model = Classic(layers=1)
    attention = model.get_submodule("decoder.0.attention")
    linears = [name for name, part in attention.named_children() if isinstance(part, nn.Linear)]
    getattr(attention, linears[1]).weight = getattr(attention, linears[0]).weight
    report = check(model, *batch())
    (text,) = [f.evidence for f in report.findings if f.code.endswith("_from_query")]
    assert f"{linears[0]}.weight makes the queries and" in text
    assert f"{linears[1]}.weight the keys" in text


def test_an_encoder_that_reads_the_target_is_no_mask_s_fault() -> None:
    class Confused(Classic):
        def forward(self, src: Tensor, tgt: Tensor) -> Tensor:
            return super().forward(tgt[: len(src)], tgt)

    torch.manual_seed(0)
    report = check(Confused(layers=1), *batch())
    (leak,) = [f for f in report.findings if f.code == "future_leak"]
    assert "The source’s ids are never read" in leak.evidence
    assert leak.hint.startswith("No mask is at fault")


def test_for_a_diff_on_github_and_for_code_scanning(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(Path(__file__).parents[2])
    torch.manual_seed(1)
    report = check(Classic("future_leak", layers=1), *batch())
    path = tmp_path / "report.json"
    report.save(path)
    assert main(["report", str(path), "--format", "github"]) == 1  # an error, so a build stops
    (line,) = capsys.readouterr().out.splitlines()
    start, _, message = line.removeprefix("::error ").partition("::")
    options = dict(each.split("=") for each in start.split(","))
    assert options["file"] == "tests/checker/zoo_classic.py"
    assert options["title"] == "future_leak"
    source = Path(options["file"]).read_text(encoding="utf-8").splitlines()
    assert "def forward" in source[int(options["line"]) - 1]
    assert message.startswith("A target position can see later ones")
    report.save(tmp_path / "report.sarif")
    sarif = json.loads((tmp_path / "report.sarif").read_text(encoding="utf-8"))
    ((result,),) = [run["results"] for run in sarif["runs"]]
    assert (sarif["version"], result["ruleId"], result["level"]) == (
        "2.1.0",
        "future_leak",
        "error",
    )
    place = result["locations"][0]["physicalLocation"]
    assert place["artifactLocation"]["uri"] == options["file"]
    assert place["region"]["startLine"] == int(options["line"])
    assert main(["report", str(path), "--format", "sarif"]) == 1
    assert json.loads(capsys.readouterr().out) == sarif


@pytest.mark.parametrize("text", ["{", "[]", '{"format": "headlight-trace"}'])
def test_what_is_no_report_is_one_sentence(
    text: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "other.json"
    path.write_text(text, encoding="utf-8")
    assert main(["report", str(path), "--format", "github"]) == 2
    assert capsys.readouterr().err.startswith("error: ")


class Unpadded(nn.Module):
    """A pair, a decoder (without a source) or an encoder that was never given any padding."""

    def __init__(self, *, causal: bool = True) -> None:
        super().__init__()
        self.causal = causal
        self.words, self.places = nn.Embedding(23, 16), nn.Embedding(32, 16)
        self.pair = nn.Transformer(16, 4, 1, 1, 32, 0.0, batch_first=True)
        self.head = nn.Linear(16, 23)

    def forward(self, src: Tensor, tgt: Tensor | None = None) -> Tensor:
        x = self.words(src) + self.places(torch.arange(src.size(1)))
        if tgt is None:
            later = torch.ones(src.size(1), src.size(1)).triu(1).bool() if self.causal else None
            return self.head(self.pair.encoder(x, later))
        y = self.words(tgt) + self.places(torch.arange(tgt.size(1)))
        later = torch.ones(tgt.size(1), tgt.size(1)).triu(1).bool()
        return self.head(self.pair(x, y, tgt_mask=later))


def test_without_padding_nothing_is_said_of_it() -> None:
    torch.manual_seed(0)
    src, tgt = (torch.randint(3, 23, (4, length)) for length in (9, 8))

    def loss(module: nn.Module, ids: Tensor) -> Tensor:
        return nn.functional.cross_entropy(module(ids[:, :-1]).mT, ids[:, 1:])

    of_pair = check(Unpadded(), src, tgt)
    of_encoder = check(Unpadded(causal=False), src, kind="encoder")
    of_decoder = check(Unpadded(), tgt, loss=loss)
    assert of_pair.codes == of_encoder.codes == of_decoder.codes == ()
    for report, code in (
        (of_pair, "padding_attended"),
        (of_encoder, "padding_attended"),
        (of_decoder, "pad_in_loss"),
    ):
        assert "holds no padding" in report.reasons[code]
    src[0, 7:] = tgt[0, 6:] = 0
    assert check(Unpadded(), src, tgt).codes == ("padding_attended",)
    assert check(Unpadded(), tgt, loss=loss).codes == ("pad_in_loss",)


def test_a_word_of_the_padding_s_number_is_a_word() -> None:
    torch.manual_seed(0)
    ids = torch.randint(1, 23, (4, 8))
    ids[0, 3] = ids[1, 7] = ids[2, 4] = 0

    def loss(module: nn.Module, ids: Tensor) -> Tensor:
        return nn.functional.cross_entropy(module(ids[:, :-1]).mT, ids[:, 1:])

    assert check(Unpadded(), ids, loss=loss).codes == ()


class Convolved(Unpadded):
    """Its masks are right, and a convolution mixes padding into the words beside it."""

    def __init__(self) -> None:
        super().__init__()
        self.mix = nn.Conv1d(16, 16, 3, padding=1)

    def forward(self, src: Tensor, tgt: Tensor | None = None) -> Tensor:
        assert tgt is not None
        x = self.words(src) + self.places(torch.arange(src.size(1)))
        away = src == 0
        x = self.pair.encoder(x, src_key_padding_mask=away)
        x = x + self.mix(x.mT).mT
        y = self.words(tgt) + self.places(torch.arange(tgt.size(1)))
        later = torch.ones(tgt.size(1), tgt.size(1)).triu(1).bool()
        return self.head(self.pair.decoder(y, x, tgt_mask=later, memory_key_padding_mask=away))


@pytest.mark.filterwarnings("ignore:enable_nested_tensor is True")
def test_a_hint_names_a_mask_where_one_is_wrong_alone() -> None:
    torch.manual_seed(0)
    (finding,) = check(Convolved(), *batch()).findings
    assert finding.code == "padding_attended"
    assert "no attention gives padding any weight" in finding.evidence
    assert finding.hint.startswith("The masks are right")
