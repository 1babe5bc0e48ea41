"""A checkpoint's weights on disk: one safetensors file, or shards of at most 10 MB and their index.

The layout is Hugging Face's. A Space takes no file over 10 MB without Git LFS.
"""

import json
import os
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, cast

import torch
from huggingface_hub import split_torch_state_dict_into_shards
from safetensors import SafetensorError, safe_open
from safetensors.torch import load_file, save_file  # pyright: ignore[reportUnknownVariableType]
from torch import Tensor

from ..errors import CheckpointError
from ..model.config import TransformerConfig
from ..model.towers import Model, build_model
from ..model.unfilled import NothingDrawn, Outlined
from .json_object import read_json

WEIGHTS, INDEX = "model.safetensors", "model.safetensors.index.json"
SHARD = re.compile(r"model-\d{5}-of-\d{5}\.safetensors")
Stored = tuple[Path, list[int]]
"""A tensor's file, and its shape."""

FLOATS = ("F16", "BF16", "F32")

SHARD_BYTES = 9_950_000
"""The most tensors a file holds; its header comes on top."""


def weight_files(folder: Path) -> list[Path]:
    """Every file of weights in a folder: the single one, the shards and their index."""
    shards = [path for path in folder.iterdir() if SHARD.fullmatch(path.name)]
    return [path for path in (folder / WEIGHTS, *sorted(shards), folder / INDEX) if path.exists()]


def write_weights(folder: Path, weights: dict[str, Tensor], shard_bytes: int | None = None) -> None:
    """Writes weights whole: in one file if it stays small enough, otherwise in shards.

    Args:
        folder: an empty one.
        weights: by name, of any shape.
        shard_bytes: the most that a file holds; by default what keeps it below 10 MB.
    Raises:
        OSError: the disk takes no more.
    """
    size = shard_bytes or SHARD_BYTES
    split = split_torch_state_dict_into_shards(weights, max_shard_size=size)
    for file, names in split.filename_to_tensors.items():
        path = folder / file
        # Of the rights that the system gives to new files: safetensors lets nobody else read.
        path.touch()
        rights = path.stat().st_mode
        with _disk_errors(path):
            save_file({name: weights[name] for name in names}, path)
        path.chmod(rights)
    if split.is_sharded:
        index = {"metadata": split.metadata, "weight_map": split.tensor_to_filename}
        (folder / INDEX).write_text(json.dumps(index, indent=2) + "\n", encoding="utf-8")


@contextmanager
def _disk_errors(path: Path) -> Iterator[None]:
    """What the disk refuses, which safetensors tells in words, as Python has it."""
    try:
        yield
    except SafetensorError as error:
        if (match := re.search(r"os error (\d+)", str(error))) is None:
            raise
        code = int(match[1])  # of the system: Windows has codes of its own
        raise OSError(code, os.strerror(code), str(path), code) from error


def read_model(folder: Path, config: TransformerConfig) -> Model:
    """The model that `config` describes, with the weights that a folder holds.

    The files' headers are compared with `config` before anything of their size is allocated.

    Raises:
        CheckpointError: a file is missing, no safetensors file, or contradicts the index or the
            configuration; the sentence names it.
    """
    sharded = not (folder / WEIGHTS).exists() and (folder / INDEX).exists()
    stored = shard_headers(folder) if sharded else _header(folder / WEIGHTS)
    _check_shapes(stored, config, folder / (INDEX if sharded else WEIGHTS))
    with NothingDrawn():
        model = build_model(config)
    tensors: dict[str, Tensor] = {}
    for path in {path for path, _ in stored.values()}:
        tensors |= load_file(path)
    with torch.no_grad():
        for name, parameter in model.named_parameters():
            parameter.copy_(tensors[name])
            if not is_finite(parameter):
                path, _ = stored[name]
                raise CheckpointError(path, f"{name} holds values that are not finite numbers")
            # A bias, or the scale of a norm, may be.
            if parameter.ndim > 1 and not parameter.any():
                path, _ = stored[name]
                raise CheckpointError(path, f"{name} holds nothing but zeros")
    return model


def is_finite(tensor: Tensor) -> bool:
    """Whether all values, of any shape, are finite; `isfinite().all()` takes 16 times as long."""
    return tensor.numel() == 0 or all(map(torch.isfinite, torch.aminmax(tensor)))


def _check_shapes(stored: Mapping[str, Stored], config: TransformerConfig, listing: Path) -> None:
    if config.num_encoder_layers + config.num_decoder_layers > len(stored):
        raise CheckpointError(listing, "config.json asks for more layers than there are weights")
    with Outlined():
        expected = {n: list(p.shape) for n, p in build_model(config).named_parameters()}
    if missing := sorted(expected.keys() - stored.keys()):
        raise CheckpointError(listing, f"the weights of {missing[0]} are missing")
    if unknown := sorted(stored.keys() - expected.keys()):
        raise CheckpointError(listing, f"config.json describes no weights named {unknown[0]}")
    for name, shape in expected.items():
        path, stored_shape = stored[name]
        if stored_shape != shape:
            raise CheckpointError(
                path, f"{name} has shape {stored_shape}, but config.json asks for {shape}"
            )


def read_header(path: Path) -> dict[str, tuple[str, list[int]]]:
    """The type and the shape of each tensor of a file, none of them read.

    Raises:
        CheckpointError: the file is missing, or no safetensors file.
    """
    try:
        if not path.is_file():
            raise FileNotFoundError("no such file")
        with safe_open(path, "pt") as file:  # pyright: ignore[reportUnknownVariableType]
            names = cast(list[str], file.keys())
            slices: dict[str, Any] = {name: file.get_slice(name) for name in names}
            return {name: (it.get_dtype(), it.get_shape()) for name, it in slices.items()}
    except (OSError, MemoryError, SafetensorError) as error:
        raise CheckpointError(path, f"missing, or not a safetensors file ({error})") from error


def _header(path: Path) -> dict[str, Stored]:
    header = read_header(path)
    for name, (dtype, _) in header.items():
        if dtype not in FLOATS:
            raise CheckpointError(path, f"{name} holds {dtype}, and weights are floats")
    return {name: (path, shape) for name, (_, shape) in header.items()}


def shard_headers(folder: Path) -> dict[str, Stored]:
    """The tensors of all shards, each in the one that the index names.

    Raises:
        CheckpointError: the index or a shard is missing, broken, or contradicts the other.
    """
    weight_map = _read_index(folder / INDEX)
    stored: dict[str, Stored] = {}
    for file in sorted(set(weight_map.values())):
        stored |= _header(folder / file)
    for name in sorted(weight_map.keys() | stored.keys()):
        path = stored[name][0] if name in stored else folder / weight_map[name]
        if weight_map.get(name) != path.name:
            raise CheckpointError(path, f"{INDEX} does not say that it holds {name}")
        if name not in stored:
            raise CheckpointError(path, f"it lacks {name}, which {INDEX} says it holds")
    return stored


def _read_index(path: Path) -> dict[str, str]:
    """Which shard holds which tensor."""
    weight_map: Any = read_json(path).get("weight_map")
    if not isinstance(weight_map, dict) or not weight_map:
        raise CheckpointError(path, 'it must be an object with a "weight_map" object in it')
    for file in cast(dict[str, Any], weight_map).values():
        # The name becomes a path: nothing outside the folder may be reached.
        if not isinstance(file, str) or not SHARD.fullmatch(file):
            raise CheckpointError(
                path, f"{file!r} is no name of a shard, such as model-00001-of-00002.safetensors"
            )
    return cast(dict[str, str], weight_map)
