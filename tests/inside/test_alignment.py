"""Attention as links between words."""

import dataclasses
from typing import Any

import numpy as np
import pytest

from transformer import Translator, checkpoint
from transformer.inside.alignment import GoldLinks, alignment
from transformer.trace.trace import AttentionTrace


@pytest.fixture(scope="module")
def trace(translator: Translator) -> AttentionTrace:
    """Its cross-attention is made by hand: "I love you." → "我 爱你 。", love being two pieces."""
    real = translator.trace("I", max_steps=4)
    cross = np.zeros((1, 1, 4, 6), np.float32)
    # Reads: <s> 我 爱你 。; predicts: 我 爱你 。 </s>.
    cross[0, 0, 0] = [0.9, 0, 0, 0, 0, 0.1]
    cross[0, 0, 1] = [0.4, 0.3, 0.3, 0, 0, 0]
    cross[0, 0, 2] = [0, 0, 0, 0.2, 0.7, 0.1]
    cross[0, 0, 3] = [0, 0.1, 0.1, 0, 0, 0.8]
    cross.flags.writeable = False
    own = np.eye(4, dtype=np.float32)[None, None]
    own.flags.writeable = False
    encoder = np.eye(6, dtype=np.float32)[None, None]
    encoder.flags.writeable = False
    return dataclasses.replace(
        real,
        src=("␣I", "␣lo", "ve", "␣you", ".", "</s>"),
        src_ids=(4, 5, 6, 7, 8, 2),
        tgt_in=("<s>", "␣我", "爱你", "。"),
        tgt_out=("␣我", "爱你", "。", "</s>"),
        tgt_ids=(4, 5, 6, 2),
        candidates=((),) * 4,
        prefix_length=0,
        interventions=(),
        heads={},
        encoder_self=encoder,
        decoder_self=own,
        cross=cross,
    )


def test_the_code_of_a_language_is_no_word(trace: AttentionTrace) -> None:
    """Its links are those of the same sentence without it."""
    cross = np.pad(trace.weights("cross"), [(0, 0)] * 3 + [(1, 0)])  # pyright: ignore
    own = np.eye(7, dtype=np.float32)[None, None]
    for array in (cross, own):
        array.flags.writeable = False
    coded = dataclasses.replace(
        trace,
        src=(">>cmn_Hans<<", *trace.src),
        src_ids=(9, *trace.src_ids),
        encoder_self=own,
        cross=cross,
    )
    plain, result = (alignment(each, 0, 0, row="predicts") for each in (trace, coded))
    assert result.src_words == plain.src_words
    assert result.links == plain.links
    assert result.src_pieces[0] == (1,)


def test_the_row_that_predicts_a_word(trace: AttentionTrace) -> None:
    result = alignment(trace, 0, 0, row="predicts")
    assert result.src_words == ("I", "love", "you", ".")
    assert result.tgt_words == ("我", "爱你", "。")
    # Two pieces of one word outweigh a single stronger one: 0.3 + 0.3 > 0.4.
    assert result.links == {(0, 0), (1, 1), (3, 2)}
    np.testing.assert_allclose(result.weights[1], [0.4, 0.6, 0, 0], atol=1e-6)


def test_the_row_that_reads_a_word_stands_one_step_later(trace: AttentionTrace) -> None:
    result = alignment(trace, 0, 0, row="reads")
    assert result.links == {(1, 0), (3, 1), (1, 2)}
    np.testing.assert_allclose(result.weights[2], [0, 0.2, 0, 0], atol=1e-6)
    gold = GoldLinks(frozenset({(0, 0), (1, 1), (3, 2)}), frozenset())
    assert result.error_rate(gold) == 1
    assert alignment(trace, 0, 0, row="predicts").error_rate(gold) == 0


def test_what_was_not_read_has_no_row(trace: AttentionTrace) -> None:
    cut = dataclasses.replace(trace, tgt_out=("␣我", "爱你", "。", "␣好"))
    assert alignment(cut, 0, 0, row="predicts").tgt_words == ("我", "爱你", "。", "好")
    assert alignment(cut, 0, 0, row="reads").tgt_words == ("我", "爱你", "。")


def test_a_model_that_copies_backwards_is_aligned_backwards() -> None:
    reverse = Translator.load(checkpoint.find("reverse"), device="cpu")
    trace = reverse.trace("Q7kP2mX")
    representative = trace.heads["cross"]
    assert trace.cross is not None
    layer, head = int(representative.head[1]) - 1, int(representative.head[3]) - 1
    # Its symbols carry no mark of a word's start: one by one they are pieces of one word.
    shift = 1 if representative.row == "reads" else 0
    rows = trace.cross[layer, head, shift : shift + 7]
    assert rows.argmax(-1).tolist() == [6, 5, 4, 3, 2, 1, 0]


@pytest.mark.parametrize(("layer", "head", "row"), [(1, 0, "reads"), (0, -1, "reads"), (0, 0, "x")])
def test_what_there_is_none_of_is_refused(
    trace: AttentionTrace, layer: int, head: int, row: Any
) -> None:
    with pytest.raises(ValueError, match="there is no layer"):
        alignment(trace, layer, head, row)


def test_a_decoder_alone_aligns_nothing(continuer: Translator) -> None:
    with pytest.raises(ValueError, match="decoder-only"):
        alignment(continuer.trace("I", max_steps=2), 0, 0)


def test_links_are_marked(trace: AttentionTrace) -> None:
    figure: Any = alignment(trace, 0, 0, row="predicts").figure()
    marks = [[cell == "●" for cell in row] for row in figure.data[0].text]
    assert np.argwhere(marks).tolist() == [[0, 0], [1, 1], [2, 3]]
