"""Sinusoidal positions, against the formula of Vaswani et al. 2017, section 3.5, term by term."""

import math
from collections.abc import Iterator
from functools import partial
from types import ModuleType
from typing import Any

import torch
from torch import Tensor

from .exercise import Mistake, Remark, compare, first_wrong, slips

SIZES = ((50, 12), (9, 6))
"""length, d_model."""

USUAL: dict[str, dict[str, Any]] = {
    "positions_concatenated": {"order": "blocks"},
    "sine_and_cosine_swapped": {"order": "swapped"},
    "only_sines": {"order": "sines"},
    "only_cosines": {"order": "cosines"},
    "cosine_columns_empty": {"order": "even"},
    "sine_columns_empty": {"order": "odd"},
    "exponent_halved": {"exponent": lambda i, d: i / d},
    "exponent_doubled": {"exponent": lambda i, d: 4 * i / d},
    "exponent_from_one": {"exponent": lambda i, d: 2 * (i + 1) / d},
    "exponent_rounded": {"exponent": lambda i, d: 2 * i // d},
    "exponent_without_d_model": {"exponent": lambda i, _: 2 * i},
    "base_wrong": {"base": 1_000},
    "base_natural": {"base": math.e},
    "positions_from_one": {"start": 1},
    "positions_multiplied": {"sign": 1},
    "degrees": {"unit": math.pi / 180},
}


def judge(module: ModuleType) -> Iterator[Remark]:
    """`positions(length, d_model)`, [length, d_model]."""
    return first_wrong(_remarks(module, *sizes) for sizes in SIZES)


def _remarks(module: ModuleType, length: int, d_model: int) -> Iterator[Remark]:
    answer: object = module.positions(length, d_model)
    if isinstance(answer, Tensor) and answer.dim() == 3 and len(answer) == 1:
        answer = answer[0]
    return compare("positions", answer, _right(length, d_model), _wrong(length, d_model))


def _right(length: int, d_model: int) -> Tensor:
    def angle(position: int, column: int) -> float:
        return position / 10_000 ** (column // 2 * 2 / d_model)

    return torch.tensor(
        [
            [(math.cos if c % 2 else math.sin)(angle(p, c)) for c in range(d_model)]
            for p in range(length)
        ]
    )


def _wrong(length: int, d_model: int) -> Iterator[Mistake]:
    yield ("exponent_of_each_column",), lambda: _each_column(length, d_model)
    yield ("degrees",), lambda: _waves(length, d_model, unit=180 / math.pi)
    yield ("positions_transposed",), lambda: _right(length, d_model).T
    yield from slips(partial(_waves, length, d_model), USUAL)


def _waves(
    length: int,
    d_model: int,
    *,
    order: str = "",
    exponent: Any = lambda i, d: 2 * i / d,
    base: float = 10_000,
    start: int = 0,
    sign: int = -1,
    unit: float = 1,
) -> Tensor:
    """Waves in float32, as students compute: the largest of wrong angles are not exact in it."""
    i = torch.arange(d_model // 2)
    angles = torch.arange(start, start + length)[:, None] * base ** (sign * exponent(i, d_model))
    sines, cosines = (angles * unit).sin(), (angles * unit).cos()
    if order == "blocks":
        return torch.cat((sines, cosines), 1)
    nothing = torch.zeros_like(angles)
    pairs = {
        "swapped": (cosines, sines),
        "sines": (sines, sines),
        "cosines": (cosines, cosines),
        "even": (sines, nothing),
        "odd": (nothing, cosines),
    }
    return torch.stack(pairs.get(order, (sines, cosines)), -1).flatten(1)


def _each_column(length: int, d_model: int) -> Tensor:
    """The exponent of the paper's 2i taken for the column itself, odd ones too."""
    columns = torch.arange(d_model)
    angles = torch.arange(length)[:, None] / 10_000 ** (columns / d_model)
    return angles.sin().where(columns % 2 == 0, angles.cos())
