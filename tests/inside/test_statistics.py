"""Statistics of heads whose behaviour is known, because they were made by hand."""

import math
from typing import Any

import numpy as np
import pytest

from transformer import Translator
from transformer.inside.statistics import Measure, statistics, statistics_over
from transformer.trace.attended import Observed
from transformer.trace.candidates import Glosses
from transformer.trace.kinds import Kind
from transformer.trace.roles import Role, role_cells
from transformer.trace.trace import AttentionTrace
from transformer.trace.words import is_punctuation

SRC = ("␣a", "␣b", "␣c", "␣d", ".", "</s>")
SIZE = len(SRC)


def shifted(by: int) -> Any:
    """A head that looks `by` tokens along; where there is none, at itself."""
    keys = [row + by if 0 <= row + by < SIZE else row for row in range(SIZE)]
    return np.eye(SIZE)[keys]


def resting(key: int) -> Any:
    return np.eye(SIZE)[[key] * SIZE]


def observed(*heads: Any) -> Observed:
    weights = np.array([heads], np.float32)
    return Observed(SRC, ("<s>", "x"), ("x", "</s>"), {"encoder_self": weights})


def of_encoder(*heads: Any) -> Any:
    return statistics(observed(*heads)).encoder_self


def test_each_head_is_told_by_its_role_and_by_no_other() -> None:
    heads = {
        "itself": shifted(0),
        "previous": shifted(-1),
        "next": shifted(1),
        "first": resting(0),
        "end": resting(SIZE - 1),
        "punctuation": resting(SIZE - 2),
    }
    measured = of_encoder(*heads.values())
    for head, role in enumerate(heads):
        assert measured.shares[role][0, head] == 1
        for other in heads:
            if other != role:
                # Nothing of a resting head's weight counts as looking at a neighbour.
                assert measured.shares[other][0, head] <= 1 / 3, (role, other)
    assert [round(float(x), 3) for x in measured.offset[0, :3]] == [0, -0.833, 0.833]


def test_a_head_that_aligns_is_told_by_the_word_that_it_meets() -> None:
    """Of one that is written or one that is read; a lexicon knows which source word that is."""
    src, tgt = ("␣red", "␣wine", "</s>"), ("葡萄酒", "红", "</s>")
    glosses = Glosses(("红", None, None), ("wine", None, None))
    written = np.array([[0, 1, 0], [1, 0, 0], [0, 0, 1]])
    read = np.array([[0, 0, 1], [0, 1, 0], [1, 0, 0]])
    diagonal = np.eye(3)
    cross: dict[Kind, Any] = {"cross": np.array([[written, read, diagonal]], np.float32)}
    measured = statistics(Observed(src, ("<s>", *tgt[:2]), tgt, cross, glosses)).cross
    assert measured is not None
    assert [measured.role(0, head) for head in range(3)] == ["written", "read", None]
    assert measured.by_chance["written"] == pytest.approx(1 / 3)
    # Without a lexicon a word stands for itself; these are no such words.
    unknown = statistics(Observed(src, ("<s>", *tgt[:2]), tgt, cross)).cross
    assert unknown is not None
    assert np.isnan(unknown.shares["written"]).all()


def test_an_even_head_has_what_chance_gives() -> None:
    even = np.full((SIZE, SIZE), 1 / SIZE)
    measured = of_encoder(even, shifted(-1))
    for role, share in measured.shares.items():
        assert share[0, 0] == pytest.approx(measured.by_chance[role]) == pytest.approx(1 / SIZE)
        assert measured.lift(role)[0, 0] == pytest.approx(0, abs=1e-6)
    assert measured.entropy[0] == pytest.approx([math.log(SIZE), 0])
    assert measured.sharpness[0] == pytest.approx([1 / SIZE, 1])
    assert measured.by_chance["entropy"] == pytest.approx(math.log(SIZE))


