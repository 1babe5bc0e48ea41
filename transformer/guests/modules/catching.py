"""Chosen softmaxes of a module, caught in one run; whatever else it computes is only run."""

from collections import Counter
from collections.abc import Callable
from typing import Any

from torch import Tensor, nn

from ...eyes.batches import Batch
from ...eyes.calling import Caller
from ...eyes.dispatch import Placed
from ...eyes.softmax import SOFTMAXES
from .layout import taken
from .slots import Key, Learnt, Slot, lengths_of
from .tables import Caught, Heads, Untold, allowed_of, readable

Keep = Callable[[Key, Tensor | None, Tensor], None]
"""Gets what went into an operation, if it is a softmax's, and what came out of it."""


class Catcher(Placed):
    """Hands on what operations of some names make, each with where it ran.

    Args:
        module: whose submodules are the places.
        names: of aten's operations, without overload.
        keep: gets each.
    """

    def __init__(self, module: nn.Module, names: set[str], keep: Keep) -> None:
        super().__init__(module)
        self.counts: Counter[tuple[str, str]] = Counter()
        self._keep = keep
        self._names = {f"aten::{name}" for name in names}

    def operation(self, func: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """Runs one operation, and hands it on if it is of one of the names."""
        out = func(*args, **kwargs)
        if func._schema.name in self._names:
            name = func._schema.name.removeprefix("aten::")
            number = self.counts[self.place, name]
            self.counts[self.place, name] += 1
            self._keep((self.place, name, number), args[0] if name in SOFTMAXES else None, out)
        return out


def catch(caller: Caller, batch: Batch, learnt: Learnt) -> Caught:
    """The attention of one text, by what was learnt of the module.

    Raises:
        CallFailed: the module raised.
        Untold: it ran otherwise than what was learnt.
    """
    slots: dict[Key, Slot] = {slot.key: slot for slot in learnt.slots}
    lengths = lengths_of(batch)
    caught = Caught(changed=learnt.changed)
    failed: list[Untold] = []

    def keep(key: Key, scores: Tensor | None, weights: Tensor) -> None:
        slot = slots.get(key)
        if slot is None:
            return
        try:
            table = taken(weights, slot.query, slot.key_layout, lengths)
            given = None if scores is None else taken(scores, slot.query, slot.key_layout, lengths)
        except Untold as error:
            failed.append(error)
            return
        caught.dtype = weights.dtype
        values = readable(table)
        spaces = slot.query.space, slot.key_layout.space
        first = slot.query.first, slot.key_layout.first
        caught.add(slot.kind, slot.layer, Heads(values, allowed_of(values, given), first, spaces))

    catcher = Catcher(caller.module, {name for _, name, _ in slots}, keep)
    with catcher.watching():
        caller.returned(batch)
    if failed:
        raise failed[0]
    if any(catcher.counts[place] != count for place, count in learnt.counts.items()):
        raise Untold("as many softmaxes as there are tokens: its steps run one by one")
    return caught
