"""Greedy decoding, with a model whose every next token is known."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import partial
from types import ModuleType
from typing import cast

import torch
from torch import Tensor

from .exercise import Remark, ToldError, ask, first_wrong, slips, usual

NAME = "greedy"
SIZE = 10
MOST_CALLS = 40
ENOUGH, FEW = 20, 2
"""Steps: more than the text needs, and fewer."""

USUAL = usual("decoding")


@dataclass
class Chain:
    """A model that says 5 7 4 </s>, and nonsense after it.

    Attributes:
        bos: <s>.
        eos: </s>.
        calls: how often it was asked.
    """

    bos: int
    eos: int
    calls: int = field(default=0)

    @property
    def src(self) -> Tensor:
        """The source, int64 [1, src]."""
        return torch.tensor([[8, 0, self.eos]])

    @property
    def whole(self) -> list[int]:
        """The ids that the model says from first to last."""
        return [5, 7, 4, self.eos]

    def __call__(self, src: Tensor, tgt: Tensor) -> Tensor:
        """Logits [1, tgt, vocabulary]."""
        self.calls += 1
        if self.calls > MOST_CALLS:
            length = tgt.numel() if isinstance(tgt, Tensor) else 0  # pyright: ignore[reportUnnecessaryIsInstance]
            code = "never_ends" if length > 2 else "never_grows"
            values = {"count": MOST_CALLS, "limit": ENOUGH, "length": length}
            raise ToldError(code, function=NAME, **values)
        if not isinstance(tgt, Tensor) or tgt.dim() != 2 or len(tgt) != 1:  # pyright: ignore[reportUnnecessaryIsInstance]
            shape = list(tgt.shape) if isinstance(tgt, Tensor) else type(tgt).__name__  # pyright: ignore[reportUnnecessaryIsInstance]
            raise ToldError("target_shape", function=NAME, shape=shape)
        if not torch.equal(src, self.src):
            raise ToldError("other_source", function=NAME)
        if not tgt.numel():
            raise ToldError("nothing_read", function=NAME)
        ids = [int(i) for i in tgt[0]]
        follows = {self.bos: 5, 5: 7, 7: 4, 4: self.eos, self.eos: 9, 9: 9, 8: 8}
        logits = torch.zeros(1, len(ids), SIZE)
        for place, token in enumerate(ids):
            # Whoever hands in the last token without those before it has lost the way.
            logits[0, place, follows.get(token, 8) if ids[0] == self.bos else 6] = 1 + place
        return logits


def judge(module: ModuleType) -> Iterator[Remark]:
    """`greedy(model, src, bos_id, eos_id, max_steps)` → ids, with `</s>` and without `<s>`."""
    return first_wrong(_remarks(module, bos, eos) for bos, eos in ((1, 2), (3, 1)))


def _remarks(module: ModuleType, bos: int, eos: int) -> Iterator[Remark]:
    answers: list[list[int]] = []
    changed: list[Remark] = []
    for steps in (ENOUGH, FEW, ENOUGH):
        chain = Chain(bos, eos)
        answer, changed = ask(NAME, partial(module.greedy, chain), bos, eos, steps, src=chain.src)
        ids = _ids(answer)
        if ids is None:
            code = "nothing_returned" if answer is None else "no_ids"
            yield Remark(code, {"function": NAME, "type": type(answer).__name__})
            return
        answers.append(ids)
    whole, short, again = answers
    right = Chain(bos, eos).whole
    if whole != again:
        yield Remark("not_greedy", {"function": NAME})
    elif whole == right and short == right[:FEW]:
        yield from changed
    elif bos != 1 and whole != right:
        yield Remark("ids_fixed", {"function": NAME, "bos": bos, "eos": eos})
    else:
        yield from _named(whole, short, bos, eos)


def _named(whole: list[int], short: list[int], bos: int, eos: int) -> Iterator[Remark]:
    given = torch.tensor([len(whole), *whole, *short])
    for codes, value in slips(partial(_greedy, bos, eos), USUAL):
        if torch.equal(value(), given):
            values = {"function": NAME, "limit": FEW, "count": len(short)}
            yield from (Remark(code, values) for code in codes)
            return
    right = Chain(bos, eos).whole
    yield Remark("other_ids", {"function": NAME, "ids": whole, "right": right})


def _greedy(
    bos: int,
    eos: int,
    *,
    keep_start: bool = False,
    keep_end: bool = True,
    heed_end: bool = True,
    limit: str = "right",
    row: int | None = -1,
    read: str = "all",
    start: str = "bos",
    choose: str = "likeliest",
) -> Tensor:
    """How many ids greedy decoding, right or wrong, gives; those; and those of few steps."""
    answers: list[list[int]] = []
    for steps in (ENOUGH, FEW):
        chain = Chain(bos, eos)
        read_first = cast(list[int], chain.src[0].tolist())
        begun = {"bos": [bos], "twice": [bos, bos], "eos": [eos], "src": read_first}[start]
        ids = [*begun]
        most = {"right": steps, "late": steps + 1, "early": steps - 1, "none": ENOUGH}[limit]
        while len(ids) - len(begun) < most:
            tgt = {"all": ids, "last": ids[-1:], "first": begun}[read]
            logits = chain(chain.src, torch.tensor([tgt]))[0]
            chosen = logits if row is None else logits[max(row, -len(logits))]
            choices = {"least": chosen.argmin, "number": chosen.max}
            ids.append(int(choices.get(choose, chosen.argmax)()))
            if heed_end and ids[-1] == eos:
                break
        if not keep_end and ids[-1] == eos:
            ids.pop()
        answers.append(ids if keep_start else ids[len(begun) :])
    return torch.tensor([len(answers[0]), *answers[0], *answers[1]])


def _ids(answer: object) -> list[int] | None:
    if isinstance(answer, Tensor):
        return [int(i) for i in answer.flatten()]
    try:
        return [int(i) for i in cast(list[int], answer)]
    except (TypeError, ValueError, RuntimeError):
        return None
