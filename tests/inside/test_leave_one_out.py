"""A word left out is a word that nobody typed."""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
import torch

from transformer import Translator, intervene
from transformer.inside.leave_one_out import leave_one_out
from transformer.trace.interventions import Intervention
from transformer.trace.words import word_texts, words_of


@pytest.mark.parametrize(
    ("labels", "words"),
    [
        (["␣I", "␣lo", "ve", "␣you", ".", "</s>"], ["I", "love", "you", "."]),
        (["<s>", "␣我", "喜欢", "你", "。", "</s>"], ["我", "喜欢", "你", "。"]),
        (["␣don", "'", "t", "␣"], ["don", "'", "t", ""]),
        (["␣", "我", "␣", "lo", "ve"], ["我", "love"]),
        (["h", "i", "4", "2", "</s>"], ["h", "i", "4", "2"]),
        (["他", "1", "9", "岁"], ["他", "19", "岁"]),
        (["</s>"], []),
    ],
)
def test_pieces_make_words(labels: list[str], words: list[str]) -> None:
    pieces = words_of(labels)
    assert list(word_texts(labels, pieces)) == words
    covered = [i for word in pieces for i in word]
    assert covered == [i for i, label in enumerate(labels) if not label.startswith(("<", "</"))]


def emitted(translator: Translator, source: str, ids: tuple[int, ...], skip: int = 0) -> Any:
    """log p of `ids`, forced, as decoding itself tells."""
    forced = translator.trace(source, prefix=ids[skip:], max_steps=1, top_k=1)
    steps = zip(forced.candidates, ids, strict=False)
    return np.array([math.log(next(c.probability for c in s if c.id == i)) for s, i in steps])


def test_each_word_has_a_column(translator: Translator) -> None:
    source = "I love you. 我爱你。"
    trace = translator.trace(source, max_steps=6)
    omissions = leave_one_out(translator, trace)
    assert omissions.words == ("I", "love", "you", ".", "我", "爱", "你", "。")
    assert omissions.deltas.shape == (len(trace.tgt_out), 8)


def test_no_padding_shows(translator: Translator) -> None:
    trace = translator.trace("The cat sleeps on the warm bed.", max_steps=6)
    omissions = leave_one_out(translator, trace)
    whole = emitted(translator, trace.source, trace.tgt_ids)
    compared = 0
    # Each by itself, so that nothing is padded.
    for word, pieces in enumerate(omissions.pieces):
        ids = [i for at, i in enumerate(trace.src_ids) if at not in pieces]
        text = translator.tokenizer.decode(ids)
        if [*translator.tokenizer.encode(text), 2] != ids:
            continue  # cut otherwise once a neighbour is gone
        expected = emitted(translator, text, trace.tgt_ids) - whole
        np.testing.assert_allclose(omissions.deltas[:, word], expected, atol=1e-5)
        compared += 1
    assert compared >= 5


def test_what_a_row_was_aimed_at_moves_along_and_is_forgotten_with_its_word(
    translator: Translator,
) -> None:
    source = "The cat sleeps on the warm bed."
    changes = ["cross@2=aim:10", "cross.L1@3=aim:4,13", "encoder_self.L2@14=aim:6"]
    changes += ["cross.L2@1=aim:4,5", "decoder_self@2=aim:1"]
    trace = translator.trace(source, interventions=changes, max_steps=6)
    omissions = leave_one_out(translator, trace)
    assert omissions.words[1] == "cat"
    assert omissions.pieces[1] == (2, 3, 4)

    def logs(src_ids: Sequence[int], *texts: str) -> torch.Tensor:
        src, tgt_in = torch.tensor([src_ids]), torch.tensor([[1, *trace.tgt_ids[:-1]]])
        parsed = [Intervention.parse(text) for text in texts]
        with torch.inference_mode(), intervene(translator.model, parsed):
            logits = translator.model.decode(tgt_in, translator.model.encode(src))
        return logits[0].log_softmax(-1)[range(6), trace.tgt_ids]

    left = ["cross@2=aim:7", "cross.L1@3=aim:10", "encoder_self.L2@11=aim:3"]
    without = logs((*trace.src_ids[:2], *trace.src_ids[5:]), *left, "decoder_self@2=aim:1")
    expected = without - logs(trace.src_ids, *changes)
    np.testing.assert_allclose(omissions.deltas[:, 1], expected, atol=1e-5)


def test_so_it_does_in_a_decoder_alone(continuer: Translator) -> None:
    trace = continuer.trace("I love you.", interventions=["decoder_self@9=aim:2,8"], max_steps=5)
    omissions = leave_one_out(continuer, trace)
    for word, pieces in enumerate(omissions.pieces):
        assert np.isfinite(omissions.deltas[pieces[-1] :, word]).all()
    gone = next(word for word, pieces in enumerate(omissions.pieces) if pieces[-1] < 7)
    assert omissions.deltas[8:, gone].any()


def test_the_only_word_can_be_left_out(translator: Translator) -> None:
    omissions = leave_one_out(translator, translator.trace("I", max_steps=3))
    assert np.isfinite(omissions.deltas).all()


def test_a_decoder_alone_loses_words_of_its_own_text(continuer: Translator) -> None:
    source = "I love you."
    trace = continuer.trace(source, max_steps=5)
    omissions = leave_one_out(continuer, trace)
    assert omissions.words[:4] == ("I", "love", "you", ".")
    for word, pieces in enumerate(omissions.pieces):
        # Nothing that came before the word, nor the word itself, can miss it.
        assert np.isnan(omissions.deltas[: pieces[-1], word]).all()
        assert np.isfinite(omissions.deltas[pieces[-1] :, word]).all()
    word, without = 1, "I you."
    left = [i for at, i in enumerate(trace.tgt_ids) if at + 1 not in omissions.pieces[word]]
    assert continuer.tokenizer.encode(without) == left[:-5]
    prompt = len(continuer.tokenizer.encode(without))
    expected = emitted(continuer, without, tuple(left), prompt)
    whole = emitted(continuer, source, trace.tgt_ids, len(left[:-5]) + len(omissions.pieces[word]))
    after = omissions.pieces[word][-1]
    np.testing.assert_allclose(
        omissions.deltas[after:, word],
        expected[omissions.pieces[word][0] - 1 :] - whole[after:],
        atol=1e-5,
    )


def test_its_figure_names_words_and_steps(translator: Translator) -> None:
    trace = translator.trace("I love you.", max_steps=3)
    figure: Any = leave_one_out(translator, trace).figure()
    assert list(figure.layout.xaxis.ticktext) == ["I", "love", "you", "."]
    assert len(figure.layout.yaxis.ticktext) == len(trace.tgt_out)
    assert figure.layout.yaxis.ticktext[0].startswith("&lt;s&gt; → ")
