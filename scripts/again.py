"""Pytest, and once more what failed: on a busy machine a gesture in a browser may come late.

    python -m scripts.again ARGUMENTS OF PYTEST

Thousands of gestures are made beside other work: what a busy machine broke passes by itself, and
what is broken fails again. Its last lines name every test that was run a second time. More than
`MOST` of them are no accident, and are not run again: it ends as pytest did.
"""

import json
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

MOST = 2
FAILED = 1
"""What pytest ends with if tests failed, and nothing else went wrong."""


def run(arguments: Sequence[str]) -> int:
    """What the command ends with: 0 if every test passed, some of them the second time."""
    with TemporaryDirectory() as cache:
        pytest = [sys.executable, "-m", "pytest", "-o", f"cache_dir={cache}", *arguments]
        code = subprocess.run(pytest, check=False).returncode
        if code != FAILED:
            return code
        failed = sorted(json.loads(Path(cache, "v/cache/lastfailed").read_bytes()))
        if len(failed) > MOST:
            print(f"\n{len(failed)} tests failed, too many to run them a second time.")
            return code
        again = [*pytest, "--last-failed", "--last-failed-no-failures=none"]
        code = subprocess.run(again, check=False).returncode
    ended = "failed again" if code else "passed then"
    print(
        f"\nRan {len(failed)} of at most {MOST} tests a second time ({ended}):", *failed, sep="\n  "
    )
    return code


if __name__ == "__main__":
    sys.exit(run(sys.argv[1:]))