def test_confidence_leaves_the_end_out() -> None:
    mostly_end = np.full((SIZE, SIZE), 0.0)
    mostly_end[:, -1], mostly_end[:, 1] = 0.9, 0.1
    measured = of_encoder(mostly_end)
    assert measured.sharpness[0, 0] == pytest.approx(0.9)
    assert measured.confidence[0, 0] == pytest.approx(0.1)


def test_a_cell_of_two_names_speaks_for_neither() -> None:
    cells = role_cells("encoder_self", SIZE, SRC)
    assert not cells["first"][:2].any()
    assert not cells["previous"][1, 0]
    # The full stop before </s> is punctuation, and what the row of </s> would look back at.
    assert not cells["punctuation"][-1, SIZE - 2]
    assert cells["previous"][2, 1]
    assert np.stack([*cells.values()]).sum(0).max() == 1


def test_the_decoder_reads_nothing_later() -> None:
    cells = role_cells("decoder_self", 4, ("<s>", "a", "b", "."))
    assert set(cells) == {"itself", "previous", "induction", "first", "punctuation"}
    for role in cells.values():
        assert not np.triu(role, 1).any()
    # The first row has no choice; the second one's previous token is the first one.
    assert not cells["previous"][1].any()
    assert cells["first"][:, 0].tolist() == [False, False, True, True]


REPEATED = ("<s>", "a", "b", "c", "d", "a", "b", "c", "d", "a")


def repeated(*, given: float, length: int = len(REPEATED)) -> Observed:
    """A head that gives so much to what came next before, where there is such; else to `<s>`."""
    weights = np.zeros((1, 1, length, length), np.float32)
    for row in range(length):
        weights[0, 0, row, 0] = 1 - given if row >= 5 else 1
        if row >= 5:
            # Of d's and the second a's earlier copies the last is meant.
            weights[0, 0, row, row - 3] = given
    read = REPEATED[:length]
    return Observed((), read, (*read[1:], "</s>"), {"decoder_self": weights})


def test_an_induction_head_looks_at_what_came_next_before() -> None:
    cells = role_cells("decoder_self", len(REPEATED), REPEATED)["induction"]
    # a, b, c and d stood at 1 to 4, before the last a also at 5: the token after is one further.
    assert not cells[:5].any()
    keys = {row: np.flatnonzero(cells[row]).tolist() for row in range(5, len(REPEATED))}
    assert keys == {5: [2], 6: [3], 7: [4], 8: [5], 9: [2, 6]}
    measured = statistics(repeated(given=0.9)).decoder_self
    assert measured is not None
    assert measured.shares["induction"][0, 0] == pytest.approx(0.9)
    chance = (1 / 6 + 1 / 7 + 1 / 8 + 1 / 9 + 2 / 10) / 5
    assert measured.by_chance["induction"] == pytest.approx(chance)
    assert measured.role(0, 0) == "induction"


def test_induction_is_where_transformer_lens_detects_it() -> None:
    # `get_induction_head_detection_pattern`: earlier copies, moved one to the right, nothing later.
    drawn = np.random.default_rng(4).integers(0, 6, 40)
    earlier = np.tril(drawn[:, None] == drawn, -1)
    moved = np.tril(np.hstack([np.zeros((40, 1), bool), earlier[:, :-1]]))
    cells = role_cells("decoder_self", 40, [f"t{i}" for i in drawn])
    # Where a neighbour is meant as well, nobody can say which.
    distance = np.arange(40) - np.arange(40)[:, None]
    np.testing.assert_array_equal(cells["induction"], moved & (distance < -1))
    assert moved.sum() > cells["induction"].sum() > 100


def test_what_came_next_before_is_only_told_from_some_rows_on() -> None:
    measured = statistics(repeated(given=0.9, length=8)).decoder_self
    assert measured is not None
    assert np.isnan(measured.shares["induction"][0, 0])
    assert measured.role(0, 0) == "first"
    assert measured.payload()["measures"]["induction"] == [[None]]
    twice = statistics_over([repeated(given=0.9, length=8)] * 2).decoder_self
    assert twice is not None
    assert twice.shares["induction"][0, 0] == pytest.approx(0.9)


