"""Lines of a text that somebody brings, and what it is instead where it is no UTF-8."""

import unicodedata
from collections.abc import Callable, Iterator
from pathlib import Path

from ..errors import HeadlightError

PACKED = {b"\x1f\x8b": "gzip", b"PK\x03\x04": "zip", b"BZh": "bzip2", b"\xfd7zXZ": "xz"}
UTF_16 = (b"\xff\xfe", b"\xfe\xff")


def read_lines(path: Path, read: Callable[[int], object] = lambda _: None) -> Iterator[str]:
    r"""The lines of a text file, as they are asked for; a line ends in `\n` or `\r\n`.

    Not as `splitlines` cuts, or Python's own reading of text: a sentence may hold U+2028, or `\r`.

    Args:
        path: the file.
        read: told, line by line, how many bytes were read.
    Raises:
        HeadlightError: it is no UTF-8; the sentence names the line.
        OSError: it cannot be read.
    """
    with path.open("rb") as file:
        for number, line in enumerate(file, 1):
            if number == 1 and (wrong := _wrong_from_the_first(line)):
                raise _unreadable(f"{path} {wrong}", path, 1, wrong)
            read(len(line))
            try:
                yield decode_line(line, number)
            except HeadlightError as error:
                raise _unreadable(
                    f"{path}, line {number}: {error}", path, number, str(error)
                ) from error


def decode_line(line: bytes, number: int) -> str:
    """One line, without its end; the first may begin with the mark that editors of Windows write.

    Raises:
        HeadlightError: it is no UTF-8.
    """
    try:
        text = line.decode("utf-8-sig" if number == 1 else "utf-8")
    except UnicodeDecodeError as error:
        byte = line[error.start]
        raise HeadlightError(
            "bad_data",
            f"not UTF-8 text: byte {error.start + 1} is 0x{byte:02x} (GBK or Latin-1, perhaps); "
            "save it as UTF-8",
        ) from error
    return text.removesuffix("\n").removesuffix("\r")


def _unreadable(sentence: str, path: Path, line: int, reason: str) -> HeadlightError:
    # A stranger is told the file's name, and not where it lies.
    return HeadlightError("bad_data", sentence, file=path.name, line=line, reason=reason)


def _wrong_from_the_first(line: bytes) -> str:
    for begins, name in PACKED.items():
        if line.startswith(begins):
            return f"is packed by {name}: unpack it first"
    if line.startswith(UTF_16) or b"\0" in line:
        return "is not UTF-8 text but UTF-16, or no text at all: save it as UTF-8"
    if b"\r" in line.rstrip() and not line.endswith(b"\n"):
        return (
            "has one line, whose parts are separated by CR alone: save it with lines that end in LF"
        )
    return ""


def is_blank(text: str) -> bool:
    """Whether there is nothing to see: no character, or spaces and characters without a width."""
    return all(each.isspace() or unicodedata.category(each) in ("Cc", "Cf") for each in text)
