"""How large the gradient is, part by part and head by head: where a step of training acts."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor, nn

from ..model.towers import Model
from ..recording.hooks import attention_modules
from ..trace.kinds import KINDS, Kind, num_layers
from ..trace.packing import Weights, read_only

SUBLAYERS = ("self_attention", "cross_attention", "feed_forward")


@dataclass(frozen=True)
class Parts:
    """What a model's parameters are parts of, in the order of the flow.

    A LayerNorm belongs to the sublayer that it stands behind, or before. A matrix that is
    embedding and output in one is of the last part that it belongs to.

    Attributes:
        names: "encoder.embedding", "encoder.L1.self_attention", "encoder.L1.feed_forward", …,
            "decoder.embedding", "decoder.L1.cross_attention", …, "output".
        of: each parameter's place among the names.
        shared: parts that have no parameters of their own, and the part that has them.
    """

    names: tuple[str, ...]
    of: Mapping[nn.Parameter, int]
    shared: Mapping[str, str]


def parts_of(model: Model) -> Parts:
    """A model's parts."""
    parameters = {
        part: [p for m in modules for p in m.parameters()] for part, modules in _parts(model)
    }
    owner = {parameter: part for part, own in parameters.items() for parameter in own}
    names = tuple(part for part in parameters if part in owner.values())
    shared = {part: owner[own[0]] for part, own in parameters.items() if part not in names}
    return Parts(names, {p: names.index(part) for p, part in owner.items()}, shared)


def _parts(model: Model) -> Iterator[tuple[str, list[nn.Module]]]:
    towers = model.towers()
    for name, tower in towers.items():
        yield f"{name}.embedding", [tower.embedding.token]
        for index, layer in enumerate(tower.layers):
            for sublayer in filter(lambda each, on=layer: hasattr(on, each), SUBLAYERS):
                norm = getattr(layer, f"{sublayer}_residual").norm
                yield f"{name}.L{index + 1}.{sublayer}", [getattr(layer, sublayer), norm]
    yield "output", [model.decoder.output, *(tower.norm for tower in towers.values())]


class Sizes:
    """Collects, over one backward pass, the squares of all gradients."""

    def __init__(self, model: Model) -> None:
        config = model.config
        self.parts = parts_of(model)
        self._squares = np.zeros(len(self.parts.names))
        self._heads: dict[Kind, Tensor] = {
            kind: torch.zeros(num_layers(config, kind), config.num_heads, dtype=torch.float64)
            for kind in KINDS
            if num_layers(config, kind)
        }
        # Which axis the heads share: the rows of the three projections, [3 · head · d_head, …], and
        # the columns of the output projection, [d_model, head · d_head].
        self._axes: dict[nn.Parameter, tuple[Kind, int, int]] = {}
        for (kind, layer), module in attention_modules(model).items():
            self._axes |= dict.fromkeys(module.query_key_value.parameters(), (kind, layer, 0))
            output = next(module.output.parameters())
            self._axes[output] = (kind, layer, 1)
        self._num_heads = config.num_heads

    def add(self, parameter: nn.Parameter, gradient: Tensor) -> None:
        """Notes down a parameter's gradient, of the parameter's shape."""
        flat = gradient.flatten()  # squares of their own would take as much memory again
        self._squares[self.parts.of[parameter]] += flat.dot(flat).item()
        if (place := self._axes.get(parameter)) is None:
            return
        kind, layer, axis = place
        # [3 · d_model, …] → [d_model, 3 …]: the rows of one head stand together.
        rows = gradient if axis else gradient.view(3, gradient.size(0) // 3, -1).movedim(1, 0)
        squares = rows.square().sum(0) if axis else rows.square().sum((1, 2))
        self._heads[kind][layer] += squares.view(self._num_heads, -1).sum(1).cpu()

    def take(self) -> tuple[Weights, dict[Kind, Weights]]:
        """The lengths (L2) by part [part], and by kind [layer, head]; and begins anew."""
        by_head: dict[Kind, Weights] = {
            kind: read_only(squares.sqrt().numpy()) for kind, squares in self._heads.items()
        }
        norms = read_only(np.sqrt(self._squares)), by_head
        self._squares[:] = 0
        for squares in self._heads.values():
            squares.zero_()
        return norms
