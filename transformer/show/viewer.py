"""The viewer in few files: its modules as one or a few, and its styles as another.

A browser that asks for a hundred modules waits for a hundred answers, and a class that opens the
page asks for thousands. The modules stay as they are written, each in a scope of its own, but for
comments and indentation, a quarter of what would travel.
"""

import re
from collections import Counter
from collections.abc import Callable, Collection, Mapping
from functools import cache
from graphlib import TopologicalSorter
from pathlib import Path
from posixpath import dirname, join, normpath
from typing import NamedTuple

from ..trace.came_along import came_along
from .shortened import short_script, short_styles

ASSETS = came_along("assets")

IMPORT = re.compile(r'^import (\{[^}]*\}) from "(\.[^"]+)";$', re.MULTILINE)
EXPORT = re.compile(r"^export ((?:async )?function\*?|const|class) (\w+)", re.MULTILINE)
LATER = re.compile(r'\bimport\("(\.[^"]+)"\)')
OTHER = re.compile(r"^(?:import|export)\b.*|\bimport\(.*", re.MULTILINE)
STYLE = re.compile(r'^@import "([^"]+)";$', re.MULTILINE)


@cache
def script(door: str, assets: Path = ASSETS, *, classic: bool = False) -> str:
    """A module of the viewer with all that it imports, then or later, as one that imports nothing.

    Args:
        door: its path under `assets`, such as "main.js".
        assets: the folder of the viewer.
        classic: a script instead, which exports nothing: no page from a disk may start a Worker
            from a module.
    Raises:
        ValueError: a module imports or exports in another form than the viewer's, or divides where
            `short_script` cannot tell.
    """
    modules = _read(door, assets)
    joined = _joined(modules, modules, _at_hand)
    if classic:
        return f"{joined}\n"
    return f"{joined}\nexport const {{ {_exports(modules[door].text)} }} = {_variable(door)};\n"


@cache
def scripts(door: str, assets: Path = ASSETS) -> dict[str, str]:
    """The same as several modules by their files' names: the door's first, then one for each module
    that is imported once the viewer runs.

    What two later modules import comes with the door.

    Args:
        door: its path under `assets`.
        assets: the folder of the viewer.
    Raises:
        ValueError: see `script`.
    """
    modules = _read(door, assets)
    doors = sorted({it for module in modules.values() for it in module.later})
    reached = {it: _reached(it, modules) for it in doors}
    first = _reached(door, modules)
    counts = Counter(name for names in reached.values() for name in names)
    first |= {name for name, times in counts.items() if times > 1}
    lent = {
        it: {_variable(each) for name in names - first for each in modules[name].imports}
        & {_variable(name) for name in first}
        for it, names in reached.items()
    }

    def locate(name: str) -> str:
        return _at_hand(name) if name in first else f'later_module("{_variable(name)}")'

    # What failed under one address is not asked for again by a browser.
    bring = f"""let failures = 0;
const coming = {{}};
const later_module = (name) => (coming[name] ??=
import("./" + name + ".js" + (failures ? "?again=" + failures : "")).then(
(it) => it.make({{ later_module, {", ".join(sorted(set[str]().union(*lent.values())))} }}),
(error) => {{ failures++; delete coming[name]; throw error; }}));"""
    files = {door: f"{bring}\n{_joined(modules, first, locate)}\n"}
    for it, names in reached.items():
        if it in first:
            continue
        files[f"{_variable(it)}.js"] = (
            f"export const make = ({{ {', '.join(['later_module', *sorted(lent[it])])} }}) => {{\n"
            f"{_joined(modules, names - first, locate)}\nreturn {_variable(it)};\n}};\n"
        )
    return files


class _Module(NamedTuple):
    """A module's text, and what it imports: at once, and once it runs."""

    text: str
    imports: list[str]
    later: list[str]


def _read(door: str, assets: Path) -> dict[str, _Module]:
    modules: dict[str, _Module] = {}
    ahead = [door]
    while ahead:
        name = ahead.pop()
        if name in modules:
            continue
        text = _short(name, (assets / name).read_text(encoding="utf-8"))
        at_once = [_path(name, target) for _, target in IMPORT.findall(text)]
        later = [_path(name, target) for target in LATER.findall(text)]
        modules[name] = _Module(text, at_once, later)
        ahead += [*at_once, *later]
    return modules


def _reached(door: str, modules: Mapping[str, _Module]) -> set[str]:
    """What a module imports at once, and what that does."""
    reached: set[str] = set()
    ahead = [door]
    while ahead:
        name = ahead.pop()
        if name not in reached:
            reached.add(name)
            ahead += modules[name].imports
    return reached


def _at_hand(name: str) -> str:
    """What stands for the import of a later module that is there already."""
    return f"Promise.resolve({_variable(name)})"


def _joined(
    modules: Mapping[str, _Module], names: Collection[str], locate: Callable[[str], str]
) -> str:
    """Some modules, each after its imports; `locate` gives what a later one's import becomes."""
    graph = {name: [it for it in modules[name].imports if it in names] for name in names}
    ordered = TopologicalSorter({name: graph[name] for name in modules if name in graph})
    return "\n".join(_scoped(name, modules[name].text, locate) for name in ordered.static_order())


@cache
def styles() -> str:
    """The style sheets in the order of the cascade, which styles/viewer.css tells."""
    door = "styles/viewer.css"

    def text(match: re.Match[str]) -> str:
        sheets = sorted(ASSETS.glob(_path(door, match[1])), key=_in_cascade)
        return "\n".join(sheet.read_text(encoding="utf-8") for sheet in sheets)

    return short_styles(STYLE.sub(text, (ASSETS / door).read_text(encoding="utf-8")))


def _in_cascade(sheet: Path) -> tuple[Path, bool, str]:
    """The place of a folder's sheet among those of one pattern: its style.css comes first."""
    return sheet.parent, sheet.name != "style.css", sheet.name


def _short(name: str, text: str) -> str:
    try:
        return short_script(text)
    except ValueError as error:
        raise ValueError(f"assets/{name}: {error}") from None


def _scoped(name: str, text: str, locate: Callable[[str], str]) -> str:
    """A module as `const kit_dom = (() => { … return { h }; })();`."""

    def later(match: re.Match[str]) -> str:
        return locate(_path(name, match[1]))

    def bound(match: re.Match[str]) -> str:
        names = match[1].replace(" as ", ": ")
        return f"const {names} = {_variable(_path(name, match[2]))};"

    body = EXPORT.sub(r"\1 \2", LATER.sub(later, IMPORT.sub(bound, text)))
    if other := OTHER.search(body):
        raise ValueError(f'assets/{name}: "{other[0]}" is no import or export that is joined')
    return f"const {_variable(name)} = (() => {{\n{body}\nreturn {{ {_exports(text)} }};\n}})();"


def _exports(text: str) -> str:
    return ", ".join(name for _, name in EXPORT.findall(text))


def _path(importer: str, target: str) -> str:
    return normpath(join(dirname(importer), target))


def _variable(name: str) -> str:
    return re.sub(r"\W", "_", name.removesuffix(".js"))
