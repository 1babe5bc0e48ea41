"""What Hugging Face Spaces runs, and `python app.py`: the page of `headlight/`."""

import sys

from headlight.__main__ import main
from headlight.page import demo

__all__ = ["demo", "main"]

if __name__ == "__main__":
    sys.exit(main())
