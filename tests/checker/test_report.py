"""What a report says, in each language, and what it saves."""

import html
import json
import re
from functools import cache
from pathlib import Path

import pytest
import torch

from tests.checker.bugs import batch
from tests.checker.zoo_classic import Classic
from transformer import check
from transformer.checker import Report
from transformer.checker.basis.clues import CODES
from transformer.checker.wording import Words

LOCALES = Path(__file__).parents[2] / "transformer" / "checker" / "locales"


@cache  # which nobody changes
def leaky(language: str = "en") -> Report:
    torch.manual_seed(1)
    return check(Classic("future_leak", layers=1), *batch(), language=language)


def test_evidence_has_numbers() -> None:
    (finding,) = leaky().findings
    assert finding.severity == "error"
    assert "Changing target token" in finding.evidence
    assert "10 of 10 cells above the diagonal are open" in finding.evidence


def test_print_names_code_sentence_and_hint() -> None:
    text = str(leaky())
    assert "[future_leak] error:" in text
    assert "torch.tril" in text
    assert "Could not be judged:" in text


def test_chinese() -> None:
    text = str(leaky("zh"))
    assert "因果掩码" in text
    assert "Changing" not in text


def test_embedding_scale_is_advice() -> None:
    torch.manual_seed(1)
    (finding,) = check(Classic("embedding_scale", layers=1), *batch()).findings
    assert finding.severity == "advice"


@pytest.mark.parametrize("language", ["zh", "fr"])
def test_every_language_has_every_text_with_the_same_numbers(language: str) -> None:
    english, other = (
        json.loads((LOCALES / f"{name}.json").read_text(encoding="utf-8"))
        for name in ("en", language)
    )
    assert english["codes"].keys() == other["codes"].keys() == set(CODES)
    assert english.keys() == other.keys()
    for part in english.keys() - {"codes"}:
        assert english[part].keys() == other[part].keys()
        for name, text in english[part].items():
            assert _holes(other[part][name]) == _holes(text), name


def _holes(text: str | dict[str, str]) -> set[str]:
    """What a text has filled in; of one with forms, what the form for many has."""
    whole = text if isinstance(text, str) else text["other"]
    return {piece.split("}")[0] for piece in whole.split("{")[1:]}


def test_saved_as_json(tmp_path: Path) -> None:
    leaky().save(tmp_path / "report.json")
    saved = json.loads((tmp_path / "report.json").read_text(encoding="utf-8"))
    assert (saved["format"], saved["version"]) == ("headlight-report", 1)
    assert saved["findings"][0]["code"] == "future_leak"
    target = saved["seen"][0]
    assert target["side"] == "tgt"
    assert target["change"][0][4] > 0  # the first position sees the last token
    kinds = {attention["kind"] for attention in saved["attention"]}
    assert kinds == {"encoder_self", "decoder_self", "cross"}
    for attention in saved["attention"]:
        assert all(abs(sum(row) - 1) < 1e-4 for head in attention["weights"] for row in head)


def test_a_page_of_its_own_holds_the_whole_report_and_its_text_is_no_markup(tmp_path: Path) -> None:
    class Sly(Classic):
        pass

    Sly.__name__ = "</script><img src=x onerror=alert(1)>"
    torch.manual_seed(1)
    report = check(Sly("future_leak", layers=1), *batch())
    report.save(tmp_path / "report.html")
    page = (tmp_path / "report.html").read_text(encoding="utf-8")
    (values,) = re.findall(r'id="headlight-report">([^<]*)</script>', page)
    assert json.loads(values) == json.loads(json.dumps(report.to_dict()))
    assert "<img" not in page
    assert not re.search(r"(src|href)\s*=\s*[\"'](?!data:)", page)
    # Who has no JavaScript reads it, and a notebook shows the same page in a sandbox.
    assert f"<noscript><pre>{html.escape(str(report))}</pre></noscript>" in page
    frame = report._repr_html_()
    assert 'sandbox="allow-scripts' in frame
    assert html.escape(page) in frame


def test_beside_a_finding_stands_what_shows_it() -> None:
    (finding,) = leaky().to_dict()["findings"]
    assert finding["picture"] == {"seen": 0}  # the target's side
    torch.manual_seed(1)
    report = check(Classic("mask_after_softmax", layers=2), *batch())
    (finding,) = report.to_dict()["findings"]
    heads = [recorded for recorded in report.attention for _ in recorded.weights]
    assert heads[finding["picture"]["head"]].place in finding["evidence"]


def test_the_visibility_of_a_correct_model_is_causal() -> None:
    torch.manual_seed(1)
    target = check(Classic(layers=1), *batch()).seen[0]
    for row, changes in enumerate(target.change):
        assert all((change > 0) == (column <= row) for column, change in enumerate(changes))


def test_unknown_language_is_refused() -> None:
    with pytest.raises(ValueError, match="language must be one of en, zh, fr"):
        Words("de")


def test_wrong_arguments_are_refused_in_words() -> None:
    src, tgt = batch()
    model = Classic(layers=1)
    with pytest.raises(TypeError, match="token ids"):
        check(model, src.float(), tgt)
    with pytest.raises(ValueError, match=r"\[batch, length\]"):
        check(model, src[0], tgt[0])
    with pytest.raises(ValueError, match="as many"):
        check(model, src[:2], tgt)
