import dataclasses
import importlib
import json
import re
import sys
from importlib.metadata import PackageNotFoundError
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest
import torch

from transformer import HeadlightError, Translator
from transformer.show import bertviz as module
from transformer.show.bertviz import (
    PACKAGES,
    THEMES,
    bertviz_html,
    bertviz_installed,
    view_parameters,
)
from transformer.trace.kinds import KINDS
from transformer.trace.trace import AttentionTrace

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def trace(translator: Translator) -> AttentionTrace:
    return translator.trace("I love you.", max_steps=5, top_k=3)


class Shown:
    """Stands for IPython's `HTML` and `Javascript`, which hold what they are given."""

    def __init__(self, data: str) -> None:
        self.data = data


@pytest.fixture
def bertvizs_own(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """The installed BertViz, whose Python imports IPython for a notebook to show its pages in."""
    display: Any = ModuleType("IPython.display")
    display.display, display.HTML, display.Javascript = print, Shown, Shown
    monkeypatch.setitem(sys.modules, "IPython", ModuleType("IPython"))
    monkeypatch.setitem(sys.modules, "IPython.display", display)
    return importlib.import_module("bertviz")


@pytest.mark.filterwarnings("ignore:unclosed file")  # it leaves its own template open
@pytest.mark.filterwarnings("ignore:Exception ignored in:pytest.PytestUnraisableExceptionWarning")
@pytest.mark.parametrize("view", ["head", "model"])
def test_the_views_get_what_bertviz_gives_them(
    trace: AttentionTrace, bertvizs_own: ModuleType, view: str
) -> None:
    tensors = {kind: torch.tensor(trace.weights(kind)) for kind in KINDS}
    page = getattr(bertvizs_own, f"{view}_view")(
        encoder_attention=[layer[None] for layer in tensors["encoder_self"]],
        decoder_attention=[layer[None] for layer in tensors["decoder_self"]],
        cross_attention=[layer[None] for layer in tensors["cross"]],
        encoder_tokens=list(trace.src),
        decoder_tokens=list(trace.tgt_in),
        html_action="return",
    ).data
    [given] = re.findall(r"const params = (\{.*?\}); // HACK", page)
    theirs, ours = json.loads(given), json.loads(json.dumps(view_parameters(trace, "light")))
    for their_part, our_part in zip(theirs.pop("attention"), ours.pop("attention"), strict=True):
        assert np.abs(np.array(their_part.pop("attn")) - our_part.pop("attn")).max() <= 5.1e-5
        assert our_part == their_part
    # Theirs counts layers and heads from 0. What is not in both is the other view's.
    differ = {name for name in theirs if theirs[name] != ours[name]}
    assert differ - {"display_mode"} == {"root_div_id", "include_layers"} | (
        {"include_heads"} if view == "model" else set()
    )
    assert ours["include_layers"] == [i + 1 for i in theirs["include_layers"]]


def test_the_page_asks_nobody(trace: AttentionTrace) -> None:
    for view in ("head", "model"):
        page = bertviz_html(trace, view)
        assert not re.search(r"<(script|link|img)[^>]+(src|href)", page)
        assert "default-src 'none'" in page


def test_the_colours_are_the_pages() -> None:
    css = (ROOT / "assets" / "styles" / "theme.css").read_text(encoding="utf-8")
    light, dark = css.split('[data-theme="dark"]')
    for block, colors in ((light, THEMES["light"]), (dark, THEMES["dark"])):
        for name, color in zip(("paper", "ink", "line"), colors.values(), strict=True):
            assert f"--{name}: {color};" in block


def test_no_token_ends_the_script(trace: AttentionTrace) -> None:
    hostile = "</script><script>alert(1)</script>PYTHON_PARAMS$view"
    page = bertviz_html(dataclasses.replace(trace, src=(hostile, *trace.src[1:])), "head")
    assert page.count("</script>") == bertviz_html(trace, "head").count("</script>")
    assert json.dumps(hostile).replace("<", "\\u003c") in page


def test_a_long_trace_is_refused(translator: Translator) -> None:
    trace = translator.trace("I love you.", max_steps=41)
    assert len(trace.tgt_in) == 41
    with pytest.raises(HeadlightError, match="at most 40 tokens here; this trace has 41") as error:
        bertviz_html(trace, "model")
    assert (error.value.code, error.value.details) == (
        "bertviz_too_long",
        {"length": 41, "limit": 40},
    )


def test_a_missing_package_is_named(trace: AttentionTrace, monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(name: str) -> None:
        raise PackageNotFoundError(name)

    monkeypatch.setattr(module, "distribution", missing)
    with pytest.raises(HeadlightError, match=r"pip install --no-deps bertviz==1\.4\.1") as error:
        bertviz_html(trace, "head")
    assert error.value.code == "bertviz_missing"
    assert not bertviz_installed()


def test_another_view_is_refused(trace: AttentionTrace) -> None:
    for view, theme in (("neuron", "light"), ("head", "sepia")):
        with pytest.raises(ValueError, match="there is no view"):
            bertviz_html(trace, view, theme)


def test_a_decoder_only_trace_has_one_kind(continuer: Translator) -> None:
    page = bertviz_html(continuer.trace("I love", max_steps=3), "head")
    assert '<select id="filter">' not in page


def test_the_requirements_are_what_the_sentence_names() -> None:
    lines = (ROOT / "requirements" / "bertviz.txt").read_text(encoding="utf-8").splitlines()
    assert tuple(line for line in lines if not line.startswith("#")) == PACKAGES
