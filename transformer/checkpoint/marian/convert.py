"""Any Hugging Face Marian model (OPUS-MT has over a thousand) as one of our checkpoints.

The files are read as they lie, without Hugging Face's own Transformers: configuration and
vocabulary are JSON, weights are safetensors, or tensors that PyTorch pickled. Every weight of the
file must find its place, and every place its weight; nothing is left at its random beginning.
"""

import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ... import checkpoint
from ...model.towers import Transformer
from ...model.unfilled import NothingDrawn
from .. import Checkpoint, CheckpointError, read_tokenizers
from .card import card, readme
from .config import marian_config
from .names import check_shapes, fill
from .weights import read_weights, stored_shapes, weights_file

ONE_FILE = 1 << 40
"""Nobody keeps an import in a repository that takes only small files."""


def install(
    folder: Path,
    target: Path,
    source: str,
    staging: Path,
    told: Mapping[str, Any] | None = None,
) -> None:
    """Writes a Marian model as an installed checkpoint, its weights rounded to float16.

    Args:
        folder: what `save_pretrained` wrote of model and tokenizer.
        target: of the checkpoint; nothing is there yet, nor will be if anything is refused.
        source: where the model comes from, as its card tells it.
        staging: on the same disk, for what is not whole yet.
        told: what its card shall say beyond what the files do.
    Raises:
        CheckpointError: see `read`.
    """
    imported = read(folder, target.name)
    imported.card.update(told or {})
    target.parent.mkdir(parents=True, exist_ok=True)
    shutil.rmtree(staging, ignore_errors=True)
    try:
        checkpoint.save(staging, imported, shard_bytes=ONE_FILE)
        text = readme(target.name, source, folder)
        (staging / "README.md").write_text(text, encoding="utf-8")
        staging.replace(target)
    finally:
        shutil.rmtree(staging, ignore_errors=True)


def read(folder: Path, name: str = "") -> Checkpoint:
    """A Marian model as our checkpoint, exactly: in float32 and evaluation mode.

    Args:
        folder: what `save_pretrained` wrote of model and tokenizer.
        name: of the checkpoint; by default the folder's.
    Raises:
        CheckpointError: a file is missing or broken, or describes what our Transformer cannot be.
    """
    config = marian_config(folder)
    tokenizer, tgt_tokenizer = read_tokenizers(folder, config)
    if tgt_tokenizer is None:
        raise CheckpointError(folder / checkpoint.SRC_TOKENIZER, "a Marian model has one")
    path = weights_file(folder)
    check_shapes(config, stored_shapes(path), path)
    name = name or folder.resolve().name
    with NothingDrawn():
        model = Transformer(config)
    fill(model, read_weights(path), path)
    return Checkpoint(name, model.eval(), tokenizer, card(name, folder, tokenizer), tgt_tokenizer)
