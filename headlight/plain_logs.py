"""What strangers send does not reach the log as it is: escape sequences would drive a terminal."""

import logging
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from typing import Any

MOST = 200
"""Characters of a message."""


def keep_plain(package: str) -> None:
    """Has whatever a package logs from here on be one short line of characters that show.

    Args:
        package: its name; nothing happens where it is not installed. Its loggers do not count: it
            may use the root's.
    """
    if (spec := find_spec(package)) and spec.origin:
        logging.setLogRecordFactory(_plain(Path(spec.origin).parent, logging.getLogRecordFactory()))


def _plain(
    folder: Path, make: Callable[..., logging.LogRecord]
) -> Callable[..., logging.LogRecord]:
    def factory(*args: Any, **options: Any) -> logging.LogRecord:
        record = make(*args, **options)
        if Path(record.pathname).is_relative_to(folder):
            text = record.getMessage()[: MOST + 1].encode("unicode_escape").decode()
            record.msg = text if len(text) <= MOST else f"{text[:MOST]}…"
            record.args = ()
        return record

    return factory
