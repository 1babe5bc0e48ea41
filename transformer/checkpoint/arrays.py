"""Files of arrays as NumPy writes them, of which no more is read than belongs in one."""

from pathlib import Path
from typing import Any

import numpy.typing as npt

from ..trace.archives import open_archive

MOST = 256_000_000
"""Bytes of all arrays of a file together; the largest history that we know of has 4 million."""


def read_arrays(path: Path) -> dict[str, npt.NDArray[Any]]:
    """All arrays by name, in the dtypes and shapes that the file has; nothing is unpickled.

    Raises:
        errors.DAMAGED: the file is missing or damaged, or swells beyond what anybody writes.
    """
    if not path.is_file():  # a pipe would be waited for
        raise FileNotFoundError(f"there is no file {path}")
    with path.open("rb") as file, open_archive(file, MOST) as arrays:
        return {name: arrays[name] for name in arrays.files}
