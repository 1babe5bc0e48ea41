"""Blocks that do one thing otherwise are left in peace; an eighth of the mistakes in them is named.

`make test-all` runs a fourth of them, `python -m benchmarks checker` all.
"""

import pytest

from tests.checker.mutations import Mutation, correct_models, every_second, examine, mutations

# What cannot be followed there: weights mixed across heads, and sums over depth by a plain vector.
UNSEEN = {"blocks talking heads", "blocks depths attended"}
MODELS = correct_models("blocks")
BUGS = [each for each in mutations("blocks") if f"blocks{each.option}" not in UNSEEN]


@pytest.mark.parametrize("model", MODELS, ids=lambda model: model.name)
def test_what_a_block_does_otherwise_is_no_mistake(model: Mutation) -> None:
    report = examine(model, seed=MODELS.index(model))
    assert (report.codes, report.problems) == ((), ()), str(report)
    assert report.judged >= (10 if model.name in UNSEEN else 29)


@pytest.mark.parametrize(
    "mutation", every_second(BUGS[::4]), ids=lambda mutation: mutation.name[:80]
)
def test_a_mistake_in_it_is_named(mutation: Mutation) -> None:
    assert examine(mutation).codes == (mutation.code,)
