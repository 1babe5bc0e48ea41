"""Padding and causal masks: bool, True = may attend."""

from collections.abc import Iterator
from types import ModuleType

import torch

from .exercise import Mistake, Remark, ask, compare, first_wrong


def judge(module: ModuleType) -> Iterator[Remark]:
    """`padding_mask(ids, pad_id)` and `causal_mask(length)`."""
    yield from first_wrong(_padding(module, pad_id) for pad_id in (0, 9))
    yield from first_wrong(_causal(module, length) for length in (5, 3))


def _padding(module: ModuleType, pad_id: int) -> Iterator[Remark]:
    ids = torch.tensor([[5, 6, 7, 9], [4, 8, 0, 0]])
    right = (ids != pad_id).reshape(2, 1, 1, 4)
    wrong: list[Mistake] = [
        (("mask_inverted",), lambda: ~right),
        (("mask_without_axes",), lambda: right[:, 0, 0]),
        (("mask_without_axes", "mask_inverted"), lambda: ~right[:, 0, 0]),
        (("mask_without_axis",), lambda: right[:, 0]),
        (("mask_for_queries",), lambda: right.mT),
        (("mask_for_pairs",), lambda: right.expand(2, 1, 4, 4)),
        (("mask_for_pairs",), lambda: right & right.mT),
        (("pad_id_unused",), lambda: (ids != 0)[:, None, None]),
        (("mask_of_other_tokens",), lambda: (ids > pad_id)[:, None, None]),
    ]
    answer, changed = ask("padding_mask", module.padding_mask, pad_id, ids=ids)
    yield from list(compare("padding_mask", answer, right, wrong)) or changed


def _causal(module: ModuleType, length: int) -> Iterator[Remark]:
    right = torch.tensor([[key <= query for key in range(length)] for query in range(length)])
    everything = torch.ones(length, length, dtype=torch.bool)
    wrong: list[Mistake] = [
        (("mask_inverted",), lambda: ~right),
        (("causal_transposed",), lambda: right.mT),
        (("causal_without_itself",), lambda: everything.tril(-1)),
        (("causal_one_too_many",), lambda: everything.tril(1)),
        (("nothing_hidden",), lambda: everything),
        (("everything_hidden",), lambda: ~everything),
        (("only_itself",), lambda: torch.eye(length, dtype=torch.bool)),
    ]
    yield from compare("causal_mask", module.causal_mask(length), right, wrong)
