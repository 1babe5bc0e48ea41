"""What a correction changed: differences of weights, as float16 numbers, and a model from them.

A learnt model is the model as it was and its change, to the bit, so that the change alone is kept:
11 to 14 MB of `en-zh`, whose copy takes 40. The rounding moves a weight by a thousandth of what the
correction did.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace

import torch
from torch import Tensor, nn

from ..model.towers import Model, build_model
from ..model.unfilled import Outlined
from ..translator import Translator


@dataclass(frozen=True, eq=False)
class Block:
    """The difference of one tensor, without rows or columns that stay as they were.

    Attributes:
        lines: float16, [line, ...].
        at: where the lines are; None where they are all there are.
        across: whether lines are columns.
    """

    lines: Tensor
    at: Tensor | None = None
    across: bool = False

    @classmethod
    def of(cls, difference: Tensor) -> "Block":
        """A block of as few numbers as the difference, of any shape, allows."""
        if difference.dim() != 2:
            return cls(difference)
        sizes = difference.abs()
        rows, columns = sizes.amax(1) > 0, sizes.amax(0) > 0
        across = bool(columns.float().mean() < rows.float().mean())
        lines, those = (difference.T, columns) if across else (difference, rows)
        if bool(those.all()):
            return cls(difference)
        at = those.nonzero()[:, 0]
        return cls(lines[at].contiguous(), at, across)

    @property
    def nbytes(self) -> int:
        """Bytes of memory."""
        return self.lines.nbytes + (0 if self.at is None else self.at.nbytes)

    def on(self, before: Tensor, new: Tensor) -> None:
        """Writes into `new` what was before, changed: all of the shape of the difference."""
        if self.at is None:
            torch.add(before, self.lines, out=new)
        else:
            lines = self.lines.float()
            new.index_add_(int(self.across), self.at, lines.T if self.across else lines)

    def off(self, before: Tensor, new: Tensor) -> None:
        """Writes into `new` what was before: both of the shape of the difference."""
        if self.at is None:
            new.copy_(before)
        else:
            across = int(self.across)
            new.index_copy_(across, self.at, before.index_select(across, self.at))


@dataclass(frozen=True, eq=False)
class Change:
    """The change of every block that a correction changed.

    Attributes:
        hash: of the state that the model is in then.
        blocks: by the names of the parameters that moved; none where nothing was learnt.
    """

    hash: str
    blocks: Mapping[str, Block]

    def __len__(self) -> int:
        """Bytes of memory."""
        return sum(block.nbytes for block in self.blocks.values())

    def of(self, before: Translator, spare: "Learnt | None" = None) -> "Learnt":
        """The learnt model, put together anew.

        Args:
            before: as it was.
            spare: what was put together of the same, and nobody uses any more. Its memory is
                written anew, which takes half the time.
        """
        model = spare.model if spare else _copy(before.model)
        was: Mapping[str, Block] = spare.change.blocks if spare else {}
        with torch.no_grad():
            for name, tensor in before.model.named_parameters():
                block, old, new = self.blocks.get(name), was.get(name), model.get_parameter(name)
                if old and not (block and block.at is None):  # which would write over it
                    old.off(tensor, new)
                if block:
                    block.on(tensor, new)
        return Learnt(before, self, model)


@dataclass(frozen=True, eq=False)
class Learnt:
    """A model in memory: as it was before, and a change.

    Attributes:
        before: as it was.
        change: what it has learnt.
        model: it, whose weights are its own.
    """

    before: Translator
    change: Change
    model: Model

    def translator(self) -> Translator:
        """A translator with this model."""
        return Translator(replace(self.before.loaded, model=self.model, hash=self.change.hash))


def _copy(before: Model) -> Model:
    with Outlined():
        model = build_model(before.config)
    new = {  # a tied matrix is one
        tensor: nn.Parameter(tensor.detach().clone(), requires_grad=False)
        for tensor in before.parameters()
    }
    for name, tensor in before.named_parameters(remove_duplicate=False):
        _put(model, name, new[tensor])
    for name, tensor in before.named_buffers():
        _put(model, name, tensor)
    return model.eval()


def settle(before: Model, after: Model, hash: str) -> Change | None:
    """Rounds what one model has learnt since it was the other, in its place.

    Args:
        before: as it was.
        after: the same, taught; it becomes what `Change.of` puts together.
        hash: of its state.
    Returns:
        What it has learnt; None where float16 cannot hold that.
    """
    blocks: dict[str, Block] = {}
    with torch.no_grad():
        for name, tensor in before.named_parameters():
            learnt = after.get_parameter(name)
            difference = (learnt - tensor).half()
            most = difference.abs().max().item()
            if not math.isfinite(most):
                return None
            torch.add(tensor, difference, out=learnt.data)
            if most:
                blocks[name] = Block.of(difference)
    return Change(hash, blocks)


def _put(model: Model, name: str, tensor: Tensor) -> None:
    path, _, own = name.rpartition(".")
    setattr(model.get_submodule(path), own, tensor)
