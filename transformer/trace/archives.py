"""Archives of arrays as NumPy writes them (.npz), of which no more is read than belongs in one."""

import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from typing import BinaryIO

import numpy as np
from numpy.lib.npyio import NpzFile

MOST_MEMBERS = 10_000
"""Arrays of an archive; each entry of an index costs memory before anything is read."""


@contextmanager
def open_archive(file: BinaryIO, most: int) -> Iterator[NpzFile]:
    """An archive whose arrays take `most` bytes together; nothing in it is unpickled.

    Raises:
        errors.DAMAGED: it is damaged, or swells beyond what anybody writes.
    """
    # Opened here, because NumPy leaves a broken archive open.
    with zipfile.ZipFile(file) as archive:
        entries = archive.infolist()
        if len(entries) > MOST_MEMBERS:
            raise ValueError(f"it has {len(entries)} arrays, more than {MOST_MEMBERS}")
        size = sum(entry.file_size for entry in entries)
        if size > most:
            raise ValueError(f"it would swell to {size / 1e6:.0f} MB, more than {most / 1e6:.0f}")
    file.seek(0)
    with np.load(file, allow_pickle=False) as arrays:
        yield arrays