def test_a_repeated_token_is_its_own_neighbour_and_no_induction() -> None:
    # In "a a" the token after the earlier a is the a itself: a cell of two names.
    cells = role_cells("decoder_self", 3, ("<s>", "a", "a"))
    assert not cells["induction"].any()


def test_rows_without_a_choice_say_nothing() -> None:
    weights = np.zeros((1, 1, 3, 3), np.float32)
    weights[0, 0, :, 0] = 1
    one = Observed((), ("<s>", "a", "b"), ("a", "b", "</s>"), {"decoder_self": weights})
    measured = statistics(one).decoder_self
    assert measured is not None
    assert measured.rows == 2
    assert measured.by_chance["entropy"] == pytest.approx((math.log(2) + math.log(3)) / 2)
    assert measured.offset[0, 0] == pytest.approx(-1.5)


def test_many_sentences_count_row_by_row() -> None:
    together = statistics_over([observed(shifted(0)), observed(shifted(-1)), observed(shifted(-1))])
    assert together.sentences == 3
    assert together.encoder_self is not None
    assert together.encoder_self.shares["previous"][0, 0] == pytest.approx(2 / 3)
    assert together.encoder_self.shares["itself"][0, 0] == pytest.approx(1 / 3)


def test_a_trace_can_be_asked(translator: Translator, continuer: Translator) -> None:
    trace = translator.trace("I love you.", max_steps=5)
    measured = statistics(trace)
    cross = measured.cross
    assert cross is not None
    assert trace.cross is not None
    np.testing.assert_allclose(cross.sharpness, trace.cross.max(-1).mean(-1), rtol=1e-6)
    expected = -(trace.cross * np.log(trace.cross)).sum(-1).mean(-1)
    np.testing.assert_allclose(cross.entropy, expected, rtol=1e-5)
    assert set(cross.shares) == {"first", "end", "punctuation", "written", "read"}
    alone = statistics(continuer.trace("I love you.", max_steps=5))
    assert alone.encoder_self is alone.cross is None
    assert alone.decoder_self is not None


def test_a_head_switched_off_attends_to_nothing(translator: Translator) -> None:
    off: AttentionTrace = translator.trace(
        "I love you.", max_steps=5, interventions=["cross.L1H2=zero"]
    )
    measured = statistics(off).cross
    assert measured is not None
    assert measured.sharpness[0, 1] == measured.entropy[0, 1] == 0


def test_a_figure_shows_the_numbers(translator: Translator) -> None:
    measured = statistics(translator.trace("I love you.", max_steps=5))
    expected: dict[Measure | Role, int] = {"entropy": 3, "itself": 2, "end": 2}
    for measure, kinds in expected.items():
        figure: Any = measured.figure(measure)
        assert len(figure.data) == kinds
    assert measured.cross is not None
    figure = measured.figure("entropy")
    np.testing.assert_allclose(figure.data[2].z, measured.cross.entropy)
    assert figure.data[2].customdata[1][3] == "Cross-attention L2H4"


@pytest.mark.parametrize(
    ("label", "answer"),
    [(".", True), ("␣“", True), ("。", True), ("␣", False), ("a.", False), ("</s>", False)],
)
def test_punctuation_is_nothing_else(label: str, answer: bool) -> None:
    assert is_punctuation(label) is answer


def test_without_the_causal_mask_chance_is_over_all_tokens(translator: Translator) -> None:
    changes = ["causal=off", "decoder_self=uniform"]
    trace = translator.trace("I love you.", max_steps=6, interventions=changes)
    measured = statistics(trace).decoder_self
    assert measured is not None
    steps = len(trace.tgt_in)
    assert measured.rows == steps
    assert measured.sharpness == pytest.approx(np.full((2, 4), 1 / steps), abs=1e-6)
    assert measured.by_chance["sharpness"] == pytest.approx(1 / steps)
