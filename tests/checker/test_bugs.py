"""Every bug of the table, alone, in three styles of implementation: its code, and no other."""

import pytest
import torch

from tests.checker import zoo_classic, zoo_compact, zoo_torch
from tests.checker.bugs import VARIANTS, batch, layers
from transformer import check

PRE_NORM_ONLY = {"norm_missing_final"}


@pytest.mark.parametrize("bug", sorted(zoo_classic.BUGS))
def test_classic_style(bug: str) -> None:
    torch.manual_seed(1)
    code = VARIANTS.get(bug, bug)
    model = zoo_classic.Classic(bug, pre=bug in PRE_NORM_ONLY, layers=layers(code))
    assert check(model, *batch()).codes == (code,)


@pytest.mark.parametrize("bug", sorted(zoo_compact.BUGS))
def test_compact_style(bug: str) -> None:
    torch.manual_seed(1)
    code = VARIANTS.get(bug, bug)
    assert check(zoo_compact.Compact(bug, layers=layers(code)), batch()[1]).codes == (code,)


@pytest.mark.parametrize("bug", sorted(zoo_torch.BUGS))
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
