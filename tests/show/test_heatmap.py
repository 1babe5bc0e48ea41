import dataclasses
import subprocess
import sys
from typing import Any

import numpy as np
import pytest

from transformer import Translator
from transformer.trace.kinds import KINDS
from transformer.trace.trace import AttentionTrace


@pytest.fixture(scope="module")
def trace(translator: Translator) -> AttentionTrace:
    return translator.trace("I love you. 我爱你。", max_steps=5, top_k=3)


def draw(trace: AttentionTrace, kind: str, layer: int = 0, head: int = 0) -> Any:
    """`heatmap`, whose attributes Plotly does not type."""
    return trace.heatmap(kind, layer, head)


def cells_of(figure: Any) -> Any:
    """The one Plotly trace of a figure."""
    [cells] = figure.data
    return cells


def test_a_heatmap_shows_the_heads_weights(trace: AttentionTrace) -> None:
    for kind in KINDS:
        weights = trace.weights(kind)
        assert weights is not None
        cells = cells_of(draw(trace, kind, layer=1, head=2))
        shown = np.ma.masked_invalid(np.array(cells.z, float))
        assert np.abs(shown - weights[1, 2]).max() == 0
        assert (cells.zmin, cells.zmax) == (0, 1)


def test_masked_cells_are_blank_and_hatched(trace: AttentionTrace) -> None:
    figure = draw(trace, "decoder_self", layer=0, head=0)
    size = len(trace.tgt_in)
    assert (
        np.isnan(np.array(cells_of(figure).z)).tolist()
        == np.triu(np.ones((size, size)), 1).tolist()
    )
    assert not cells_of(figure).hoverongaps
    [hatch] = figure.layout.images
    assert (hatch.sizex, hatch.sizey, hatch.layer) == (size, size, "below")
    assert not draw(trace, "cross", layer=0, head=0).layout.images


def test_rows_and_columns_are_labelled(trace: AttentionTrace) -> None:
    # A real tokenizer's labels spell special tokens and marks: all of it is text.
    trace = dataclasses.replace(trace, src=("<b>I</b>", "$x$", *trace.src[2:]))
    figure = draw(trace, "cross", layer=1, head=2)
    assert figure.layout.xaxis.ticktext[:2] == ("&lt;b&gt;I&lt;/b&gt;", "&#36;x&#36;")
    assert figure.layout.xaxis.title.text == "attends to"
    reads = ["&lt;s&gt;", *trace.tgt_out]
    assert list(figure.layout.yaxis.ticktext) == [
        f"{read} → {predicts}" for read, predicts in zip(reads, trace.tgt_out, strict=False)
    ]
    assert figure.layout.yaxis.title.text == "reads → predicts"
    assert figure.layout.yaxis.autorange == "reversed"
    assert figure.layout.title.text.startswith("Cross-attention, L2H3<br>")

    encoder = draw(trace, "encoder_self", layer=0, head=0)
    assert encoder.layout.yaxis.ticktext == encoder.layout.xaxis.ticktext
    assert len(encoder.layout.xaxis.ticktext) == len(trace.src)


def test_pointing_tells_both_tokens_and_the_weight(trace: AttentionTrace) -> None:
    assert trace.cross is not None
    cells = cells_of(draw(trace, "cross", layer=1, head=2))
    assert cells.customdata[1][0] == (
        f"reads {trace.tgt_in[1]} → predicts {trace.tgt_out[1]}"
        f"<br>attends to {trace.src[0]}: <b>{trace.cross[1, 2, 1, 0]:.4f}</b>"
    )


def test_an_arrow_may_be_a_token(trace: AttentionTrace) -> None:
    trace = dataclasses.replace(trace, tgt_in=("<s>", "→", *trace.tgt_in[2:]))
    tip = cells_of(draw(trace, "cross", layer=1, head=2)).customdata[1][0]
    assert tip.startswith(f"reads → → predicts {trace.tgt_out[1]}<br>attends to ")


@pytest.mark.parametrize(
    ("kind", "layer", "head", "sentence"),
    [
        ("croß", 0, 0, "there is no kind 'croß'; the kinds are encoder_self, decoder_self, cross"),
        ("cross", 2, 0, "cross has layers 0 to 1, not 2"),
        ("cross", 0, 4, "cross has heads 0 to 3, not 4"),
        ("cross", -1, 0, "cross has layers 0 to 1, not -1"),
    ],
)
def test_what_is_not_there_is_refused(
    trace: AttentionTrace, kind: str, layer: int, head: int, sentence: str
) -> None:
    with pytest.raises(ValueError, match=sentence):
        trace.heatmap(kind, layer, head)


def test_a_decoder_only_trace_has_no_cross(continuer: Translator) -> None:
    trace = continuer.trace("I love", max_steps=3)
    with pytest.raises(ValueError, match="'tiny' has no cross: it is decoder-only"):
        draw(trace, "cross", 0, 0)
    assert len(cells_of(draw(trace, "decoder_self", 0, 0)).z) == len(trace.tgt_in)


def test_importing_the_package_does_not_import_plotly() -> None:
    script = "import sys, transformer; sys.exit('plotly' in sys.modules)"
    subprocess.run([sys.executable, "-c", script], check=True)
