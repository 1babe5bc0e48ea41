"""The viewer's modules import one way, those that JSDoc names included, and in no circle."""

import posixpath
import re
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

ASSETS = Path(__file__).parents[2] / "assets"

# A room imports those before it; `trace` and `kit` do not know each other. Nobody knows `engine`,
# which runs in a Worker of its own, and it knows `trace` alone.
ROOMS = (
    "trace",
    "engine",
    "kit",
    "draw",
    "state",
    "parts",
    "questions",
    "views",
    "lessons",
    "class",
    "report_page.js",
    "served.js",
    "page.js",
    "main.js",
    "site",
    "arriving.js",
    "start.js",
    "site.js",
)

# `from "./x.js"`, `import "./x.js"`, `import("./x.js")` in code and in JSDoc.
IMPORT = re.compile(r"""(?<![.\w])(?:from|import\s*\(?)\s*["']([^"']+)["']""")
LIMIT = 300

# A module's own functions: each ends with a brace at the margin.
FUNCTION = re.compile(r"(?:export )?(?:async )?function (\w+)")
FUNCTION_LIMIT = 100


def imports() -> dict[str, set[str]]:
    """Every module, by its path under assets/, and the modules that it imports."""
    by_module: dict[str, set[str]] = {}
    for path in sorted(ASSETS.rglob("*.js")):
        name = path.relative_to(ASSETS).as_posix()
        folder = posixpath.dirname(name)
        by_module[name] = {
            posixpath.normpath(posixpath.join(folder, target))
            for target in IMPORT.findall(path.read_text(encoding="utf-8"))
        }
    return by_module


def room(module: str) -> str:
    return module.split("/")[0]


def test_every_module_is_in_a_room_and_imports_what_is_there() -> None:
    modules = imports()
    assert {room(name) for name in modules} <= {*ROOMS}
    for name, targets in modules.items():
        # What is declared alone is imported by JSDoc.
        declared = {each for each in targets if each.endswith(".d.ts")}
        assert all((ASSETS / each).is_file() for each in declared), name
        assert targets - declared <= modules.keys(), name


def test_imports_run_one_way() -> None:
    assert not [
        f"{name} imports {target}"
        for name, targets in imports().items()
        for target in sorted(targets)
        if upward(room(name), room(target))
    ]


def upward(importer: str, imported: str) -> bool:
    if {importer, imported} == {"trace", "kit"}:
        return True
    if importer != imported and "engine" in (importer, imported):
        return imported != "trace"
    return ROOMS.index(imported) > ROOMS.index(importer)


def test_no_modules_import_each_other_in_a_circle() -> None:
    try:
        TopologicalSorter(imports()).prepare()
    except CycleError as error:
        pytest.fail(" → ".join(error.args[1]))


def test_no_folders_import_each_other_in_a_circle() -> None:
    """A folder is one place; where folders lie in it, each of its own modules counts by itself."""
    modules = imports()
    holders = {posixpath.dirname(posixpath.dirname(name)) for name in modules}

    def place(module: str) -> str:
        folder = posixpath.dirname(module)
        return module if folder in holders else folder

    places: dict[str, set[str]] = {}
    for name, targets in modules.items():
        others = {place(target) for target in targets} - {place(name)}
        places.setdefault(place(name), set()).update(others)
    try:
        TopologicalSorter(places).prepare()
    except CycleError as error:
        pytest.fail(" → ".join(error.args[1]))


def test_jsdoc_imports_count() -> None:
    jsdoc = '/** @param {import("../state/state.js").State} state */'
    static = 'import { h } from "../kit/dom.js";\nexport { x } from "./x.js";\nimport "./y.js";'
    text = 't("lines.from"), t("x")'
    assert not IMPORT.findall(text)
    targets = ["../state/state.js", "../kit/dom.js", "./x.js", "./y.js"]
    assert IMPORT.findall(jsdoc + static) == targets


def test_numbers_for_people_are_written_in_one_place() -> None:
    # A spreadsheet's, an address's, and one that the page goes on to write.
    others = {"kit/numbers.js", "views/export/csv.js", "trace/correction.js", "trace/saved_rows.js"}
    form = re.compile(r"\.to(Fixed|Precision|Exponential|LocaleString)\(|Intl\.NumberFormat\(")
    assert not {
        name
        for path in ASSETS.rglob("*.js")
        if form.search(path.read_text(encoding="utf-8"))
        and (name := path.relative_to(ASSETS).as_posix()) not in others
    }


