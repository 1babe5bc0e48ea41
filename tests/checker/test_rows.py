"""What is usual by now is left in peace, row by row, and the mistakes beside it are named.

Of the mistakes every sixth; `make test-all` runs every third, `python -m benchmarks checker` all.
"""

import pytest

from tests.checker.mutations import Mutation, correct_models, every_second, examine, mutations
from transformer.checker.basis.clues import OF_LOSS

FILES = ("this_year", "this_year_pairs", "windows", "flat_heads")
OPEN = {
    "this_year ReZero": {"norm_missing"},
    "this_year_pairs top scores": {"cross_mask_wrong"},
    "this_year_pairs convolved memory, two attentions": {"cross_mask_wrong", "cross_reads_target"},
}
"""What may stay unknown, by the model."""

MODELS = [model for file in FILES for model in correct_models(file)]
BUGS = [mutation for file in FILES for mutation in mutations(file)]


@pytest.mark.parametrize("model", MODELS, ids=lambda model: model.name)
def test_what_is_usual_is_no_mistake(model: Mutation) -> None:
    report = examine(model, seed=MODELS.index(model))
    assert (report.codes, report.problems) == ((), ()), str(report)
    assert set(report.unknown) <= OF_LOSS | OPEN.get(model.name, set())


@pytest.mark.parametrize(
    "mutation", every_second(BUGS[::3]), ids=lambda mutation: mutation.name[:80]
)
def test_a_mistake_beside_it_is_named(mutation: Mutation) -> None:
    assert examine(mutation).codes == (mutation.code,)
