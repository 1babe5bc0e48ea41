"""Python's modules import one way too, what is imported late or for types included."""

import ast
import re
import subprocess
import sys
from collections.abc import Sequence
from graphlib import CycleError, TopologicalSorter
from itertools import takewhile
from pathlib import Path

import numpy as np
import pytest

from transformer import AttentionTrace, Translator

ROOT = Path(__file__).parents[1]

# A room imports those before it.
ROOMS = (
    *(
        "errors",
        "printed",
        "texts",
        "trace",
        "model",
        "text",
        "checkpoint",
        "decoding",
        "recording",
        "traced_model",
    ),
    *(
        "eyes",
        "translator",
        "guests",
        "show",
        "command_line",
        "ask",
        "inside",
        "measure",
        "training",
    ),
    *("teach", "checker", "course", "serving", "site", "__init__", "__main__"),
)

# A trace offers its pictures as methods; they alone reach up, when they are called.
REACHING_UP = {
    ("save", "transformer.show.replay"),
    ("_repr_html_", "transformer.show.replay"),
    ("heatmap", "transformer.show.heatmap"),
    ("show", "transformer.show.showing"),
}
LIMIT = 300
FUNCTION_LIMIT = 100
TESTS_LIMIT = 500


def name_of(path: Path) -> str:
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" and len(parts) > 2 else parts)


def modules_of(*packages: str) -> dict[str, Path]:
    paths = (path for package in packages for path in sorted((ROOT / package).rglob("*.py")))
    return {name_of(path): path for path in paths}


PATHS = modules_of("transformer")
PACKAGES = ("transformer", "headlight", "benchmarks", "scripts")
EVERY = modules_of(*PACKAGES)


def imports(module: str) -> set[tuple[str, str]]:
    """What a module of ours imports of ours, each with the function that does it, if one does."""
    path = EVERY[module]
    edges: set[tuple[str, str]] = set()

    def visit(node: ast.AST, function: str) -> None:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            function = node.name
        if isinstance(node, ast.Import):
            edges.update((function, alias.name) for alias in node.names if alias.name in EVERY)
        if isinstance(node, ast.ImportFrom):
            package = path.relative_to(ROOT).parent.parts
            base = [*package[: len(package) - node.level + 1]] if node.level else []
            target = ".".join([*base, *filter(None, [node.module])])
            # `from .. import checkpoint` names a module, `from ..checkpoint import load` does not.
            inner = {f"{target}.{alias.name}" for alias in node.names} & EVERY.keys()
            outer = {target} & EVERY.keys() if len(inner) < len(node.names) else set()
            edges.update((function, name) for name in inner | outer)
        for child in ast.iter_child_nodes(node):
            visit(child, function)

    visit(ast.parse(path.read_text(encoding="utf-8")), "")
    return {edge for edge in edges if edge not in REACHING_UP}


def room(module: str) -> int:
    return ROOMS.index(module.split(".")[1])


def test_every_module_is_in_a_room() -> None:
    assert {module.split(".")[1] for module in PATHS} <= {*ROOMS}


def test_imports_run_one_way() -> None:
    assert not [
        f"{module} imports {target}"
        for module in PATHS
        for _, target in sorted(imports(module))
        if not target.startswith("transformer.") or room(target) > room(module)
    ]


def test_no_modules_import_each_other_in_a_circle() -> None:
    graph = {
        module: {target for _, target in imports(module)} - packages_of(module) for module in EVERY
    }
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        pytest.fail(" → ".join(error.args[1]))


def test_no_folders_import_each_other_in_a_circle() -> None:
    graph: dict[str, set[str]] = {unit(module): set() for module in EVERY}
    for module in EVERY:
        graph[unit(module)] |= {unit(target) for _, target in imports(module)} - {unit(module)}
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        pytest.fail(" → ".join(error.args[1]))


def unit(module: str) -> str:
    """The folder that a module lies in, its sub-folders apart; beside the rooms each is its own."""
    folder = ".".join(EVERY[module].relative_to(ROOT).parent.parts)
    return module if folder in PACKAGES else folder


