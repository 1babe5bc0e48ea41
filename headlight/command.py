"""The command `headlight`, where only what draws may be installed: then it says what it lacks."""

import sys


def main() -> int:
    """Opens the page, and returns the exit status: 2 where a package is missing."""
    try:
        from .__main__ import main as serve
    except ModuleNotFoundError as error:
        sys.stderr.write(
            f"headlight: the page needs the package {error.name}: "
            'pip install "headlight-attention[app]"\n'
        )
        return 2
    return serve()
