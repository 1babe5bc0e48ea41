"""Reads the corpus: correct models, and each with one line replaced by a wrong one."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
import torch
from torch import Tensor, nn

from transformer import check
from transformer.checker import Report

FOLDER = Path(__file__).parent / "corpus"
LINE = re.compile(r"^(?P<indent> *)# BUG (?P<code>\w+)(?: \[(?P<option>.*?)\])?: (?P<new>.*)$")
CALM = 600.0  # seconds: on a busy machine a call may wait long
FILES = tuple(sorted(path.stem for path in FOLDER.glob("*.py") if path.stem != "__init__"))


@dataclass(frozen=True)
class Mutation:
    """One line of a file replaced: `line` counts from 0; None for the correct model.

    Attributes:
        file: of the corpus.
        option: one of the file's OPTIONS.
        code: what the checker should say; "" for the correct model.
        line: which line is replaced.
        new: by what.
    """

    file: str
    option: str
    code: str = ""
    line: int | None = None
    new: str = ""

    @property
    def name(self) -> str:
        """For people."""
        return f"{self.file}{self.option}" + (f": {self.code}, {self.new}" if self.code else "")

    def module(self) -> ModuleType:
        """The file, run with the line replaced."""
        lines = list(_source(self.file))
        if self.line is not None:
            lines[self.line] = self.new
        module = ModuleType(f"corpus_{self.file}")
        exec(compile("\n".join(lines), f"{self.file}.py", "exec"), module.__dict__)
        return module


@cache
def _source(file: str) -> tuple[str, ...]:
    return tuple((FOLDER / f"{file}.py").read_text(encoding="utf-8").splitlines())


@cache
def correct_models(file: str) -> tuple[Mutation, ...]:
    """All models of a file as they are."""
    return tuple(Mutation(file, option) for option in Mutation(file, "").module().OPTIONS)


@cache
def mutations(file: str) -> tuple[Mutation, ...]:
    """All mutations of a file, each of the first model that it applies to."""
    options = [model.option for model in correct_models(file)]
    entries: list[Mutation] = []
    kept = 0
    for number, text in enumerate(_source(file)):
        match = LINE.match(text)
        if match is None:
            kept = number
            continue
        option = match["option"] if match["option"] is not None else options[0]
        old = _source(file)[kept]
        new = old[: len(old) - len(old.lstrip())] + match["new"]
        entries.append(Mutation(file, option, match["code"], kept, new))
    return tuple(entries)


def every_second(chosen: Sequence[Mutation]) -> list[Any]:
    """All of them as parameters of a test; slow but for the first, the third, …"""
    slow = pytest.mark.slow
    return [pytest.param(each, marks=[slow] if n % 2 else []) for n, each in enumerate(chosen)]


def batch(seed: int = 0, *, padded: bool = True) -> tuple[Tensor, Tensor]:
    """Source and target; targets start with token 1."""
    generator = torch.Generator().manual_seed(seed)
    src = torch.randint(3, 23, (4, 9), generator=generator)
    tgt = torch.randint(3, 23, (4, 8), generator=generator)
    if padded:
        src[0, 7:], src[1, 8:], tgt[0, 6:] = 0, 0, 0
    tgt[:, 0] = 1
    return src, tgt


def examine(
    mutation: Mutation, seed: int = 0, *, padded: bool = True, train: bool = False
) -> Report:
    """The checker's report on one model."""
    torch.manual_seed(seed)
    module = mutation.module()
    model: nn.Module = module.build(**module.OPTIONS[mutation.option]).train(train)
    call: Callable[..., Any] | None = getattr(module, "call", None)
    loss: Callable[..., Any] | None = getattr(module, "loss", None)
    src, tgt = batch(seed, padded=padded)
    kind = module.KIND
    if kind == "encoder-decoder":
        return check(model, src, tgt, call=call, loss=loss, seconds=CALM)
    ids = src if kind == "encoder" else tgt
    return check(model, ids, call=call, loss=loss, kind=kind, seconds=CALM)
