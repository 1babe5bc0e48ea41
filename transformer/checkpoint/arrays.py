"""Files of arrays as NumPy writes them, of which no more is read than belongs in one."""

import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

MOST = 256_000_000
"""Bytes of all arrays of a file together; the largest history that we know of has 4 million."""


def read_arrays(path: Path) -> dict[str, npt.NDArray[Any]]:
    """All arrays by name; nothing is unpickled.

    Raises:
        errors.DAMAGED: the file is missing or damaged, or swells beyond what anybody writes.
    """
    if not path.is_file():  # a pipe would be waited for
        raise FileNotFoundError(f"there is no file {path}")
    # Opened here, because NumPy leaves a broken archive open.
    with path.open("rb") as file, zipfile.ZipFile(file) as archive:
        size = sum(entry.file_size for entry in archive.infolist())
        if size > MOST:
            raise ValueError(f"it would swell to {size / 1e6:.0f} MB")
        file.seek(0)
        with np.load(file, allow_pickle=False) as arrays:
            return {name: arrays[name] for name in arrays.files}
