"""A student's files: read as they now stand, and what goes wrong in them, in words."""

import ast
import importlib
import os
import sys
import traceback
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from types import FrameType, ModuleType

import torch

from .exercises import EXERCISES
from .exercises.exercise import Remark, ToldError

LONGEST = 300
"""Characters of an error that are repeated."""

# What is compiled is not kept, nor read: Python tells a changed file by its second and its size.
NOWHERE = os.devnull


class MissingError(Exception):
    """A student's file that is missing."""


@contextmanager
def inside(folder: Path) -> Iterator[None]:
    """Lets a student's files be imported, and forgets them again."""
    folder = folder.resolve()
    before = Path.cwd(), sys.pycache_prefix, sys.dont_write_bytecode
    sys.pycache_prefix, sys.dont_write_bytecode = NOWHERE, True
    sys.path.insert(0, str(folder))
    os.chdir(folder)
    importlib.invalidate_caches()
    try:
        yield
    finally:
        os.chdir(before[0])
        sys.pycache_prefix, sys.dont_write_bytecode = before[1:]
        with suppress(ValueError):
            sys.path.remove(str(folder))
        for name in [name for name, module in sys.modules.items() if _is_in(folder, module)]:
            del sys.modules[name]
        # What one file sets for all of PyTorch is not to be the next one's.
        torch.set_default_dtype(torch.float32)
        torch.set_grad_enabled(True)


def load(folder: Path, name: str) -> ModuleType:
    """A student's module, while `inside` its folder.

    Raises:
        MissingError: there is no such file.
    """
    if not (folder / f"{name}.py").is_file():
        raise MissingError(name)
    return importlib.import_module(name)


def _is_in(folder: Path, module: ModuleType) -> bool:
    file = getattr(module, "__file__", None)
    return isinstance(file, str) and file.startswith(str(folder) + os.sep)


def explain(error: BaseException, name: str, folder: Path) -> Remark:
    """What to say of an error that a student's file `name` has led to."""
    file = f"{name}.py"
    if isinstance(error, MissingError):
        return Remark("no_file", {"file": f"{error}.py", "folder": str(folder)})
    if isinstance(error, ToldError):
        return error.remark
    facts = {"type": type(error).__name__, "error": _text_of(error)}
    if isinstance(error, SyntaxError):
        place = Path(error.filename).name if error.filename else file
        if place.endswith(".py") and (folder / place).is_file():
            values = {"file": place, "line": error.lineno or 0, "code": (error.text or "").strip()}
            return Remark(
                "unreadable" if "utf-8" in facts["error"].lower() else "no_python", values | facts
            )
    frames = [*traceback.walk_tb(error.__traceback__)]
    own = [(frame, line) for frame, line in frames if place_of(frame, folder)]
    if not own:  # a name that is not there, or arguments that do not fit
        if isinstance(error, AttributeError) and isinstance(error.obj, ModuleType):
            return Remark("name_missing", {"file": file, "name": error.name})
        if isinstance(error, NotImplementedError) and "forward" in facts["error"]:
            return Remark("forward_missing", {"file": file})
        if isinstance(error, SystemExit):
            return Remark("ends_abruptly", {"file": file, "status": facts["error"]})
        return Remark("does_not_fit", {"file": file, **facts})
    # Where a right file is called wrongly, the caller is to blame.
    needs = [f"{needed}.py" for needed in EXERCISES[name].needs] if name in EXERCISES else []
    blamed = [it for it in own if place_of(it[0], folder) not in needs] or own
    values = {**_where(*blamed[-1], folder), **facts}
    if isinstance(error, SystemExit):
        return Remark("ends_all", values)
    if isinstance(error, NotImplementedError) and frames[-1][0] is own[-1][0]:
        function = own[-1][0].f_code.co_name
        written = _is_written(own[-1][0], folder)
        return Remark("left_over" if written else "not_written", values | {"function": function})
    if isinstance(error, EOFError):
        return Remark("asks_for_input", values)
    return Remark("raised", values)


def place_of(frame: FrameType, folder: Path) -> str:
    """The name of the student's file in which a frame runs; "" if in none."""
    path = frame.f_code.co_filename
    return Path(path).name if path.startswith(str(folder.resolve()) + os.sep) else ""


def where(frame: FrameType | None, folder: Path) -> dict[str, object]:
    """The innermost line of a student's that a running frame is at; none: nothing."""
    while frame is not None and not place_of(frame, folder):
        frame = frame.f_back
    return {} if frame is None else _where(frame, frame.f_lineno, folder)


def _where(frame: FrameType, line: int, folder: Path) -> dict[str, object]:
    with suppress(OSError, IndexError, UnicodeError):
        text = Path(frame.f_code.co_filename).read_text(encoding="utf-8")
        code = text.splitlines()[line - 1].strip()
        return {"file": place_of(frame, folder), "line": line, "code": code[:LONGEST]}
    return {"file": place_of(frame, folder), "line": line, "code": ""}


def _is_written(frame: FrameType, folder: Path) -> bool:
    """Whether the function that a frame runs holds more than the skeleton's `raise`."""
    text = (folder / place_of(frame, folder)).read_text(encoding="utf-8")
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.FunctionDef) and node.lineno <= frame.f_lineno:
            if frame.f_lineno <= (node.end_lineno or 0) and node.name == frame.f_code.co_name:
                return any(not isinstance(part, ast.Expr | ast.Raise) for part in node.body)
    return False


def _text_of(error: BaseException) -> str:
    with suppress(Exception):  # an error of a student's own class
        lines = str(error).strip().splitlines()
        return lines[0][:LONGEST] if lines else ""
    return ""
