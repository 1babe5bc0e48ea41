"""AttentionTrace: everything one decode computed, as the record that all pictures read.

The order of axes is [layer, head, query, key] everywhere.
"""

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ..printed import printable
from .candidates import Candidate, Glosses
from .checks import check_trace
from .fields import TraceFields
from .guest import Layers
from .guest_checks import check_guest
from .guest_json import packed_layers, read, read_layers, with_defaults, written
from .head_names import read_representative_heads
from .interventions import Intervention
from .kinds import KINDS, Kind, query_tokens
from .numbers import Numbers, packed_numbers, sizes_of
from .packing import Weights, pack, read_only, refusing
from .sampling import Sampling
from .saved import SCHEMA, check_labels, check_schema, read_file

if TYPE_CHECKING:
    from plotly.graph_objects import Figure


UNSAID: dict[str, Any] = {
    "checkpoint": "",
    "interventions": [],
    "sampling": None,
    "heads": {},
    "glosses": None,
    "read_as": None,
}
"""What a trace means that lacks a field."""


NO_LABELS = (*KINDS, "guest")


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class AttentionTrace(TraceFields):
    """One decode: its tokens, what it nearly said, and every attention weight it was made of.

    `TraceFields` tells its fields.

    Raises:
        ValueError: a shape contradicts the labels, or the weights are not weights.
    """

    def __post_init__(self) -> None:
        if self.guest is None:
            check_trace(self)
            return
        for kind in self.guest.ragged:
            # So that whoever asks for one array is told that there is none: see `__getattr__`.
            object.__delattr__(self, kind)
        check_guest(self, self.guest)

    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any:
            if name in KINDS and name in self.guest.ragged:
                raise AttributeError(
                    f"{name} is no one array, as its layers are not alike: "
                    f'read trace.layers("{name}"), by layer [head, query, key] or None'
                )
            raise AttributeError(f"a trace has no {name!r}")

    @property
    def without_effect(self) -> tuple[Intervention, ...]:
        """Interventions in a row that is not there: the translation ended before it."""
        rows = {kind: len(query_tokens(self, kind)) for kind in KINDS}
        return tuple(c for c in self.interventions if c.kind and (c.row or 0) >= rows[c.kind])

    def weights(self, kind: Kind) -> Weights | None:
        """The weights of one kind, [layer, head, query, key]."""
        return self.of(kind)

    def to_dict(self, dtype: str = "float32") -> dict[str, Any]:
        """The trace as JSON values, schema "headlight-trace".

        Names, labels and candidates stand under the attributes' names; each kind's weights are
        {"shape": [layer, head, query, key], "dtype", "data"}, the data being base64 of the
        little-endian numbers in C order, or null.

        Args:
            dtype: "float32" is exact; "float16" (error at most 2.5e-4) is half as large, and what
                the page gets; "uint16" (at most 1.6e-5) is what a page in one file carries,
                compressed, and no other reader takes.
        """
        arrays = self.arrays()
        weights: dict[str, Any] = {
            kind: None if (array := arrays.get(kind)) is None else pack(array, dtype)
            for kind in KINDS
        }
        if self.guest is None:
            return {**self.header(), **weights}
        weights |= {k: packed_layers(layers, dtype) for k, layers in self.guest.ragged.items()}
        sink = {
            kind: packed_layers(by, "float32" if dtype == "uint16" else dtype)
            for kind, by in self.guest.sink.items()
        }
        if sink:
            weights["sink"] = sink
        return self.header() | {name: it for name, it in weights.items() if it is not None}

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> "AttentionTrace":
        """The inverse of `to_dict()`; rows of float16 weights are made to sum to 1 again.

        Raises:
            ValueError: another schema or version, or contradictory content.
        """
        with refusing():
            return cls._from_parts(values, packed_numbers(values, check_schema(values)))

    def save(self, path: str | Path) -> None:
        """Writes the trace as `.json` (see `to_dict`), as `.npz`, or as `.html` to look at.

        The `.json` and the `.npz` are exact; docs/trace-format.md describes both. The `.html` is
        the whole viewer in one file: it needs no server and no network, and is not for `load`.

        Raises:
            ValueError: another suffix.
        """
        path = Path(path)
        suffix = path.suffix.lower()
        if suffix == ".json":
            path.write_text(json.dumps(self.to_dict(), ensure_ascii=False), encoding="utf-8")
        elif suffix == ".npz":
            names, by_layer = self._archived()
            labels = np.frombuffer(json.dumps(self.header() | names).encode(), np.uint8)
            arrays: dict[str, Any] = {"labels": labels, **self.arrays(), **by_layer}
            with path.open("wb") as file:  # of a path, NumPy makes "x.NPZ.npz"
                np.savez_compressed(file, **arrays)
        elif suffix == ".html":
            from ..show.replay import replay_html

            path.write_text(replay_html(self), encoding="utf-8")
        else:
            raise ValueError(f"a trace is saved as .json, .npz or .html, not {path.name!r}")

    @classmethod
    def load(cls, path: str | Path) -> "AttentionTrace":
        """Reads what `save` or the page wrote, by what is in the file, whatever it is called.

        Raises:
            OSError: the file cannot be read.
            ValueError: it holds no trace.
        """
        with refusing():
            return cls._from_parts(*read_file(Path(path)))

    def show(self) -> None:
        """Shows the trace as the viewer: in a notebook's cell, else in a browser, from a file."""
        from ..show.showing import show

        show(self)

    def heatmap(self, kind: str, layer: int, head: int) -> "Figure":
        """One head's weights as a Plotly figure: `figures.heatmap`, which says more."""
        from ..show.heatmap import heatmap

        return heatmap(self, kind, layer, head)

    def __repr__(self) -> str:
        """One line, for a notebook's or a debugger's list: all of it is in the attributes."""
        sides = [len(side) for side in (self.src, self.tgt_in) if side]
        changes = "".join(f", {change}" for change in self.interventions)
        texts = " → ".join(_short(text) for text in (self.source, self.translation))
        if self.guest is not None:
            texts = _short((self.guest.form == "decoder" and self.translation) or self.source)
        sizes = f"{' → '.join(map(str, sides))} tokens, {self._heads()} heads"
        return printable(f"<AttentionTrace {self.model}: {texts}, {sizes}{changes}>")

    def _heads(self) -> str:
        layers = self.layers("decoder_self") or self.layers("encoder_self") or self.layers("cross")
        numbers = {len(layer) for layer in layers or () if layer is not None}
        least, most = min(numbers), max(numbers)
        return f"{len(layers or ())} x {most if least == most else f'{least} to {most}'}"

    def _repr_html_(self) -> str:
        """The page's viewer, in a notebook's cell."""
        from ..show.replay import replay_frame

        return replay_frame(self)

    def header(self) -> dict[str, Any]:
        """Everything but the arrays."""
        if self.guest is None:
            return {"schema": SCHEMA, "version": 1, **self._labels()}
        labels = self._labels()
        tokens: list[str] = labels["tgt_out"]
        labels["tgt_out"] = [token or None for token in tokens] if any(tokens) else None
        labels["source"] = list(self.guest.pair or ()) or self.source
        labels = {name: value for name, value in labels.items() if value}
        return {"schema": SCHEMA, "version": 2, **labels, **written(self.guest)}

    def _archived(self) -> tuple[dict[str, Any], dict[str, Weights]]:
        """What is told by layer: the names of an archive's arrays, and these."""
        arrays: dict[str, Weights] = {}

        def named(name: str, layers: Layers) -> list[str | None]:
            members = {f"{name}.{i}": layer for i, layer in enumerate(layers) if layer is not None}
            arrays.update(members)
            return [key if (key := f"{name}.{i}") in members else None for i in range(len(layers))]

        if self.guest is None:
            return {}, {}
        names: dict[str, Any] = {k: named(k, layers) for k, layers in self.guest.ragged.items()}
        sinks = {kind: named(f"sink.{kind}", by) for kind, by in self.guest.sink.items()}
        return names | ({"sink": sinks} if sinks else {}), arrays

    def _labels(self) -> dict[str, Any]:
        return {
            **{f.name: getattr(self, f.name) for f in fields(self) if f.name not in NO_LABELS},
            "candidates": [[each.payload() for each in step] for step in self.candidates],
            "interventions": [str(change) for change in self.interventions],
            "sampling": self.sampling and asdict(self.sampling),
            "heads": {
                kind: representative.payload() for kind, representative in self.heads.items()
            },
            "glosses": self.glosses and self.glosses._asdict(),
        }

    @classmethod
    def _from_parts(cls, labels: Mapping[str, Any], numbers: Numbers) -> "AttentionTrace":
        version, rest = labels["version"], labels
        if version == 2:
            labels, rest = with_defaults(labels)
        # What earlier versions did not know, their traces say nothing of.
        labels = {**UNSAID, **labels}
        check_labels({"stop_reason": "eos", **labels} if version == 2 else labels)
        values: dict[str, Any] = {
            field.name: labels.get(field.name)
            for field in fields(cls)
            if field.name not in NO_LABELS
        }
        for name in ("src", "tgt_in", "tgt_out", "src_ids", "tgt_ids"):
            values[name] = tuple(values[name])
        values["candidates"] = tuple(
            tuple(Candidate(**candidate) for candidate in step) for step in values["candidates"]
        )
        values["interventions"] = tuple(map(Intervention.parse, values["interventions"]))
        values["sampling"] = values["sampling"] and Sampling(**values["sampling"])
        if (glosses := values["glosses"]) is not None:
            values["glosses"] = Glosses(tuple(glosses["src"]), tuple(glosses["tgt"]))
        values["heads"] = read_representative_heads(values["heads"], sizes_of(numbers))
        values |= dict.fromkeys(KINDS)
        ragged: dict[Kind, Layers] = {}
        for kind, layers in numbers.weights.items():
            if isinstance(layers, list):
                ragged[kind] = read_layers(layers)
            else:
                values[kind] = read_only(layers)
        if version == 2:
            sinks = {kind: read_layers(by) for kind, by in numbers.sinks.items()}
            values["guest"] = read({**rest, "sink": sinks}, ragged)
        return cls(**values)


def _short(text: str, most: int = 60) -> str:
    return repr(text if len(text) <= most else f"{text[: most - 1]}…")
