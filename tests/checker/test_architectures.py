"""A tenth of transformers' architectures, each correct; `python -m benchmarks checker` runs all."""

import pytest

from tests.checker.architectures import ALL, examine

SLOW = {"luke"}
"""Large, whatever the sizes that it is built with."""


@pytest.mark.parametrize(
    ("form", "name"),
    [
        pytest.param(*each, marks=pytest.mark.slow) if each[1] in SLOW else each
        for each in ALL[::11]
    ],
    ids=str,
)
def test_an_architecture_is_left_in_peace(form: str, name: str) -> None:
    report = examine(form, name)
    assert (report.codes, report.problems) == ((), ()), str(report)
    assert report.judged >= 20


def test_attention_over_depth_is_a_residual_of_its_own() -> None:
    if ("decoder", "inkling2_text") not in ALL:
        pytest.skip("transformers has no Inkling 2 here")
    assert examine("decoder", "inkling2_text").codes == ()


def test_there_are_more_than_forty() -> None:
    assert len(ALL) > 40
