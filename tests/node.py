"""Node.js, which runs the viewer's modules that need no browser."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]


def node() -> str:
    """Node.js, beside Python or on the PATH."""
    places = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    path = shutil.which("node", path=places)
    assert path, "there is no Node.js: `make test` installs it"
    return path


def run_module(text: str, payload: Any) -> Any:
    """What a module prints, as JSON, that reads `payload` from its standard input.

    Args:
        text: the module, which imports as if it stood in the repository's root.
        payload: JSON-ready.
    """
    run = subprocess.run(
        [node(), "--input-type=module", "-e", text],
        input=json.dumps(payload),
        capture_output=True,
        encoding="utf-8",
        timeout=60,
        check=False,
        cwd=ROOT,
    )
    assert run.returncode == 0, run.stderr
    return json.loads(run.stdout)
