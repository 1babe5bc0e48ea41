"""Greedy decoding, with a model whose every next token is known."""

from collections.abc import Iterator
from types import ModuleType
from typing import cast

import torch
from torch import Tensor

from .exercise import Remark

BOS, EOS, SIZE = 1, 2, 10
CHAIN = {BOS: 5, 5: 7, 7: 4, 4: EOS, EOS: 9, 9: 9, 8: 8}
"""What follows each token: 5 7 4 </s>, and nonsense after it."""

SRC = torch.tensor([[8, 3, EOS]])


def judge(module: ModuleType) -> Iterator[Remark]:
    """`greedy(model, src, bos_id, eos_id, max_steps)` → ids, with `</s>` and without `<s>`."""
    seen: list[list[int]] = []

    def model(src: Tensor, tgt: Tensor) -> Tensor:
        """Logits [1, tgt, vocabulary]; it counts what it is asked."""
        if not torch.equal(src, SRC) or len(seen) > 40:
            raise ValueError("this is not the source that `greedy` was given")
        ids = [int(i) for i in tgt[0]]
        seen.append(ids)
        logits = torch.zeros(1, len(ids), SIZE)
        for place, token in enumerate(ids):
            # Whoever hands in the last token without those before it has lost the way.
            logits[0, place, CHAIN.get(token, 8) if ids[0] == BOS else 6] = 1
        return logits

    whole, [short] = [5, 7, 4, EOS], [_ids(module.greedy(model, SRC, BOS, EOS, 2))]
    seen.clear()
    answer = _ids(module.greedy(model, SRC, BOS, EOS, 20))
    if answer is None or short is None:
        yield Remark("no_ids", {"function": "greedy"})
    elif answer == whole and short == whole[:2]:
        return
    elif answer == whole:
        yield Remark("limit_ignored", {"function": "greedy", "count": len(short)})
    elif answer == [BOS, *whole]:
        yield Remark("start_returned", {"function": "greedy"})
    elif answer in (whole[:-1], [BOS, *whole[:-1]]):
        yield Remark("end_not_returned", {"function": "greedy"})
    elif answer[: len(whole)] == whole:
        yield Remark("end_not_heeded", {"function": "greedy"})
    elif set(answer) <= {5, BOS}:
        yield Remark("first_row_taken", {"function": "greedy"})
    elif any(len(tokens) == 1 and tokens != [BOS] for tokens in seen):
        yield Remark("only_last_token_read", {"function": "greedy"})
    else:
        yield Remark("other_ids", {"function": "greedy", "ids": answer, "right": whole})


def _ids(answer: object) -> list[int] | None:
    if isinstance(answer, Tensor):
        return [int(i) for i in answer.flatten()]
    try:
        return [int(i) for i in cast(list[int], answer)]
    except (TypeError, ValueError):
        return None
