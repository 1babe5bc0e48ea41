"""`pytorch_model.bin`: weights that PyTorch pickled, read without running anything in them.

PyTorch's own unpickler builds tensors and refuses the rest. It knows two formats: a zip archive,
and the stream of pickles that PyTorch wrote before 1.6. OPUS-MT's models come in both.
"""

import re
import warnings
import zipfile
from pathlib import Path
from typing import Any, cast

import torch
from torch import Tensor
from torch._subclasses.fake_tensor import FakeTensorMode
from torch.torch_version import TorchVersion

from ..errors import CheckpointError

SAFE = "2.10"
"""The first PyTorch whose unpickler no file is known to get past (CVE-2026-24747)."""

MOST_SHARED = 4
"""How many names may share a tensor: Marian's two embeddings, what both share and the output."""


def why_unread() -> str:
    """Why nothing is unpickled with the PyTorch that is installed; empty where it is."""
    if TorchVersion(torch.__version__) >= SAFE:
        return ""
    return (
        f"pickled files are read with PyTorch {SAFE} and newer alone, and this is "
        f"{torch.__version__}, in which a hostile one can run a program (CVE-2026-24747): "
        f"pip install -U 'torch>={SAFE}'"
    )


def pickled_shapes(path: Path) -> dict[str, list[int]]:
    """The shapes of what a file holds; nothing of their size is allocated.

    Raises:
        CheckpointError: the file is none of PyTorch's, holds more than tensors, or claims tensors
            larger than itself.
    """
    _check_archive(path)
    # A fake tensor has a shape and no memory.
    with FakeTensorMode():
        weights = _load(path, mmap=False)
    if sum(tensor.nbytes for tensor in weights.values()) > MOST_SHARED * path.stat().st_size:
        raise CheckpointError(path, "it claims tensors that are larger than the file")
    return {name: list(tensor.shape) for name, tensor in weights.items()}


def pickled_tensors(path: Path) -> dict[str, Tensor]:
    """The tensors of a file whose shapes were found right; an archive's stay in the file.

    Raises:
        CheckpointError: as `pickled_shapes`, or the file is cut.
    """
    return _load(path, mmap=zipfile.is_zipfile(path))


def _check_archive(path: Path) -> None:
    """PyTorch compresses nothing: what is compressed may be far larger than the file."""
    try:
        if not zipfile.is_zipfile(path):
            return
        with zipfile.ZipFile(path) as archive:
            entries = archive.infolist()
    except (OSError, zipfile.BadZipFile) as error:
        raise CheckpointError(path, f"the file cannot be read ({error})") from error
    stored = all(entry.compress_type == zipfile.ZIP_STORED for entry in entries)
    if not stored or sum(entry.file_size for entry in entries) > path.stat().st_size:
        raise CheckpointError(path, "it is a compressed archive, which PyTorch never writes")


def _load(path: Path, *, mmap: bool) -> dict[str, Tensor]:
    if reason := why_unread():
        raise CheckpointError(path, reason)
    try:
        with warnings.catch_warnings():
            # About protocols of pickle; what cannot be read is refused all the same.
            warnings.simplefilter("ignore")
            content: Any = torch.load(path, map_location="cpu", weights_only=True, mmap=mmap)
    # A file that somebody made up can make an unpickler stumble over anything.
    except Exception as error:
        raise CheckpointError(path, _reason(error)) from error
    weights = cast(dict[Any, Any], content if isinstance(content, dict) else {})
    if not weights or not all(_is_weight(*item) for item in weights.items()):
        raise CheckpointError(path, "it must hold a dictionary of weights, and nothing else")
    return weights


def _is_weight(name: Any, value: Any) -> bool:
    return (
        isinstance(name, str)
        and isinstance(value, Tensor)
        and value.layout is torch.strided
        and value.is_floating_point()
    )


def _reason(error: Exception) -> str:
    if blocked := re.search(r"(?:GLOBAL|global:?) ([\w.]*\w)", str(error)):
        return f"it holds more than tensors ({blocked[1]}), and only tensors are ever built"
    reason = str(error).strip().partition("\n")[0].partition(". ")[0]
    if not reason or reason.startswith("Weights only load failed"):
        reason = type(error).__name__
    return f"cut or damaged, or not a file of PyTorch's weights ({reason})"
