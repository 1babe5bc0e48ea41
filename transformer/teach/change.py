"""What a lesson changed: differences of weights, as float16 numbers, and a model from them.

A learnt model is the model as it was and its change, to the bit, so that the change alone is kept:
11 to 14 MB of `en-zh`, whose copy takes 40. The rounding moves a weight by a thousandth of what the
lesson did.
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
        """A block of as few numbers as the difference allows."""
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
        """Of memory."""
        return self.lines.nbytes + (0 if self.at is None else self.at.nbytes)

    def on(self, tensor: Tensor) -> Tensor:
        """A new tensor: this one, changed."""
        if self.at is None:
            return tensor + self.lines
        new = tensor.clone()
        (new.T if self.across else new).index_add_(0, self.at, self.lines.float())
        return new


@dataclass(frozen=True, eq=False)
class Change:
    """All that a lesson changed.

    Attributes:
        hash: of the state that the model is in then.
        blocks: by the names of the parameters that moved; none where nothing was learnt.
    """

    hash: str
    blocks: Mapping[str, Block]

    def __len__(self) -> int:
        """Bytes of memory."""
        return sum(block.nbytes for block in self.blocks.values())

    def of(self, before: Translator) -> Translator:
        """The learnt model, put together anew; what stayed as it was is shared with `before`."""
        with Outlined():
            model = build_model(before.config)
        new: dict[Tensor, nn.Parameter] = {}  # a tied matrix is one
        with torch.no_grad():
            for name, tensor in before.model.named_parameters():
                block = self.blocks.get(name)
                moved = tensor.detach() if block is None else block.on(tensor)
                new[tensor] = nn.Parameter(moved, requires_grad=False)
        for name, tensor in before.model.named_parameters(remove_duplicate=False):
            _put(model, name, new[tensor])
        for name, tensor in before.model.named_buffers():
            _put(model, name, tensor)
        return Translator(replace(before.loaded, model=model.eval(), hash=self.hash))


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
