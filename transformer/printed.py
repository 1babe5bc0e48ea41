"""Text that can be printed wherever it goes: to a pipe or a file of Windows, or in the C locale."""

import codecs
import io
import sys

PLAIN = {
    "→": "->",
    "✓": "+",
    "✗": "x",
    "×": "x",
    "−": "-",
    "–": "-",
    "…": "...",
    "␣": "_",
    "“": '"',
    "”": '"',
    "’": "'",
}
"""Signs of ours in ASCII; of other characters, the number is printed, as `\\u4f60`."""

ERRORS = "headlight.plain"


def _plain(error: UnicodeError) -> tuple[str | bytes, int]:
    if isinstance(error, UnicodeEncodeError) and (
        sign := PLAIN.get(error.object[error.start : error.start + 1])
    ):
        return sign, error.start + 1
    if isinstance(error, UnicodeEncodeError):
        error.end = error.start + 1
    return codecs.backslashreplace_errors(error)


codecs.register_error(ERRORS, _plain)


def print_safely() -> None:
    """Has this process print whatever it has to, in the encoding that its reader expects."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors=ERRORS)


def printable(text: str) -> str:
    """A text as standard output can hold it."""
    encoding = getattr(sys.stdout, "encoding", None) or "utf-8"
    return text.encode(encoding, ERRORS).decode(encoding)
