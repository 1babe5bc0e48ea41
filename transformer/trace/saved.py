"""Traces out of files, by the page's rules: nothing in one is believed before it is looked at.

`assets/state/server/dropped.js` and `assets/trace/saved.js` read the same; tests/data/traces.json
has the cases that both are asked.
"""

import io
import json
import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, NoReturn, cast, get_args

from ..errors import DAMAGED
from .archives import open_archive
from .kinds import KINDS
from .numbers import Array, Numbers, named_numbers, packed_numbers
from .sampling import StopReason

SCHEMA = "headlight-trace"
VERSIONS = (1, 2)

ZIP = b"PK\x03\x04"
ENCODINGS = {b"\xff\xfe": "utf-16", b"\xfe\xff": "utf-16"}
"""Encodings by the first bytes; PowerShell writes such files. All else is UTF-8."""

MOST_ARRAYS, MOST_SWOLLEN = 1_000_000_000, 100
"""Bytes that an archive's arrays may take whatever its own size is, and how many times that size.
Weights of windows of 128 among 8,192 tokens, all else zeros, shrink to a sixtieth."""

MOST_LABELS, MOST_PARTS = 64_000_000, 5_000_000
"""Bytes of an archive's labels; lists and objects in what a file says, of which empty ones take
twenty times their text."""

MOST_SHARE = 1.001
"""The largest that a probability, summed in float32, may be."""


def read_file(path: Path) -> tuple[Mapping[str, Any], Numbers]:
    """What a file, of any name, says of a trace, and its weights, [layer, head, query, key].

    Raises:
        OSError: it cannot be read.
        ValueError: it holds no trace; the sentence says what it is instead.
    """
    content = path.read_bytes()
    try:
        return _of_archive(content) if content.startswith(ZIP) else _of_text(content)
    except _NoTraceError as error:
        raise ValueError(f"{path.name} {error}") from None
    except DAMAGED as error:
        raise ValueError(f"{path.name} is incomplete or damaged: {_reason(error)}") from error


class _NoTraceError(Exception):
    """A file that is whole, and something else."""


def _reason(error: BaseException) -> str:
    # NumPy's and Python's own sentences propose to load what a stranger made without looking at it.
    advice = ("pickle", "set_int_max_str_digits")
    return type(error).__name__ if any(map(str(error).__contains__, advice)) else str(error)


def _of_text(content: bytes) -> tuple[Mapping[str, Any], Numbers]:
    encoding = ENCODINGS.get(content[:2], "utf-8-sig")
    text = content.decode(encoding, "replace").lstrip()
    if re.match("<!doctype html", text, re.IGNORECASE):
        raise _NoTraceError(
            "is a page to look at: open it in a browser. A trace is read from what "
            "`trace.save` writes as .json or .npz"
        )
    if not text.startswith("{"):
        raise _NoTraceError("is no trace: one begins with { (JSON), or is an archive of NumPy's")
    values = _parsed(text)
    return values, packed_numbers(values, check_schema(values))


def _of_archive(content: bytes) -> tuple[Mapping[str, Any], Numbers]:
    most = max(MOST_ARRAYS, MOST_SWOLLEN * len(content))
    with open_archive(io.BytesIO(content), most) as archive:
        entries = archive.zip.infolist() if archive.zip else []
        members = {entry.filename: entry.file_size for entry in entries}
        if members.get("labels.npy", 0) > MOST_LABELS:
            raise ValueError(f"its labels would swell to {members['labels.npy'] / 1e6:.0f} MB")
        if "labels" not in archive or (labels := archive["labels"]).dtype.str != "|u1":
            raise _NoTraceError("is an archive without the labels of a trace")
        values = _parsed(labels.tobytes().decode())
        version = check_schema(values)

        def read(name: object) -> Array:
            if not isinstance(name, str) or name not in archive:
                raise ValueError(f"the archive has no array {name!r}")
            array = archive[name]
            if array.dtype.str != "<f4" or not array.flags.c_contiguous:
                raise ValueError(
                    f"{name} is {array.dtype}, where a trace has little-endian float32"
                )
            return array

        # A kind's array has the kind's name; where labels tell by layer, they name each one's.
        arrays: dict[str, Any] = {kind: kind for kind in KINDS if kind in archive}
        numbers = named_numbers({**arrays, **values} if version > 1 else arrays, read)
    return values, numbers


