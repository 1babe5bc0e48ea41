"""A part of the corpus: correct models are left in peace, and mutations are named.

Of models a tenth, of mutations a fortieth; twice as many by `make test-all`, and all of it by
`python -m benchmarks checker`.
"""

import pytest

from tests.checker.mutations import (
    FILES,
    Mutation,
    correct_models,
    every_second,
    examine,
    mutations,
)
from transformer.checker.basis.clues import CODES, OF_LOSS

# test_rows.py and test_blocks.py take these whole.
ROWS = {"this_year", "this_year_pairs", "windows", "flat_heads", "blocks"}
EVERY = [model for file in FILES if file not in ROWS for model in correct_models(file)]
ALL = [mutation for file in FILES for mutation in mutations(file)]
# Words and source in one softmax: swapped words change it in any case. A gate may stand for a norm.
# Where no padding is kept, there may be none to judge by.
OPEN = {
    "course_pairs no padding kept": {"cross_mask_wrong", "padding_attended"},
    "course_pairs one big softmax": {"no_positions"},
    "unusual_pairs gate at 0": {"norm_missing"},
}
FEW = [mutation for mutation in ALL if mutation.file not in ROWS]


@pytest.mark.filterwarnings("ignore:enable_nested_tensor is True")
@pytest.mark.parametrize("model", every_second(EVERY[::5]), ids=lambda model: model.name)
def test_correct_models_are_left_in_peace(model: Mutation) -> None:
    turn = EVERY.index(model)
    report = examine(model, seed=turn, padded=bool(turn % 2), train=bool(turn % 4 < 2))
    assert report.codes == (), str(report)
    assert set(report.unknown) <= OF_LOSS | OPEN.get(model.name, set())
    assert not report.problems


@pytest.mark.filterwarnings("ignore:enable_nested_tensor is True")
@pytest.mark.parametrize(
    "mutation", every_second(FEW[::20]), ids=lambda mutation: mutation.name[:80]
)
def test_mutations_are_named(mutation: Mutation) -> None:
    """Or, of a few, it is said that this cannot be judged, and why: see `benchmarks checker`."""
    report = examine(mutation)
    assert report.codes == (() if mutation.code in report.unknown else (mutation.code,))


def test_the_corpus_has_every_code_and_thirty_models() -> None:
    assert {mutation.code for mutation in ALL} == set(CODES)
    assert len(EVERY) >= 30


def test_a_norm_is_inverted_wherever_its_gain_stands() -> None:
    cases = [m for m in ALL if (m.file, m.code) == ("composed", "norm_inverted")]
    assert [examine(mutation).codes for mutation in cases] == [("norm_inverted",)]
