"""The viewer in two files, its modules as one and its styles as another.

A browser that asks for a hundred modules waits for a hundred answers, and a class that opens the
page asks for thousands. The modules stay as they are written, each in a scope of its own, but for
comments and indentation, a quarter of what would travel.
"""

import re
from functools import cache
from graphlib import TopologicalSorter
from pathlib import Path
from posixpath import dirname, join, normpath

from ..trace.came_along import came_along
from .shortened import short_script, short_styles

ASSETS = came_along("assets")

IMPORT = re.compile(r'^import (\{[^}]*\}) from "(\.[^"]+)";$', re.MULTILINE)
EXPORT = re.compile(r"^export ((?:async )?function|const|class) (\w+)", re.MULTILINE)
OTHER = re.compile(r"^(?:import|export)\b.*|\bimport\(.*", re.MULTILINE)
STYLE = re.compile(r'^@import "([^"]+)";$', re.MULTILINE)


@cache
def script(door: str, assets: Path = ASSETS, *, classic: bool = False) -> str:
    """A module of the viewer with all that it imports, as one that imports nothing.

    Args:
        door: its path under `assets`, such as "main.js".
        assets: the folder of the viewer.
        classic: a script instead, which exports nothing: no page from a disk may start a Worker
            from a module.
    Raises:
        ValueError: a module imports or exports in another form than the viewer's, or divides where
            `short_script` cannot tell.
    """
    texts: dict[str, str] = {}
    imports: dict[str, list[str]] = {}
    ahead = [door]
    while ahead:
        name = ahead.pop()
        if name in texts:
            continue
        texts[name] = _short(name, (assets / name).read_text(encoding="utf-8"))
        imports[name] = [_path(name, target) for _, target in IMPORT.findall(texts[name])]
        ahead += imports[name]
    ordered = TopologicalSorter(imports).static_order()
    joined = "\n".join(_scoped(name, texts[name]) for name in ordered)
    if classic:
        return f"{joined}\n"
    return f"{joined}\nexport const {{ {_exports(texts[door])} }} = {_variable(door)};\n"


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


def _scoped(name: str, text: str) -> str:
    """A module as `const kit_dom = (() => { … return { h }; })();`."""

    def bound(match: re.Match[str]) -> str:
        names = match[1].replace(" as ", ": ")
        return f"const {names} = {_variable(_path(name, match[2]))};"

    body = EXPORT.sub(r"\1 \2", IMPORT.sub(bound, text))
    if other := OTHER.search(body):
        raise ValueError(f'assets/{name}: "{other[0]}" is no import or export that is joined')
    return f"const {_variable(name)} = (() => {{\n{body}\nreturn {{ {_exports(text)} }};\n}})();"


def _exports(text: str) -> str:
    return ", ".join(name for _, name in EXPORT.findall(text))


def _path(importer: str, target: str) -> str:
    return normpath(join(dirname(importer), target))


def _variable(name: str) -> str:
    return re.sub(r"\W", "_", name.removesuffix(".js"))