def _parsed(text: str) -> Mapping[str, Any]:
    """The values of a text of JSON, if they say that they are a trace's."""
    parts = text.count("{") + text.count("[")
    if parts > MOST_PARTS:
        raise ValueError(f"it has {parts} lists and objects, more than a trace's {MOST_PARTS}")
    values: object = json.loads(text, parse_constant=_refuse)
    content = cast(dict[str, Any], values) if isinstance(values, dict) else {}
    if content.get("format") == "headlight-report":
        raise _NoTraceError("is a report of the checker; the page shows it")
    if content.get("schema") != SCHEMA:
        raise _NoTraceError(f"is JSON, but no trace: nothing in it says {SCHEMA!r}")
    return content


def _refuse(constant: str) -> NoReturn:
    raise ValueError(f"{constant} is no number of JSON's")


def check_schema(values: Mapping[str, Any]) -> int:
    """Which version of the format it is; refuses what is another format, or of another version.

    Raises:
        ValueError: it is.
    """
    version = values.get("version")
    if values.get("schema") != SCHEMA or isinstance(version, bool) or version not in VERSIONS:
        raise ValueError(
            f"schema {values.get('schema')!r} version {version!r} is not {SCHEMA!r} version 1 or 2"
        )
    return version


def check_labels(values: Mapping[str, Any]) -> None:
    """Refuses labels that are of another type than a trace's, or out of range.

    Raises:
        ValueError: naming the field.
    """
    for name, fits in _FIELDS.items():
        if not fits(values[name]):
            raise ValueError(f"{name} is not what it is in a trace (docs/trace-format.md)")


def _is_text(value: object) -> bool:
    return isinstance(value, str)


def _is_count(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 2**53


def _is_share(value: object) -> bool:
    # Not so written that NaN could pass.
    number = isinstance(value, int | float) and not isinstance(value, bool)
    return number and 0 <= cast(float, value) <= MOST_SHARE


def _is_candidate(value: object) -> bool:
    if not isinstance(value, Mapping):
        return False
    fields = cast(Mapping[str, object], value)
    return (
        _is_text(fields.get("token"))
        and _is_count(fields.get("id"))
        and _is_share(fields.get("probability"))
        and _or_none(_is_share)(fields.get("drawn"))
    )


def _is_sampling(value: object) -> bool:
    if not isinstance(value, Mapping):
        return False
    fields = cast(Mapping[str, object], value)
    warmth = fields.get("temperature")
    number = isinstance(warmth, int | float) and not isinstance(warmth, bool)
    number = number and _is_share(fields.get("top_p", 1))
    return number and _is_count(fields.get("top_k")) and _is_count(fields.get("seed"))


def _is_glosses(value: object) -> bool:
    if not isinstance(value, Mapping):
        return False
    fields = cast(Mapping[str, object], value)
    return all(_list_of(_or_none(_is_text))(fields.get(side)) for side in ("src", "tgt"))


def _or_none(fits: Callable[[object], bool]) -> Callable[[object], bool]:
    return lambda value: value is None or fits(value)


def _list_of(fits: Callable[[object], bool]) -> Callable[[object], bool]:
    return lambda value: (
        isinstance(value, list | tuple) and all(map(fits, cast(list[object], value)))
    )


_FIELDS: dict[str, Callable[[object], bool]] = {
    **dict.fromkeys(("model", "source", "translation", "checkpoint"), _is_text),
    **dict.fromkeys(("src", "tgt_in", "tgt_out", "interventions"), _list_of(_is_text)),
    **dict.fromkeys(("src_ids", "tgt_ids"), _list_of(_is_count)),
    "prefix_length": _is_count,
    "candidates": _list_of(_list_of(_is_candidate)),
    "stop_reason": lambda value: value in get_args(StopReason),
    "sampling": _or_none(_is_sampling),
    "glosses": _or_none(_is_glosses),
    "read_as": _or_none(_is_text),
}
