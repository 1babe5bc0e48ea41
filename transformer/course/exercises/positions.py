"""Sinusoidal positions, against the formula of Vaswani et al. 2017, section 3.5, term by term."""

import math
from collections.abc import Callable, Iterator
from types import ModuleType

import torch
from torch import Tensor

from .exercise import Remark, compare

LENGTH, D_MODEL = 50, 12


def judge(module: ModuleType) -> Iterator[Remark]:
    """`positions(length, d_model)`, [length, d_model]."""
    right = _table(lambda position, i: position / 10_000 ** (2 * i / D_MODEL))
    wrong: dict[str, Callable[[], Tensor]] = {
        "positions_concatenated": lambda: torch.cat((right[:, ::2], right[:, 1::2]), 1),
        "sine_and_cosine_swapped": lambda: right.unflatten(1, (-1, 2)).flip(2).flatten(1),
        "exponent_halved": lambda: _table(lambda p, i: p / 10_000 ** (i / D_MODEL)),
        "exponent_doubled": lambda: _table(lambda p, i: p / 10_000 ** (4 * i / D_MODEL)),
        "exponent_of_each_column": _each_column,
        "positions_from_one": lambda: _table(lambda p, i: (p + 1) / 10_000 ** (2 * i / D_MODEL)),
        "positions_multiplied": _multiplied,
    }
    answer: object = module.positions(LENGTH, D_MODEL)
    if isinstance(answer, Tensor) and answer.dim() == 3 and len(answer) == 1:
        answer = answer[0]
    yield from compare("positions", answer, right, wrong.items())


def _table(angle: Callable[[int, int], float]) -> Tensor:
    return torch.tensor(
        [
            [
                (math.cos if column % 2 else math.sin)(angle(position, column // 2))
                for column in range(D_MODEL)
            ]
            for position in range(LENGTH)
        ]
    )


def _multiplied() -> Tensor:
    """In float32, as students compute: such angles are too large for it to be exact."""
    angles = torch.arange(LENGTH)[:, None] * 10_000 ** (torch.arange(0, D_MODEL, 2) / D_MODEL)
    return torch.stack((angles.sin(), angles.cos()), -1).flatten(1)


def _each_column() -> Tensor:
    """The exponent of the paper's 2i taken for the column itself, odd ones too."""
    return torch.tensor(
        [
            [
                (math.cos if column % 2 else math.sin)(position / 10_000 ** (column / D_MODEL))
                for column in range(D_MODEL)
            ]
            for position in range(LENGTH)
        ]
    )
