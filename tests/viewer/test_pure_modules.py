"""The viewer's modules that need no browser, tested in JavaScript by Node.js's own test runner."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

TESTS = sorted(Path(__file__).parent.glob("*.test.js"))


def test_the_viewers_pure_modules() -> None:
    places = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    node = shutil.which("node", path=places)
    assert node, "there is no Node.js: `make test` installs it"
    run = subprocess.run(
        [node, "--test", "--test-reporter=spec", *map(str, TESTS)],
        capture_output=True,
        encoding="utf-8",
        timeout=100,
        check=False,
    )
    assert run.returncode == 0, run.stdout + run.stderr