def test_weights_have_one_door() -> None:
    """Whoever indexes them elsewhere takes every layer to have as many heads as the first."""
    others = {
        # Bytes and base64, pixels, and numbers as they are read and unpacked: no layer is counted.
        "trace/inflate.js",
        "trace/large.js",
        "trace/second.js",
        "trace/held.js",
        "trace/validators.js",
        "trace/saved_second.js",
        "trace/history.js",
        "draw/map.js",
        "draw/signed.js",
        "draw/paint.js",
        "draw/paint_part.js",
    }
    form = re.compile(r"\.data\b|\{[^{}]*\bdata\b[^{}:]*\} = ")
    found = {
        name
        for path in ASSETS.rglob("*.js")
        if form.search(path.read_text(encoding="utf-8"))
        and room(name := path.relative_to(ASSETS).as_posix()) != "engine"
    }
    assert found == {*others, "trace/weights.js"}, "what is not needed is not exempt, either"


def test_inputs_are_compared_with_the_last_ones_in_one_place() -> None:
    form = re.compile(r"\.(every|some)\(\((\w+), i\) => \2 [!=]== (\w+)\[i\]\)")
    texts = {path: path.read_text(encoding="utf-8") for path in sorted(ASSETS.rglob("*.js"))}
    assert [path.name for path, text in texts.items() if form.search(text)] == ["store.js"]


def test_no_module_and_no_style_sheet_is_long() -> None:
    lengths = {
        path.relative_to(ASSETS).as_posix(): len(path.read_text(encoding="utf-8").splitlines())
        for pattern in ("*.js", "*.css")
        for path in ASSETS.rglob(pattern)
    }
    assert not {name: length for name, length in lengths.items() if length > LIMIT}


def test_no_function_is_long() -> None:
    lengths: dict[str, int] = {}
    for path in ASSETS.rglob("*.js"):
        name, start = "", 0
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines()):
            if begun := FUNCTION.match(line):
                name, start = f"{path.relative_to(ASSETS).as_posix()} {begun[1]}", number
            elif line == "}" and name:
                lengths[name], name = number - start + 1, ""
    assert not {name: length for name, length in lengths.items() if length > FUNCTION_LIMIT}


def test_a_function_of_what_is_known_drawn_or_computed_has_a_sentence() -> None:
    """Above it, rather than types alone."""
    form = re.compile(
        r"(?:/\*\*((?:(?!\*/).)*)\*/\n)?^export (?:async )?(?:function\*?|const) ([a-z]\w*)",
        re.M | re.S,
    )
    assert not [
        f"{path.relative_to(ASSETS).as_posix()} {name}"
        for folder in ("trace", "draw", "engine")
        for path in sorted((ASSETS / folder).rglob("*.js"))
        for comment, name in form.findall(path.read_text(encoding="utf-8"))
        if not comment.split("@")[0].strip(" *\n")
    ]


def test_the_first_module_of_a_room_says_what_belongs_there() -> None:
    rooms = (
        "trace/trace.js",
        "kit/dom.js",
        "draw/color.js",
        "state/state.js",
        "questions/index.js",
    )
    first = (*rooms, "parts/awaited.js", "views/header.js", "engine/translator.js", "site/files.js")
    for name in first:
        text = (ASSETS / name).read_text(encoding="utf-8")
        comment = text[: text.index("*/")]
        assert re.search(r"^ \* This room \w+ ", comment, re.MULTILINE), name


def test_one_place_asks_and_keeps_the_answers() -> None:
    """Views ask `about(trace)`: how that is asked, and what is kept of it, they do not know."""
    kept: set[str] = set()
    for room in ("parts", "questions", "views", "lessons"):
        for path in sorted((ASSETS / room).rglob("*.js")):
            text = path.read_text(encoding="utf-8")
            name = path.relative_to(ASSETS).as_posix()
            assert not re.search(r"\bask(\?\.)?\(|\bask:(?! \[)|\banswering\b|\bfetch\(", text), (
                name
            )
            if re.search(r"new (Weak)?Map\b", text):
                kept.add(name)
    # Elements, marks of tokens, fingers.
    assert kept <= {"views/more_models.js", "views/branches.js", "views/panel/zoom.js"}
    asking = {name for name, targets in imports().items() if "state/server/ask.js" in targets}
    senders = {name for name in asking if "answering" in (ASSETS / name).read_text("utf-8")}
    # The second has nobody to ask.
    assert senders == {"page.js", "report_page.js"}
