"""Another library's weights on disk: which of its files holds them, and what that file holds.

Shards are read by their index, which stands for them.
"""

from pathlib import Path

from safetensors import SafetensorError
from safetensors.torch import load_file  # pyright: ignore[reportUnknownVariableType]
from torch import Tensor

from ..errors import CheckpointError
from .pickled import pickled_shapes, pickled_tensors
from .weights import INDEX, WEIGHTS, is_finite, read_header, shard_headers

PICKLED = "pytorch_model.bin"
OTHERS = ("*.bin", "*.pt", "*.pth", "*.pkl", "*.pickle", "*.ckpt", "*.h5", "*.ot", "*.msgpack")


def weights_file(folder: Path) -> Path:
    """The file of weights that is read: safetensors if there are any, otherwise PyTorch's.

    Raises:
        CheckpointError: there is neither; another file of weights is refused by name.
    """
    for name in (WEIGHTS, INDEX, PICKLED):
        path = folder / name
        if path.is_file():
            return path
        if path.exists():  # a device would be read without end, and a pipe waited for
            raise CheckpointError(path, "the file is none that can be read")
    only = f"weights are read from {WEIGHTS} (or its shards) and {PICKLED} alone"
    for other in (path for pattern in OTHERS for path in sorted(folder.glob(pattern))):
        raise CheckpointError(other, f"{only}, because any other pickle can run a program")
    raise CheckpointError(folder / WEIGHTS, f"the file is missing; {only}")


def stored_shapes(path: Path) -> dict[str, list[int]]:
    """The shapes of all weights in a file, of which none is read.

    Raises:
        CheckpointError: the file is not what its name says.
    """
    if path.name == PICKLED:
        return pickled_shapes(path)
    if path.name == INDEX:
        return {name: shape for name, (_, shape) in shard_headers(path.parent).items()}
    return {name: shape for name, (_, shape) in read_header(path).items()}


def read_weights(path: Path) -> dict[str, Tensor]:
    """All weights of a file by name, float32 in the shapes that the file has.

    Raises:
        CheckpointError: the file is not what its name says, or holds values that are no numbers.
    """
    if path.name == PICKLED:
        weights = pickled_tensors(path)
    elif path.name == INDEX:
        weights: dict[str, Tensor] = {}
        for shard in sorted({shard for shard, _ in shard_headers(path.parent).values()}):
            weights |= _read_safetensors(shard)
    else:
        weights = _read_safetensors(path)
    for name, tensor in weights.items():
        if not is_finite(tensor):
            raise CheckpointError(path, f"{name} holds values that are not finite numbers")
    return {name: tensor.float() for name, tensor in weights.items()}


def check_range(path: Path) -> None:
    """Refuses weights that float16 cannot hold, by the names that the file has for them.

    Raises:
        CheckpointError: there is one.
    """
    for name, tensor in read_weights(path).items():
        if not is_finite(tensor.half()):
            raise CheckpointError(path, f"{name} holds values beyond float16's range")


def _read_safetensors(path: Path) -> dict[str, Tensor]:
    try:
        return load_file(path)
    except (OSError, SafetensorError) as error:
        raise CheckpointError(path, f"not a safetensors file ({error})") from error
