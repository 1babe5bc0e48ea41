"""Records of numbers that a trace, or several, come to, and how they are written as JSON."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any, ClassVar, cast

import numpy as np
import numpy.typing as npt

from .attended import Observed
from .candidates import Candidate
from .packing import finite, pack
from .trace import AttentionTrace


@dataclass(frozen=True, kw_only=True, eq=False)
class Result:
    """What an analysis found: a record of its numbers."""

    packed_as: ClassVar[str] = "float32"
    """How matrices travel; where it is empty, as nested lists, which a person can read."""

    schema: ClassVar[str] = ""
    """What `payload` has, a line for each name, as the protocol reads it: `float32? {kind} [layer,
    head] nats` is packed numbers of each kind, with two axes and a unit; `?` says that it may be
    null. In place of a type it may name a record of its module, or `One|Other`; where a record has
    no schema, its annotations say what it has."""

    def payload(self) -> dict[str, Any]:
        """The record as JSON values, without the trace, which who asks has.

        Arrays of two axes or more are packed (shape, dtype, base64); others are lists. JSON has
        neither NaN nor infinity: outside of packed arrays these are None.
        """
        values = {field.name: getattr(self, field.name) for field in fields(self)}
        return {
            name: self._json(value)
            for name, value in values.items()
            if not isinstance(value, AttentionTrace | Observed)
        }

    def _json(self, value: object) -> Any:
        match value:
            case Result() | Candidate():
                return value.payload()
            case np.ndarray():
                return self._numbers(value)
            case float():
                return value if math.isfinite(value) else None
            case None | str() | int():
                return value
            case Mapping():
                entries = cast(Mapping[str, object], value)
                return {name: self._json(each) for name, each in entries.items()}
            case tuple():
                return [self._json(each) for each in cast(tuple[object, ...], value)]
            case frozenset():
                return sorted(cast(frozenset[Any], value))
            case _:
                return str(value)

    def _numbers(self, array: npt.NDArray[Any]) -> Any:
        if not np.issubdtype(array.dtype, np.floating):
            return array.tolist()
        return pack(array, self.packed_as) if self.packed_as and array.ndim > 1 else finite(array)
