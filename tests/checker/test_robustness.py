"""Whatever a stranger's module does, a check ends in a report or in a plain sentence."""

import time
from contextlib import suppress

import pytest
import torch
from torch import Tensor, nn

from tests.checker.bugs import batch
from tests.checker.zoo_compact import Compact
from transformer import check


class Scripted(nn.Module):
    """What TorchScript can compile, with a buffer."""

    def __init__(self) -> None:
        super().__init__()
        self.words, self.out = nn.Embedding(23, 16), nn.Linear(16, 23)
        self.places: Tensor
        self.register_buffer("places", torch.randn(32, 16))
        self.query, self.key, self.value = nn.Linear(16, 16), nn.Linear(16, 16), nn.Linear(16, 16)

    def forward(self, ids: Tensor) -> Tensor:
        x = self.words(ids) + self.places[: ids.size(1)]
        scores = self.query(x) @ self.key(x).transpose(1, 2) / 4.0
        hidden = torch.ones(ids.size(1), ids.size(1)).triu(1) > 0
        return self.out(x + scores.masked_fill(hidden, -1e9).softmax(-1) @ self.value(x))


@pytest.mark.filterwarnings("ignore:.*torch.jit.*:DeprecationWarning")
def test_a_scripted_module_with_a_buffer() -> None:
    torch.manual_seed(0)
    model = torch.jit.script(Scripted()).train()
    report = check(model, batch()[1])
    assert "future_leak" not in (*report.codes, *report.unknown)
    assert model.training


def test_an_endless_forward_is_stopped_once() -> None:
    class Endless(Compact):
        def forward(self, ids: Tensor) -> Tensor:
            while len(ids):
                with suppress(Exception):
                    time.sleep(0.01)
            return super().forward(ids)

    report = check(Endless(layers=1), batch()[1], seconds=0.3)
    assert report.codes == ()
    assert "longer than 0.3 seconds" in report.problems[0]
    assert "longer than 0.3 seconds" in report.reasons["future_leak"]


@pytest.mark.slow
def test_an_endless_loss_is_stopped_and_the_rest_is_told() -> None:
    def loss(model: nn.Module, ids: Tensor) -> Tensor:
        while True:
            model(ids)

    torch.manual_seed(1)
    report = check(Compact("future_leak", layers=1), batch()[1], loss=loss, seconds=3)
    assert report.codes == ("future_leak",)
    assert "longer than 3 seconds" in report.reasons["pad_in_loss"]


def test_prints_are_captured_and_counted(capsys: pytest.CaptureFixture[str]) -> None:
    class Chatty(Compact):
        def forward(self, ids: Tensor) -> Tensor:
            print("shape", tuple(ids.shape))  # noqa: T201
            return super().forward(ids)

    torch.manual_seed(0)
    report = check(Chatty(layers=1), batch()[1])
    assert capsys.readouterr().out == ""
    (note,) = report.notes
    assert "lines" in note
    assert "shape (4, 8)" in note


def test_inside_inference_mode() -> None:
    torch.manual_seed(0)
    model, ids = Compact(layers=1), batch()[1]
    outside = check(model, ids)
    with torch.inference_mode():
        within = check(model, ids)
    assert within.unknown == outside.unknown
    assert within.codes == ()


def test_what_is_no_module_or_has_no_numbers_is_refused_in_words() -> None:
    ids = batch()[1]
    with pytest.raises(TypeError, match=r"torch\.nn\.Module, not function"):
        check(lambda ids: ids, ids)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="whole number, not None"):
        check(Compact(layers=1), ids, pad_id=None)  # type: ignore[arg-type]
    with torch.device("meta"):
        model = Compact(layers=1)
    with pytest.raises(ValueError, match="meta device"):
        check(model, ids)
    with pytest.raises(ValueError, match="kind must be"):
        check(Compact(layers=1), ids, kind="bert")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="one tower alone"):
        check(Compact(layers=1), ids, ids, kind="encoder")


def test_a_module_that_leaves_is_a_problem() -> None:
    class Leaves(nn.Module):
        def forward(self, *_: Tensor) -> Tensor:
            raise SystemExit(3)

    assert check(Leaves(), batch()[1]).problems == ("SystemExit: 3",)
