"""The viewer's modules that need no browser, tested in JavaScript by Node.js's own test runner."""

import subprocess
from pathlib import Path

import pytest

from tests.node import node

TESTS = sorted(Path(__file__).parent.glob("*.test.js"))


@pytest.mark.parametrize("file", TESTS, ids=lambda file: file.name)
def test_in_javascript(file: Path) -> None:
    # Without `--test`, which would start another process for the file.
    run = subprocess.run(
        [node(), "--test-reporter=spec", file],
        capture_output=True,
        encoding="utf-8",
        timeout=100,
        check=False,
    )
    assert run.returncode == 0, run.stdout + run.stderr
