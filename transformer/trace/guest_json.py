"""What version 2 of the format adds, as JSON values and back."""

import base64
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from typing import Any, TypeVar, cast, get_args

import numpy as np
import numpy.typing as npt

from .guest import (
    By,
    Cells,
    Form,
    Guest,
    Hidden,
    Layers,
    Mask,
    Masks,
    Origin,
    Precision,
    Side,
    Window,
)
from .kinds import KINDS, Kind
from .packing import pack, read_only

T = TypeVar("T")
Values = Mapping[str, Any]

TEXTS = ("model", "checkpoint", "source", "translation")
LISTS = ("src", "tgt_in", "src_ids", "tgt_ids", "candidates", "interventions")


def written(guest: Guest) -> dict[str, Any]:
    """The fields of version 2, but for weights and sinks, as JSON values; empty ones are not."""
    values = {
        "origin": asdict(guest.origin),
        "form": guest.form,
        "words": {side: list(words) for side, words in guest.words.items()},
        "parts": {side: list(parts) for side, parts in guest.parts.items()},
        "hidden": [hidden._asdict() for hidden in guest.hidden],
        "predicts": None if guest.predicts == "tgt" else guest.predicts,
        "forced_by": list(guest.forced_by),
        "mask": {kind: _mask(mask) for kind, mask in guest.mask.items()},
        "key_value_heads": {kind: list(by) for kind, by in guest.key_value_heads.items()},
    }
    return {name: value for name, value in values.items() if value}


def packed_layers(layers: Layers, dtype: str) -> list[dict[str, Any] | None]:
    """The packed arrays of a kind by layer, weights [head, query, key] or sinks [head, query]."""
    return [None if layer is None else pack(layer, dtype) for layer in layers]


def with_defaults(values: Values) -> tuple[dict[str, Any], Values]:
    """A trace of version 2 as version 1 would tell it, as far as it can, and what it adds.

    Raises:
        ValueError: where it comes from, or its form, is not said.
    """
    given = {name: value for name, value in values.items() if value is not None}
    labels: dict[str, Any] = {name: value for name, value in given.items() if name not in KINDS}
    labels = {**dict.fromkeys(TEXTS, ""), **{name: [] for name in LISTS}, **labels}
    labels.setdefault("prefix_length", 0)
    rest: dict[str, Any] = {"pair": None, **given}
    if isinstance(source := labels["source"], list):
        rest["pair"] = cast(list[object], source)
        labels["source"] = " ".join(map(str, cast(list[object], source)))
    outputs: object = labels.get("tgt_out")
    if outputs is None:
        outputs = [None] * len(labels["tgt_in"])
    # Nobody knows what came of it: there is no token that reads as nothing.
    labels["tgt_out"] = ["" if token is None else token for token in cast(list[object], outputs)]
    return labels, rest


def read(values: Values, ragged: Mapping[Kind, Layers]) -> Guest:
    """A trace's guest out of JSON values: the inverse of `written`.

    Args:
        values: the fields of a trace of version 2.
        ragged: of the kinds whose layers differ, the weights by layer, [head, query, key] or None.
    Raises:
        ValueError: naming the field that is not what it is in a trace.
    """
    origin = _object("origin", values.get("origin", {"by": "given"}))
    by, dtype = origin.get("by"), origin.get("dtype") or "float32"
    library, name = (origin.get(key) or "" for key in ("library", "model_class"))
    form, predicts = values.get("form", _form(values)), values.get("predicts", "tgt")
    pair = values.get("pair")
    _must("origin", by in get_args(By) and dtype in get_args(Precision))
    _must("origin", isinstance(library, str) and isinstance(name, str))
    _must("form", form in get_args(Form))
    _must("predicts", predicts in get_args(Side))
    _must("source", pair is None or (len(pair) == 2 and all(isinstance(it, str) for it in pair)))
    return Guest(
        origin=Origin(cast(By, by), library, name, cast(Precision, dtype)),
        form=cast(Form, form),
        ragged=ragged,
        mask=_by_kind("mask", values, _read_mask),
        sink=cast(Mapping[Kind, Layers], values.get("sink") or {}),
        key_value_heads=_by_kind(
            "key_value_heads", values, lambda by: _tuple("key_value_heads", by, _count_or_none)
        ),
        words=_by_side("words", values, _count_or_none),
        parts=_by_side("parts", values, lambda part: part in (-1, 0, 1)),
        pair=None if pair is None else (pair[0], pair[1]),
        hidden=tuple(map(_read_hidden, _list("hidden", values.get("hidden", [])))),
        predicts=cast(Side, predicts),
        forced_by=_tuple("forced_by", values.get("forced_by", []), _text_or_none),
    )