def packages_of(module: str) -> set[str]:
    """The packages that a module lies in: what it takes from their `__init__` is a neighbour's."""
    parts = module.split(".")
    return {".".join(parts[:end]) for end in range(1, len(parts))}


def test_only_the_methods_of_a_trace_reach_up() -> None:
    text = PATHS["transformer.trace.trace"].read_text(encoding="utf-8")
    for function, target in REACHING_UP:
        assert f"def {function}(" in text
        assert f"from ..{target.removeprefix('transformer.')} import" in text


WITHOUT_TORCH = """
import sys
for name in ("torch", "gradio", "transformers", "plotly"):
    sys.modules[name] = None
from transformer import AttentionTrace, Candidate, CheckpointError, Intervention, Sampling
import transformer.printed, transformer.show.head, transformer.show.viewer
trace = AttentionTrace.load(sys.argv[1])
trace.save(sys.argv[2])
trace.save(sys.argv[3])
"""


def test_a_trace_is_read_and_drawn_where_there_is_no_torch(
    translator: Translator, tmp_path: Path
) -> None:
    files = [tmp_path / name for name in ("trace.json", "trace.html", "trace.npz")]
    translator.trace("I love you.").save(files[0])
    subprocess.run([sys.executable, "-W", "error", "-c", WITHOUT_TORCH, *files], check=True)
    assert "<!doctype html" in files[1].read_text(encoding="utf-8").lower()[:100]
    trace = AttentionTrace.load(files[2])
    np.testing.assert_array_equal(trace.decoder_self, AttentionTrace.load(files[0]).decoder_self)


def test_nothing_below_the_page_knows_gradio() -> None:
    for path in PATHS.values():
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Import):
                assert not any(alias.name.startswith("gradio") for alias in node.names), path
            if isinstance(node, ast.ImportFrom):
                assert not (node.module or "").startswith("gradio"), path


def test_no_module_is_long() -> None:
    lengths = {path: len(path.read_text(encoding="utf-8").splitlines()) for path in EVERY.values()}
    assert not {path: length for path, length in lengths.items() if length > LIMIT}


def test_no_function_is_long() -> None:
    """Its docstring aside."""
    lengths: dict[str, int] = {}
    for path in EVERY.values():
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                docstring = (ast.get_docstring(node, clean=False) or "").count("\n")
                length = (node.end_lineno or 0) - node.lineno + 1 - docstring
                lengths[f"{path} {node.name}"] = length
    assert lengths
    assert not {name: length for name, length in lengths.items() if length > FUNCTION_LIMIT}


def test_no_file_of_tests_is_long() -> None:
    paths = [path for end in ("py", "js") for path in (ROOT / "tests").rglob(f"*.{end}")]
    lengths = {path: len(path.read_text(encoding="utf-8").splitlines()) for path in paths}
    assert not {path: length for path, length in lengths.items() if length > TESTS_LIMIT}


def test_the_drawing_of_the_rooms_names_every_room() -> None:
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    drawing = text.partition("## The rooms")[2].split("```")[1]
    roots = {part.partition("/")[0]: part for part in re.split(r"^(?=\S)", drawing, flags=re.M)}
    assert {*PACKAGES} <= roots.keys()
    assert drawn(roots["transformer"], ROOMS) == [*ROOMS[:-2]]
    inside = (ROOT / "assets").iterdir()
    assets = [path.name for path in inside if path.is_dir() or path.suffix == ".js"]
    assert sorted(drawn(roots["assets"], assets)) == sorted(assets)


def drawn(part: str, rooms: Sequence[str]) -> list[str]:
    """The rooms that the lines of a drawing begin with."""
    lines = ([name.rstrip("/") for name in line.split()] for line in part.splitlines()[1:])
    named = (name for line in lines for name in takewhile(rooms.__contains__, line))
    return [*dict.fromkeys(named)]


def test_every_room_says_what_belongs_there() -> None:
    for name, path in PATHS.items():
        if path.name == "__init__.py":
            assert ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))), name


def test_no_test_module_imports_another() -> None:
    for path in (ROOT / "tests").rglob("test_*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ImportFrom):
                assert ".test_" not in (node.module or ""), path
