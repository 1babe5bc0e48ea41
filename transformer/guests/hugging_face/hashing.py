"""A short hash of a guest's weights, by which two traces are known to be of one model."""

import hashlib
from collections.abc import Iterator
from typing import Any, cast

from torch import Tensor

SAMPLED = 4096
"""Numbers of each tensor, at most: a hash of every one takes seconds a gigabyte."""


def hash_of(model: Any) -> str:
    """The hash, 12 hexadecimal digits."""
    digest = hashlib.sha256()
    for name, value in model.state_dict().items():
        digest.update(name.encode())
        for tensor in _tensors(value):
            flat = tensor.reshape(-1)
            some = flat[:: max(1, flat.numel() // SAMPLED)].float().cpu().numpy()
            digest.update(some.tobytes())
    return digest.hexdigest()[:12]


def _tensors(value: object) -> Iterator[Tensor]:
    """Tensors of an entry, which a quantised layer packs in tuples beside what is none."""
    if isinstance(value, Tensor):
        yield value.detach().dequantize() if value.is_quantized else value.detach()
    elif isinstance(value, tuple):
        for one in cast(tuple[object, ...], value):
            yield from _tensors(one)
