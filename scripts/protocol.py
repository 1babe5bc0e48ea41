"""The protocol that the page and who answers it share, written from Python's declarations.

    python scripts/protocol.py

writes assets/trace/protocol.json, protocol.js and answers.d.ts.
"""

import json
import re
import sys
from collections.abc import Mapping
from pathlib import Path
from types import NoneType
from typing import Any, ClassVar, Literal, cast, get_args, get_origin, get_type_hints

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
from transformer.trace.roles import CLEAR, FEWEST, roles_of

ASSETS = Path(__file__).parents[1] / "assets"
FOLDER = ASSETS / "trace"
FIELD = re.compile(r"(\w+(?:\|\w+)*)(\?)?(?: \{(\w+)\})?(?: \[([\w, ]+)\])?(?: (\w+))?")
PACKED = ("float16", "float32")
WIDTH = 100
TYPES = {
    "text": "string",
    "integer": "number",
    "number": "number",
    "number_or_null": "number | null",
    "text_or_null": "string | null",
    "flag": "boolean",
}
ANNOTATIONS = {str: "text", int: "integer", float: "number", bool: "flag"}


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
        "records": {name: schema_of(record) for name, record in sorted(records().items())},
    }


def for_the_page() -> str:
    """What the page and its engine read, as a module of JavaScript: all but the answers."""
    declared = protocol()
    del declared["errors"], declared["records"]
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
    """What each analysis takes and answers, as types of TypeScript."""
    declared = protocol()
    analyses = declared["analyses"].items()
    options = {name: _options(each["options"]) for name, each in analyses if each["options"]}
    answers = "".join(
        f"  {name}: {{\n{_fields(each['answer'], 4)}  }};\n" for name, each in analyses
    )
    of_records = "".join(
        f"\nexport interface {name} {{\n{_fields(fields, 2)}}}\n"
        for name, fields in declared["records"].items()
    )
    return f"""\
// Written by `python scripts/protocol.py` from what the analyses declare.
import type {{ PackedArray }} from "./unpack.js";

export interface Options {{
{"".join(f"  {name}: {{ {of} }};{chr(10)}" for name, of in options.items())}}}
type Nothing = Record<string, never>;
export type Asked<Name> = Name extends keyof Options ? Options[Name] : Nothing;

export interface Answers {{
{answers}}}
{of_records}"""


def records() -> dict[str, type]:
    """Every record that is in an answer, or in another record, by name."""
    named: dict[str, type] = {}
    within: list[type] = [each.answers for each in ANALYSES.values()]
    for record in within:
        for field in schema_of(record).values():
            for name in field["dtype"].split("|"):
                if name not in (*TYPES, *PACKED, *named):
                    named[name] = vars(sys.modules[record.__module__])[name]
                    within.append(named[name])
    return named


def schema_of(record: type) -> dict[str, dict[str, Any]]:
    """The fields of an answer or another record, by name: of its schema, or of its annotations."""
    if schema := getattr(record, "schema", ""):
        lines = (line.split(": ") for line in map(str.strip, schema.splitlines()) if line)
        return {name: read_field(line) for name, line in lines}
    hints = get_type_hints(record).items()
    return {name: field_of(name, of) for name, of in hints if get_origin(of) is not ClassVar}


def field_of(name: str, annotation: Any) -> dict[str, Any]:
    """A field of a record, from its annotation."""
    parts = get_args(annotation)
    if NoneType in parts:
        return field_of(name, next(it for it in parts if it is not NoneType)) | {"nullable": True}
    if get_origin(annotation) is tuple:
        of = field_of(name, parts[0])
        return of | {"axes": [name, *of["axes"]]}
    if get_origin(annotation) is Literal:
        return read_field("text") | {"values": [*parts]}
    return read_field(ANNOTATIONS[annotation])


def read_field(line: str) -> dict[str, Any]:
    """A field of a record, from its short form: see `Result.schema`.

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


def _fields(fields: Mapping[str, Mapping[str, Any]], indent: int) -> str:
    """Fields fill lines; one that has axes or a unit ends its line, which it has for itself."""
    lines: list[str] = []
    for name, of in fields.items():
        field, axes = f"{name}: {_type(of)};", _axes(of)
        alone = axes or not lines or "//" in lines[-1]
        if alone or indent + len(f"{lines[-1]} {field}") > WIDTH:
            lines.append(field + axes)
        else:
            lines[-1] += f" {field}"
    return "".join(f"{' ' * indent}{line}\n" for line in lines)


def _options(options: Mapping[str, Mapping[str, Any]]) -> str:
    """Options on one line; what need not be sent has a question mark."""
    may_lack = {name for name, of in options.items() if of["type"] == "perhaps" or "absent" in of}
    each = (f"{name}{'?' * (name in may_lack)}: {_taken(of)}" for name, of in options.items())
    return "; ".join(each)


def _taken(option: Mapping[str, Any]) -> str:
    match option["type"]:
        case "perhaps":
            return _taken(option["of"])
        case "list":
            return _listed(_taken(option["of"]), 1)
        case "one_of":
            return " | ".join(map(json.dumps, option["values"]))
        case kind:
            return {"whole_number": "number", "text": "string"}[kind]


def _listed(of: str, axes: int) -> str:
    return (f"({of})" if "|" in of and axes else of) + "[]" * axes


def _axes(field: Mapping[str, Any]) -> str:
    """Axes and unit, as a comment."""
    axes = f"[{', '.join(field['axes'])}]" if field["axes"] else ""
    comment = " ".join(filter(None, (axes, field["unit"])))
    return f" // {comment}" if comment else ""


def _type(field: Mapping[str, Any]) -> str:
    dtype: str = field["dtype"]
    packed = dtype in PACKED
    of = " | ".join(TYPES.get(name, name) for name in dtype.split("|"))
    of = " | ".join(map(json.dumps, field["values"])) if "values" in field else of
    of = "PackedArray" if packed else of
    if not packed:
        of = _listed(of, len(field["axes"]))
    of = f"Record<string, {of}>" if field["by"] else of
    return f"{of} | null" if field["nullable"] else of


if __name__ == "__main__":
    for path, text in files().items():
        path.write_text(text, encoding="utf-8")
