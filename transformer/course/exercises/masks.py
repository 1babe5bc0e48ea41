"""Padding and causal masks: bool, True = may attend."""

from collections.abc import Iterator
from types import ModuleType

import torch

from .exercise import Remark, compare


def judge(module: ModuleType) -> Iterator[Remark]:
    """`padding_mask(ids, pad_id)` and `causal_mask(length)`."""
    ids = torch.tensor([[5, 6, 7, 9], [4, 8, 0, 0]])
    for pad_id in (0, 9):
        right = (ids != pad_id).reshape(2, 1, 1, 4)
        told = list(
            compare(
                "padding_mask",
                module.padding_mask(ids, pad_id),
                right,
                {
                    "mask_inverted": lambda: ~right,  # noqa: B023
                    "mask_without_axes": lambda: right[:, 0, 0],  # noqa: B023
                    "mask_for_queries": lambda: right.mT,  # noqa: B023
                    "pad_id_unused": lambda: (ids != 0)[:, None, None],
                }.items(),
            )
        )
        yield from told
        if told:
            break
    right = torch.tensor([[key <= query for key in range(5)] for query in range(5)])
    yield from compare(
        "causal_mask",
        module.causal_mask(5),
        right,
        {
            "mask_inverted": lambda: ~right,
            "causal_transposed": lambda: right.mT,
            "causal_without_itself": lambda: right & ~torch.eye(5, dtype=torch.bool),
            "causal_one_too_many": lambda: torch.ones(5, 5).tril(1).bool(),
        }.items(),
    )
