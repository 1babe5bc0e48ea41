"""docs/own-models.ipynb runs from top to bottom, without a network."""

import ast
import json
import socket
from pathlib import Path
from typing import Any, NoReturn

import pytest

NOTEBOOK = Path(__file__).parents[2] / "docs" / "own-models.ipynb"


def test_every_cell_runs_and_traces_show_themselves(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refused(*_: Any, **__: Any) -> NoReturn:
        raise OSError("there is no network")

    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(socket.socket, "connect", refused)
    cells = json.loads(NOTEBOOK.read_text(encoding="utf-8"))["cells"]
    names: dict[str, Any] = {}
    shown: list[Any] = []
    for cell in cells:
        if cell["cell_type"] == "code":
            assert cell["outputs"] == []
            *lines, last = ast.parse("".join(cell["source"])).body
            exec(compile(ast.Module(lines, []), "cell", "exec"), names)
            if isinstance(last, ast.Expr):
                shown.append(eval(compile(ast.Expression(last.value), "cell", "eval"), names))
            else:
                exec(compile(ast.Module([last], []), "cell", "exec"), names)
    frames = [it._repr_html_() for it in shown if hasattr(it, "_repr_html_")]
    assert len(frames) == 2
    assert all("sandbox=" in frame for frame in frames)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["mine.html", "mine.npz"]
