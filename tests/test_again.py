"""What CI runs a second time: few tests, and named at the end."""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]

FLAKY = """
from pathlib import Path
import pytest

@pytest.mark.parametrize("name", {names})
def test_it(name):
    ran = Path({folder!r}, name)
    first = not ran.exists()
    ran.write_text("")
    assert not first or name == "steady"
    assert name != "broken"
"""


@pytest.mark.parametrize(
    ("names", "code", "last"),
    [
        (["steady"], 0, "1 passed"),
        (["late", "steady"], 0, "a second time (passed then):\n  test_it.py::test_it[late]\n"),
        (["broken"], 1, "a second time (failed again):\n  test_it.py::test_it[broken]\n"),
        (["one", "two", "three"], 1, "3 tests failed, too many to run them a second time.\n"),
    ],
)
def test_few_tests_are_run_again_and_named(
    tmp_path: Path, names: list[str], code: int, last: str
) -> None:
    folder = tmp_path / "ran"
    folder.mkdir()
    (tmp_path / "test_it.py").write_text(FLAKY.format(names=names, folder=str(folder)))
    (tmp_path / "pytest.ini").write_text("[pytest]\n")
    ended = subprocess.run(
        [sys.executable, ROOT / "scripts/again.py", "-q"],
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        encoding="utf-8",
        check=False,
    )
    assert ended.returncode == code
    assert last in ended.stdout[-200:]
