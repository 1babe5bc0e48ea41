"""The loss against stutter."""

import math
from dataclasses import replace
from pathlib import Path

import pytest
import torch

from tests.tiny import SENTENCES, random_ids
from tests.training.runs import tiny_recipe, trained, write_corpus
from transformer import Tokenizer
from transformer.training.data import collate, predict
from transformer.training.unlikelihood import digits, unlikelihood

NONE = torch.tensor([], dtype=torch.int64)


def test_what_is_written_again_costs_as_in_the_paper() -> None:
    logits, tgt = torch.randn(3, 7, 31), random_ids(0, 3, 8) % 9
    tgt[1, 5:] = 0
    expected = 0.0
    for row, tokens in zip(logits.softmax(-1), tgt.tolist(), strict=True):
        for step, right in enumerate(tokens[1:]):
            # Equation 5: the set of what is in the context, without what is right.
            negative = set(tokens[: step + 1]) - {right} if right else set[int]()
            expected -= sum(math.log(1 - row[step, token].item()) for token in negative)
    assert unlikelihood(logits, tgt, NONE).item() == pytest.approx(expected, rel=1e-5)


def test_by_hand() -> None:
    # <s> a b a </s>: one candidate before a, two before b, two before the second a (<s> and b),
    # three before </s> (a counts once), and each has one chance in eight.
    tgt = torch.tensor([[1, 5, 6, 5, 2, 0, 0]])
    even = torch.zeros(1, 6, 8)
    assert unlikelihood(even, tgt, NONE).item() == pytest.approx(-8 * math.log(7 / 8))
    assert unlikelihood(even[:, :1], tgt[:, :2], NONE).item() == pytest.approx(-math.log(7 / 8))


def test_digits_may_repeat() -> None:
    tokenizer = Tokenizer.train([*SENTENCES, "1900"], 120, character_coverage=1.0)
    assert {*tokenizer.pieces(digits(tokenizer).tolist())} == {*"190"}
    # As above, without a: one, one, two and two.
    tgt = torch.tensor([[1, 5, 6, 5, 2, 0, 0]])
    loss = unlikelihood(torch.zeros(1, 6, 8), tgt, torch.tensor([5]))
    assert loss.item() == pytest.approx(-6 * math.log(7 / 8))


def test_a_stutter_that_is_certain_costs_no_more_than_a_number_can_say() -> None:
    logits = torch.zeros(1, 2, 8)
    logits[0, 1, 5] = 1e4
    loss = unlikelihood(logits.requires_grad_(), torch.tensor([[1, 5, 6]]), NONE)
    loss.backward()
    assert 9 < loss.item() < 10
    assert logits.grad is not None
    assert logits.grad.isfinite().all()


def test_a_model_that_learns_with_it_repeats_itself_less(tmp_path: Path) -> None:
    recipe = replace(tiny_recipe(write_corpus(tmp_path)), d_model=32, steps=40, eval_every=40)
    repeated: list[float] = []
    for weight in (0.0, 20.0):
        trainer = trained(replace(recipe, unlikelihood=weight), tmp_path / f"run{weight}")
        src, tgt = collate(trainer.dev)
        with torch.inference_mode():
            repeated.append(unlikelihood(predict(trainer.model.eval(), src, tgt), tgt, NONE).item())
    assert repeated[1] < 0.7 * repeated[0]
