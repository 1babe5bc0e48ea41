"""AttentionTrace: everything one decode computed, as the record that all pictures read.

The order of axes is [layer, head, query, key] everywhere.
"""

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from ..printed import printable
from .candidates import Candidate, Glosses
from .changes import causal_mask_of
from .head_names import TellingHead, read_telling_heads
from .interventions import Intervention
from .kinds import KINDS, ByKind, Kind, key_tokens, masked, query_tokens
from .packing import Weights, pack, read_only, refusing
from .sampling import Sampling, StopReason
from .saved import SCHEMA, VERSION, arrays_of, check_labels, check_schema, read_file

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


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class AttentionTrace(ByKind[Weights]):
    """One decode: its tokens, what it nearly said, and every attention weight it was made of.

    Row t of the decoder reads `tgt_in[t]` and emits `tgt_out[t]`.

    Attributes:
        model: name of the checkpoint.
        source: the text as typed.
        read_as: the text that was cut into tokens, if it is another than was typed; else None.
        translation: the text that `tgt_out` spells.
        src: labels of the encoder's input, ending in `</s>`; empty for a decoder-only model.
        tgt_in: labels of the decoder's input, starting with `<s>`.
        tgt_out: labels of the emitted tokens, as many as `tgt_in`.
        src_ids: token ids of `src`.
        tgt_ids: token ids of `tgt_out`.
        prefix_length: how many of `tgt_out` were forced rather than chosen.
        candidates: per step, the likeliest tokens, best first, and after them the emitted token if
            it is none of them.
        stop_reason: "eos" | "max_steps" | "max_length".
        interventions: what was changed in the model, if anything.
        sampling: how tokens were drawn; None for greedy decoding.
        checkpoint: the short hash of the checkpoint's files; empty if nobody knows.
        heads: of each kind, the head that tells most, as the checkpoint names it.
        glosses: of the tokens of `src` and `tgt_out`; None of a model without a lexicon.
        encoder_self: float32 [layer, head, src, src], or None for a decoder-only model.
        decoder_self: float32 [layer, head, tgt, tgt]; exactly 0 above the diagonal, unless an
            intervention took the causal mask away; below it, if one inverted the mask.
        cross: float32 [layer, head, tgt, src], or None for a decoder-only model.

    The arrays are read-only. Each row sums to 1, but for heads, or rows of them, that an
    intervention switched off: theirs are 0.

    Raises:
        ValueError: a shape contradicts the labels, or the weights are not weights.
    """

    model: str
    source: str
    translation: str
    src: tuple[str, ...]
    tgt_in: tuple[str, ...]
    tgt_out: tuple[str, ...]
    src_ids: tuple[int, ...]
    tgt_ids: tuple[int, ...]
    prefix_length: int
    candidates: tuple[tuple[Candidate, ...], ...]
    stop_reason: StopReason
    interventions: tuple[Intervention, ...]
    sampling: Sampling | None
    checkpoint: str
    heads: Mapping[Kind, TellingHead]
    glosses: Glosses | None
    read_as: str | None = None
    decoder_self: Weights

    def __post_init__(self) -> None:
        if not len(self.tgt_in) == len(self.tgt_out) == len(self.tgt_ids) == len(self.candidates):
            raise ValueError(
                f"{len(self.tgt_in)} tokens read, {len(self.tgt_out)} emitted, "
                f"{len(self.tgt_ids)} ids and {len(self.candidates)} lists of candidates: "
                "each step has one of each"
            )
        if len(self.src) != len(self.src_ids):
            raise ValueError(f"{len(self.src)} source tokens, but {len(self.src_ids)} ids")
        sizes = (len(self.src), len(self.tgt_out))
        if self.glosses is not None and tuple(map(len, self.glosses)) != sizes:
            raise ValueError(f"{[*map(len, self.glosses)]} glosses of {sizes} tokens")
        if not 0 <= self.prefix_length <= len(self.tgt_out):
            raise ValueError(f"a prefix of {self.prefix_length} in {len(self.tgt_out)} steps")
        if (self.encoder_self is None) != (self.cross is None):
            raise ValueError("encoder_self and cross come together, or not at all")
        for kind, weights in self.present():
            self._check_weights(kind, weights)
        self._check_heads()

    def _check_weights(self, kind: Kind, weights: Weights) -> None:
        num_queries, num_keys = len(query_tokens(self, kind)), len(key_tokens(self, kind))
        if weights.ndim != 4 or weights.shape[2:] != (num_queries, num_keys):
            raise ValueError(
                f"{kind} has shape {weights.shape}, but the labels ask for "
                f"(layer, head, {num_queries}, {num_keys})"
            )
        # Before anything is made of its size: without numbers in it, a shape may say anything.
        if not weights.size:
            raise ValueError(f"{kind} has shape {weights.shape}: no layer, head or token at all")
        if weights.dtype != np.float32 or weights.flags.writeable:
            raise ValueError(f"{kind} must be a read-only float32 array")
        if not np.isfinite(weights).all() or (weights < 0).any():
            raise ValueError(f"{kind} holds values that are negative or not finite")
        causal = causal_mask_of(self.interventions)
        if weights[..., masked(kind, num_queries, num_keys, causal)].any():
            if causal == "inverted":
                raise ValueError(f"{kind} attends to the past: it is not 0 below the diagonal")
            raise ValueError(f"{kind} attends to the future: it is not 0 above the diagonal")
        expected = np.ones(weights.shape[:3], np.float32)
        for change in self.interventions:
            if change.kind == kind and change.effect == "zero":
                row = slice(None) if change.row is None else slice(change.row, change.row + 1)
                expected[(*change.index(), row)] = 0
        worst = float(np.abs(weights.sum(-1) - expected).max(initial=0))
        if worst > 1e-5:
            raise ValueError(f"{kind} has a row whose sum is off by {worst:.2g}")

    def _check_heads(self) -> None:
        layers, heads = self.decoder_self.shape[:2]
        if self.cross is not None and self.cross.shape[:2] != (layers, heads):
            raise ValueError(
                f"cross has {self.cross.shape[:2]} layers and heads, but decoder_self has "
                f"{(layers, heads)}: every layer of a decoder has both kinds"
            )
        if self.encoder_self is not None and self.encoder_self.shape[1] != heads:
            raise ValueError(
                f"the encoder has {self.encoder_self.shape[1]} heads, the decoder {heads}: "
                "a model has one number of them"
            )

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
                the page gets.
        """
        return {
            "schema": SCHEMA,
            "version": VERSION,
            **self._labels(),
            **{
                kind: None if (weights := self.weights(kind)) is None else pack(weights, dtype)
                for kind in KINDS
            },
        }

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> "AttentionTrace":
        """The inverse of `to_dict()`; rows of float16 weights are made to sum to 1 again.

        Raises:
            ValueError: another schema or version, or contradictory content.
        """
        with refusing():
            check_schema(values)
            return cls._from_parts(values, arrays_of(values))

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
            header = {"schema": SCHEMA, "version": VERSION, **self._labels()}
            labels = np.frombuffer(json.dumps(header).encode(), np.uint8)
            arrays: dict[str, Any] = {"labels": labels, **dict(self.present())}
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
            values, arrays = read_file(Path(path))
            check_schema(values)
            return cls._from_parts(values, arrays)

    def heatmap(self, kind: str, layer: int, head: int) -> "Figure":
        """One head's weights as a Plotly figure: `figures.heatmap`, which says more."""
        from ..show.heatmap import heatmap

        return heatmap(self, kind, layer, head)

    def __repr__(self) -> str:
        """One line, for a notebook's or a debugger's list: all of it is in the attributes."""
        layers, heads = self.decoder_self.shape[:2]
        sizes = f"{len(self.src)} → {len(self.tgt_out)}" if self.src else f"{len(self.tgt_out)}"
        sizes = f"{sizes} tokens, {layers} x {heads} heads"
        changes = "".join(f", {change}" for change in self.interventions)
        said = f"{_short(self.source)} → {_short(self.translation)}"
        return printable(f"<AttentionTrace {self.model}: {said}, {sizes}{changes}>")

    def _repr_html_(self) -> str:
        """The same viewer as the page's, in a notebook's cell."""
        from ..show.replay import replay_frame

        return replay_frame(self)

    def _labels(self) -> dict[str, Any]:
        return {
            **{f.name: getattr(self, f.name) for f in fields(self) if f.name not in KINDS},
            "candidates": [[c._asdict() for c in step] for step in self.candidates],
            "interventions": [str(change) for change in self.interventions],
            "sampling": self.sampling and asdict(self.sampling),
            "heads": {kind: telling.told() for kind, telling in self.heads.items()},
            "glosses": self.glosses and self.glosses._asdict(),
        }

    @classmethod
    def _from_parts(
        cls, labels: Mapping[str, Any], arrays: Mapping[Kind, npt.NDArray[Any] | None]
    ) -> "AttentionTrace":
        # What earlier versions did not know, their traces say nothing of.
        labels = {**UNSAID, **labels}
        check_labels(labels)
        values = {
            field.name: labels[field.name] for field in fields(cls) if field.name not in KINDS
        }
        for name in ("src", "tgt_in", "tgt_out", "src_ids", "tgt_ids"):
            values[name] = tuple(values[name])
        values["candidates"] = tuple(
            tuple(Candidate(**candidate) for candidate in step) for step in values["candidates"]
        )
        values["interventions"] = tuple(map(Intervention.parse, values["interventions"]))
        values["sampling"] = values["sampling"] and Sampling(**values["sampling"])
        if (told := values["glosses"]) is not None:
            values["glosses"] = Glosses(tuple(told["src"]), tuple(told["tgt"]))
        sizes: dict[Kind, tuple[int, ...]] = {
            kind: array.shape[:2] for kind, array in arrays.items() if array is not None
        }
        values["heads"] = read_telling_heads(values["heads"], sizes)
        for kind, array in arrays.items():
            values[kind] = None if array is None else read_only(array)
        return cls(**values)


def _short(text: str, most: int = 60) -> str:
    return repr(text if len(text) <= most else f"{text[: most - 1]}…")
