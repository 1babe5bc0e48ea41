"""Every bug of the table, alone, in three styles of implementation: its code, and no other.

In one of them by `make test`, in each by `make test-all`.
"""

from types import ModuleType
from typing import Any

import pytest
import torch

from tests.checker import zoo_classic, zoo_compact, zoo_torch
from tests.checker.bugs import VARIANTS, batch, layers
from transformer import check

PRE_NORM_ONLY = {"norm_missing_final"}
STYLES = (zoo_classic, zoo_compact, zoo_torch)


def bugs_of(style: ModuleType) -> list[Any]:
    """Those of a style; slow where another one has its turn."""
    params: list[Any] = []
    for turn, bug in enumerate(sorted({bug for each in STYLES for bug in each.BUGS})):
        having = [each for each in STYLES if bug in each.BUGS]
        if style in having:
            mine = having[turn % len(having)] is style
            params.append(pytest.param(bug, marks=[] if mine else [pytest.mark.slow]))
    return params


@pytest.mark.parametrize("bug", bugs_of(zoo_classic))
def test_classic_style(bug: str) -> None:
    torch.manual_seed(1)
    code = VARIANTS.get(bug, bug)
    model = zoo_classic.Classic(bug, pre=bug in PRE_NORM_ONLY, layers=layers(code))
    assert check(model, *batch()).codes == (code,)


@pytest.mark.parametrize("bug", bugs_of(zoo_compact))
def test_compact_style(bug: str) -> None:
    torch.manual_seed(1)
    code = VARIANTS.get(bug, bug)
    assert check(zoo_compact.Compact(bug, layers=layers(code)), batch()[1]).codes == (code,)


@pytest.mark.parametrize("bug", bugs_of(zoo_torch))
def test_library_style(bug: str) -> None:
    torch.manual_seed(1)
    code = VARIANTS.get(bug, bug)
    model = zoo_torch.Modern(bug, pre=bug in PRE_NORM_ONLY, layers=layers(code))
    assert check(model, *batch()).codes == (code,)


def test_every_probe_runs_whatever_another_finds() -> None:
    torch.manual_seed(1)
    model = zoo_classic.Classic("scale_missing", layers=1)
    model.get_submodule("decoder.0.attention").__dict__["bug"] = "value_from_key"
    model.get_submodule("decoder.0.cross").__dict__["bug"] = "output_projection_missing"
    codes = check(model, *batch()).codes
    assert set(codes) == {"scale_missing", "value_from_key", "output_projection_missing"}
