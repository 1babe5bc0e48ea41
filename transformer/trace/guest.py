"""What a trace tells besides when its weights are a guest's: of a model that is not one of ours.

These are the fields that version 2 of the format adds; docs/trace-format.md describes them.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from .kinds import Kind
from .packing import Weights

Form = Literal["encoder", "decoder", "encoder-decoder"]
By = Literal["headlight", "hooks", "module", "given"]
Precision = Literal["float32", "float16", "bfloat16"]
Side = Literal["src", "tgt"]

TOLERANCE: dict[str, float] = {"float32": 1e-5, "float16": 1e-3, "bfloat16": 8e-3}
"""How far a row's sum may be from 1, by what its model computed in (2.1e-3 was measured in
bfloat16, at 512 keys)."""

Layers = tuple[Weights | None, ...]
"""Weights by layer [head, query, key]; None for one without attention, or that was left out."""

Cells = npt.NDArray[np.bool_]
"""[query, key]: True where the row may attend."""


@dataclass(frozen=True)
class Window:
    """A causal mask that hides, too, what lies `size` tokens or more behind a row."""

    size: int


Mask = Literal["none", "causal"] | Window | Cells
Masks = tuple[Mask | None, ...]
"""Masks by layer; None where nothing is said of one."""


class Hidden(NamedTuple):
    """A token of the source that was masked; the model saw `[MASK]` in its place."""

    at: int
    token: str
    id: int | None = None


@dataclass(frozen=True)
class Origin:
    """Where weights come from.

    Attributes:
        by: "hooks" in a guest, a "module" that was watched, or tensors that were "given".
        library: "torch", "numpy" and so on, if anybody knows.
        model_class: the name of the model's class, if anybody knows.
        dtype: what the model computed in, which says how exact a row's sum is.
    """

    by: By = "given"
    library: str = ""
    model_class: str = ""
    dtype: Precision = "float32"


@dataclass(frozen=True, kw_only=True, eq=False)
class Guest:
    """What only a guest's trace has.

    Attributes:
        origin: where the weights come from.
        form: which towers there are.
        ragged: by layer, the weights of a kind whose layers have unlike numbers of heads, or of
            which some have none; `AttentionTrace.layers` gives these and all others.
        mask: of each kind, or of each of its layers, what a row may attend to; a kind that is not
            named has what its kind has with us.
        sink: of each kind, by layer [head, query]: what a row gave to no token at all.
        key_value_heads: of each kind, by layer, how many heads keys and values have.
        words: of each side, by token, the number of the word that it belongs to; None for none.
        parts: of each side, by token, 0 of the first sentence, 1 of the second, -1 of a template.
        pair: the two sentences of a source that is a pair.
        hidden: what was masked in the source.
        predicts: whose rows `candidates` belong to.
        forced_by: by row, the setting that forced its token; None where none did.
    """

    origin: Origin
    form: Form
    ragged: Mapping[Kind, Layers] = field(default_factory=dict[Kind, Layers])
    mask: Mapping[Kind, Mask | Masks] = field(default_factory=dict[Kind, Mask | Masks])
    sink: Mapping[Kind, Layers] = field(default_factory=dict[Kind, Layers])
    key_value_heads: Mapping[Kind, tuple[int | None, ...]] = field(
        default_factory=dict[Kind, tuple[int | None, ...]]
    )
    words: Mapping[Side, tuple[int | None, ...]] = field(
        default_factory=dict[Side, tuple[int | None, ...]]
    )
    parts: Mapping[Side, tuple[int, ...]] = field(default_factory=dict[Side, tuple[int, ...]])
    pair: tuple[str, str] | None = None
    hidden: tuple[Hidden, ...] = ()
    predicts: Side = "tgt"
    forced_by: tuple[str | None, ...] = ()

    def mask_of(self, kind: Kind, layer: int) -> Mask | None:
        """The mask of one layer, by name or bool [query, key]; None where nothing is said of it."""
        mask = self.mask.get(kind)
        return mask[layer] if isinstance(mask, tuple) else mask


def may_attend(mask: Mask, num_queries: int, num_keys: int) -> Cells:
    """What a mask lets a row attend to, [query, key]."""
    if isinstance(mask, np.ndarray):
        return mask
    cells = np.ones((num_queries, num_keys), bool)
    if mask == "none":
        return cells
    cells = np.tril(cells)
    return cells if mask == "causal" else cells & ~np.tril(cells, -mask.size)
