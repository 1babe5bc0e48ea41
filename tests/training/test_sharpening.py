"""When heads turned sharp, and what the learning curve says."""

from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest

from transformer import checkpoint
from transformer.trace.kinds import Kind
from transformer.training.history import CURVE, FILE, History, Pair, read_curve
from transformer.training.sharpening import sharpening

PAIR = Pair(source="a", target="b", src=["a", "</s>"], tgt_in=["<s>", "b"], tgt_out=["b", "</s>"])


def history_of(largest: dict[int, list[float]]) -> History:
    """Heads of one layer whose two rows of cross-attention have these largest weights, by step."""
    history = History([PAIR])
    for step, heads in largest.items():
        kinds: dict[Kind, npt.NDArray[np.float16]] = {
            "cross": np.array([[[[x, 1 - x]] * 2 for x in heads]], np.float16)
        }
        history.weights[step] = [kinds]
    return history


def test_a_head_is_sharp_from_where_it_stays_half_way_to_one_token() -> None:
    # Even attention to two tokens is 0.5, so that half-way to one token is 0.75.
    result = sharpening(
        history_of({0: [0.5, 0.9, 0.9, 0.6], 7: [0.76, 0.6, 0.8, 0.7], 90: [0.8, 0.8, 1.0, 0.7]})
    )
    assert result.by_chance == {"cross": pytest.approx(0.5)}
    assert result.sharp_from == {"cross": ((7, 90, 0, None),)}
    assert (result.sharp_at_first, result.heads) == (2, 4)
    assert result.starts_with_structure
    np.testing.assert_allclose(result.sharpness["cross"][1, 0], [0.76, 0.6, 0.8, 0.7], atol=1e-3)
    assert not sharpening(history_of({0: [0.5] * 20, 1: [1.0] * 20})).starts_with_structure


@pytest.mark.release
@pytest.mark.parametrize(
    ("name", "went_on"), [("reverse", False), ("en-fr", True), ("en-zh", False), ("en-de", True)]
)
def test_a_shipped_history_tells_what_it_begins_with(name: str, went_on: bool) -> None:
    # Their cards say which of them started from an earlier model.
    assert sharpening(History.load(checkpoint.find(name) / FILE)).starts_with_structure == went_on


def test_a_curve_is_read_with_what_was_measured(tmp_path: Path) -> None:
    path = tmp_path / CURVE
    assert read_curve(path) == []
    path.write_text("step,minutes,dev_loss,bleu\n100,2,4.5,\n200,4,3.25,17.5\n")
    assert read_curve(path) == [
        {"step": 100, "dev_loss": 4.5},
        {"step": 200, "dev_loss": 3.25, "bleu": 17.5},
    ]
    for broken in ("step,bleu\nx,1\n", "bleu\n3\n"):
        path.write_text(broken)
        with pytest.raises(ValueError, match="no learning curve"):
            read_curve(path)


@pytest.mark.release
def test_each_shipped_curve_ends_where_the_card_says() -> None:
    for name in checkpoint.available():
        folder = checkpoint.find(name)
        curve = read_curve(folder / CURVE)
        last = History.load(folder / FILE).steps[-1]
        assert curve, name
        assert curve[-1]["step"] <= last, name
        _, card = checkpoint.read_config(folder)
        if "bleu" in curve[-1]:
            assert round(curve[-1]["bleu"], 1) == card["scores"]["bleu"], name
