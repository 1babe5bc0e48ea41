"""How the browser is told of the page without anybody else hearing the secret in its address."""

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from html import escape
from pathlib import Path

LEADS_THERE = """<!doctype html>
<meta charset="utf-8">
<title>Headlight</title>
<meta name="referrer" content="no-referrer">
<meta http-equiv="refresh" content="0;url={address}">
<a href="{address}">Headlight</a>
"""


@contextmanager
def way_in(address: str) -> Iterator[str]:
    """A file that only this user may read, and that leads to an address while the block lasts.

    Whoever starts a browser with the address itself shows it to everybody on the machine: they may
    read each other's command lines.

    Yields:
        its own address, for a browser; empty where no file can be written.
    """
    try:
        number, path = tempfile.mkstemp(prefix="headlight-", suffix=".html")  # 0600
    except OSError:
        yield ""
        return
    try:
        with os.fdopen(number, "w", encoding="utf-8") as file:
            file.write(LEADS_THERE.format(address=escape(address)))
        yield Path(path).as_uri()
    finally:
        with suppress(OSError):
            Path(path).unlink()
