"""The protocol that the page and who answers it share, written from Python's declarations.

    python scripts/protocol.py

writes assets/trace/protocol.json, protocol.js and answers.d.ts.
"""

import json
import re
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any, cast

sys.path.insert(0, str(Path(__file__).parents[1]))

from transformer.ask.cost import MOST, SIZES
from transformer.ask.needs import CODES, NEEDS
from transformer.inside import ANALYSES
from transformer.serving.wire.requests import (
    MAX_CHARACTERS,
    MAX_NAME,
    MAX_PREFIX,
    MAX_TRACE,
    REQUESTS,
)
from transformer.trace.kinds import KINDS
from transformer.trace.result import Result
from transformer.trace.roles import CLEAR, FEWEST, roles_of

ASSETS = Path(__file__).parents[1] / "assets"
FOLDER = ASSETS / "trace"
FIELD = re.compile(r"(\w+)(\?)?(?: \{(\w+)\})?(?: \[([\w, ]+)\])?(?: (\w+))?")
PACKED = ("float16", "float32")
TYPES = {
    "text": "string",
    "integer": "number",
    "number": "number",
    "number_or_null": "number | null",
    "object": "any",
}


def files() -> Mapping[Path, str]:
    """By path, what shall stand there."""
    return {
        FOLDER / "protocol.json": json.dumps(protocol(), indent=2) + "\n",
        FOLDER / "protocol.js": for_the_page(),
        FOLDER / "answers.d.ts": answers_types(),
    }


def protocol() -> dict[str, Any]:
    """The protocol, as JSON values."""
    return {
        "kinds": list(KINDS),
        "roles": {kind: list(roles_of(kind)) for kind in KINDS},
        "thresholds": {"clear": CLEAR, "fewest": dict(FEWEST)},
        "limits": {
            "characters": MAX_CHARACTERS,
            "prefix": MAX_PREFIX,
            "trace": MAX_TRACE,
            "name": MAX_NAME,
            "passes_times_tokens": MOST,
        },
        "sizes": list(SIZES),
        "needs": {need: CODES.get(need, "not_offered") for need in NEEDS},
        "errors": _errors(),
        "requests": {name: _request(name) for name in REQUESTS},
        "analyses": {name: _analysis(name) for name in sorted(ANALYSES)},
    }


def for_the_page() -> str:
    """What the page and its engine read, as a module of JavaScript: all but the answers."""
    declared = protocol()
    del declared["errors"]
    for each in declared["analyses"].values():
        del each["answer"]
    return f"{HEAD}\nexport const PROTOCOL = {as_script(declared, 2)};\n"


HEAD = """\
/**
 * The protocol as the page and its engine read it: what a request holds, who answers it, what an
 * analysis needs and costs. Written by `python scripts/protocol.py`, as protocol.json is, which has
 * the answers, too.
 */

/**
 * @typedef {{type: string, least?: number, most?: number | null, of?: Option, values?: any[],
 *   absent?: any[], fields?: Record<string, Option>}} Option
 * @typedef {{by: string[], repeatable: boolean, owner: boolean, analysis: boolean,
 *   fields: Record<string, Option>}} Declared  a kind of request
 * @typedef {{by: string[], needs: string[], cost: string,
 *   options: Record<string, Option>}} Analysis
 * @typedef {{kinds: string[], roles: Record<string, string[]>,
 *   thresholds: {clear: number, fewest: Record<string, number>}, limits: Record<string, number>,
 *   sizes: string[], needs: Record<string, string>, requests: Record<string, Declared>,
 *   analyses: Record<string, Analysis>}} Protocol
 */

/** @type {Protocol} */"""


def as_script(value: Any, lines: int = 0) -> str:
    """A value of JSON as a literal of JavaScript; the outer `lines` levels have a line for each."""
    match value:
        case dict() if lines:
            inner = cast(dict[str, Any], value).items()
            each = "".join(f"{name}: {as_script(of, lines - 1)},\n" for name, of in inner)
            return "{\n" + each + "}"
        case dict():
            inner = cast(dict[str, Any], value).items()
            each = ", ".join(f"{name}: {as_script(of)}" for name, of in inner)
            return "{ " + each + " }" if value else "{}"
        case list():
            return "[" + ", ".join(map(as_script, value)) + "]"  # pyright: ignore[reportUnknownArgumentType]
        case None:
            return "null"
        case bool():
            return str(value).lower()
        case str():
            return f'"{value}"'
        case _:
            return str(value)


def answers_types() -> str:
    """What each analysis answers, as types of TypeScript."""
    of = [
        f"  {name}: {{\n"
        + "".join(
            f"    {field}: {_type(declared)};{_axes(declared)}\n"
            for field, declared in each["answer"].items()
        )
        + "  };\n"
        for name, each in protocol()["analyses"].items()
    ]
    return (
        "// Written by `python scripts/protocol.py` from what the analyses declare.\n"
        'import type { PackedArray } from "./unpack.js";\n\n'
        f"export interface Answers {{\n{''.join(of)}}}\n"
    )


def schema_of(result: type[Result]) -> dict[str, dict[str, Any]]:
    """The fields of an answer, by name."""
    lines = (line.split(": ") for line in map(str.strip, result.schema.splitlines()) if line)
    return {name: read_field(line) for name, line in lines}


def read_field(line: str) -> dict[str, Any]:
    """A field of an answer, from its short form: see `Result.schema`.

    Raises:
        ValueError: it has another form.
    """
    if (match := FIELD.fullmatch(line)) is None:
        raise ValueError(f"{line!r} is no field: write dtype? {{by}} [axis, axis] unit")
    dtype, nullable, by, axes, unit = match.groups()
    return {
        "dtype": dtype,
        "nullable": nullable is not None,
        "by": by,
        "axes": axes.split(", ") if axes else [],
        "unit": unit,
    }


def _errors() -> list[str]:
    """Codes that an answer may have, each with a sentence in the locale files."""
    texts = json.loads((ASSETS / "locales/en.json").read_text(encoding="utf-8"))
    return sorted(key.removeprefix("error.") for key in texts if key.startswith("error."))


def _request(name: str) -> dict[str, Any]:
    each = REQUESTS[name]
    return {
        "by": list(each.by),
        "repeatable": each.repeatable,
        "owner": each.owner,
        "analysis": each.analysis,
        "fields": {field: option.declared() for field, option in each.fields.items()},
    }


def _analysis(name: str) -> dict[str, Any]:
    each = ANALYSES[name]
    return {
        "by": list(each.by),
        "needs": list(each.needs),
        "cost": each.cost,
        "options": {option: of.declared() for option, of in each.options.items()},
        "answer": schema_of(each.answers),
    }


def _axes(field: Mapping[str, Any]) -> str:
    """Axes and unit, as a comment."""
    axes = f"[{', '.join(field['axes'])}]" if field["axes"] else ""
    comment = " ".join(filter(None, (axes, field["unit"])))
    return f" // {comment}" if comment else ""


def _type(field: Mapping[str, Any]) -> str:
    packed = field["dtype"] in PACKED
    of = "PackedArray" if packed else TYPES[field["dtype"]]
    if not packed:
        of = f"({of})" if "|" in of and field["axes"] else of
        of += "[]" * len(field["axes"])
    of = f"Record<string, {of}>" if field["by"] else of
    return f"{of} | null" if field["nullable"] else of


if __name__ == "__main__":
    for path, text in files().items():
        path.write_text(text, encoding="utf-8")