def _form(values: Values) -> Form:
    if values.get("decoder_self") is None and values.get("cross") is None:
        return "encoder"
    return "encoder-decoder" if values.get("src") else "decoder"


def read_layers(values: Sequence[npt.NDArray[Any] | None]) -> Layers:
    """Arrays by layer, [head, query, key] or None, as a trace holds them: float32, read-only."""
    return tuple(None if layer is None else read_only(layer) for layer in values)


def _mask(mask: Mask | Masks) -> Any:
    if isinstance(mask, tuple):
        return [None if layer is None else _mask(layer) for layer in mask]
    if isinstance(mask, Window):
        return {"window": mask.size}
    if isinstance(mask, str):
        return mask
    data = base64.b64encode(np.packbits(mask).tobytes()).decode("ascii")
    return {"shape": list(mask.shape), "dtype": "bits", "data": data}


def _read_mask(value: object) -> Mask | Masks:
    if isinstance(value, list):
        masks: Masks = tuple(
            it if it is None else _one_mask(it) for it in cast(list[object], value)
        )
        return masks
    return _one_mask(value)


def _one_mask(value: object) -> Mask:
    match value:
        case "none":
            return "none"
        case "causal":
            return "causal"
        case {"window": int(size)} if size > 0:
            return Window(size)
        case {"shape": [int(queries), int(keys)], "dtype": "bits", "data": str(data)}:
            return _cells(base64.b64decode(data, validate=True), queries, keys)
        case _:
            raise _wrong("mask")


def _cells(data: bytes, queries: int, keys: int) -> Cells:
    _must("mask", queries > 0 and keys > 0 and len(data) == -(-queries * keys // 8))
    bits = np.unpackbits(np.frombuffer(data, np.uint8), count=queries * keys)
    return bits.reshape(queries, keys).astype(bool)


def _read_hidden(value: object) -> Hidden:
    match value:
        case {"at": int(at), "token": str(token)}:
            number = cast(dict[str, object], value).get("id")
            _must("hidden", _count_or_none(number) and at >= 0)
            return Hidden(at, token, cast("int | None", number))
        case _:
            raise _wrong("hidden")


def _by_kind(name: str, values: Values, of: Callable[[object], T]) -> dict[Kind, T]:
    members = _object(name, values.get(name, {}))
    _must(name, members.keys() <= set(KINDS))
    return {cast(Kind, kind): of(value) for kind, value in members.items() if value is not None}


def _by_side(name: str, values: Values, fits: Callable[[object], bool]) -> dict[Side, Any]:
    members = _object(name, values.get(name, {}))
    _must(name, members.keys() <= {"src", "tgt"})
    return {
        cast(Side, side): _tuple(name, value, fits)
        for side, value in members.items()
        if value is not None
    }


def _tuple(name: str, value: object, fits: Callable[[object], bool]) -> Any:
    members = _list(name, value)
    _must(name, all(map(fits, members)))
    return tuple(members)


def _list(name: str, value: object) -> list[object]:
    _must(name, isinstance(value, list))
    return cast(list[object], value)


def _object(name: str, value: object) -> dict[str, Any]:
    _must(name, isinstance(value, dict))
    return cast(dict[str, Any], value)


def _count_or_none(value: object) -> bool:
    return value is None or (isinstance(value, int) and not isinstance(value, bool) and value >= 0)


def _text_or_none(value: object) -> bool:
    return value is None or isinstance(value, str)


def _must(name: str, holds: bool) -> None:
    if not holds:
        raise _wrong(name)


def _wrong(name: str) -> ValueError:
    return ValueError(f"{name} is not what it is in a trace (docs/trace-format.md)")
