"""Alignments of a size that can be worked out by hand."""

import numpy as np
import pytest

from transformer.inside.alignment import (
    GoldLinks,
    alignment_error_rate,
    pieces_of_words,
    word_links,
    word_spans,
)


def gold(sure: set[tuple[int, int]], possible: set[tuple[int, int]] | None = None) -> GoldLinks:
    return GoldLinks(frozenset(sure), frozenset(possible or set()))


def test_words_stand_where_they_were_joined() -> None:
    assert word_spans(["I", "love", "you"], " ") == [(0, 1), (2, 6), (7, 10)]
    assert word_spans(["我", "喜欢"], "") == [(0, 1), (1, 3)]


def test_pieces_belong_to_the_words_that_they_share_characters_with() -> None:
    # "love you" as ␣lo|ve|␣you: a piece's span takes in the space before it.
    pieces = [(0, 2), (2, 4), (4, 8)]
    assert pieces_of_words(pieces, [(0, 4), (5, 8)]).tolist() == [[1, 1, 0], [0, 0, 1]]
    # 我喜欢 as 我喜|欢, two words: the first piece is part of both.
    assert pieces_of_words([(0, 2), (2, 3)], [(0, 1), (1, 3)]).tolist() == [[1, 0], [1, 1]]
    # The f of ﬁ has no character of its own.
    assert pieces_of_words([(0, 0), (0, 3)], [(0, 3)]).tolist() == [[1, 1]]


def test_each_target_word_is_linked_to_what_it_attends_to_most() -> None:
    identity = np.eye(2)
    weights = np.array([[0.6, 0.4], [0.3, 0.7]])
    assert word_links(weights, identity, identity) == {(0, 0), (1, 1)}
    assert word_links(weights[::-1], identity, identity) == {(1, 0), (0, 1)}
    # Two pieces of one source word outweigh a single stronger one: 0.3 + 0.3 > 0.4.
    three = np.array([[0.3, 0.3, 0.4]])
    assert word_links(three, np.array([[1.0, 1, 0], [0, 0, 1]]), np.eye(1)) == {(0, 0)}
    # A target word of two pieces: 0.6 + 0.3 < 0.4 + 0.7.
    assert word_links(weights, identity, np.array([[1.0, 1]])) == {(1, 0)}


@pytest.mark.parametrize(
    ("predicted", "links", "rate"),
    [
        ({(0, 0), (1, 1)}, gold({(0, 0), (1, 1)}), 0.0),
        ({(0, 1), (1, 0)}, gold({(0, 0), (1, 1)}), 1.0),
        # One of two: 1 − (1 + 1) / (2 + 2).
        ({(0, 0), (1, 0)}, gold({(0, 0), (1, 1)}), 0.5),
        # A possible link is no error, and nobody misses it: 1 − (1 + 2) / (2 + 1), 1 − 2 / 2.
        ({(0, 0), (1, 0)}, gold({(0, 0)}, {(1, 0)}), 0.0),
        ({(0, 0)}, gold({(0, 0)}, {(1, 0)}), 0.0),
        # But a sure one is missed: 1 − (0 + 1) / (1 + 1).
        ({(1, 0)}, gold({(0, 0)}, {(1, 0)}), 0.5),
    ],
)
def test_the_error_rate_is_that_of_och_and_ney(
    predicted: set[tuple[int, int]], links: GoldLinks, rate: float
) -> None:
    assert alignment_error_rate([(predicted, links)]) == pytest.approx(rate)


def test_the_error_rate_is_of_all_pairs_together() -> None:
    links = gold({(0, 0)})
    right, wrong = {(0, 0)}, {(1, 0)}
    assert alignment_error_rate([(right, links), (wrong, links)]) == pytest.approx(0.5)
