"""The viewer's modules that need no browser, tested in JavaScript by Node.js's own test runner."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

TESTS = sorted(Path(__file__).parent.glob("*.test.js"))


@pytest.fixture(scope="module")
def node() -> str:
    places = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    found = shutil.which("node", path=places)
    assert found, "there is no Node.js: `make test` installs it"
    return found


@pytest.mark.parametrize("file", TESTS, ids=lambda file: file.name)
def test_in_javascript(node: str, file: Path) -> None:
    # Without `--test`, which would start another process for the file.
    run = subprocess.run(
        [node, "--test-reporter=spec", file],
        capture_output=True,
        encoding="utf-8",
        timeout=100,
        check=False,
    )
    assert run.returncode == 0, run.stdout + run.stderr
