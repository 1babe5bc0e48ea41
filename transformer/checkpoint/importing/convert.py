"""A model of Hugging Face's, if we know its family, as one of our checkpoints.

The files are read as they lie, without Hugging Face's own Transformers: configuration and
vocabulary are JSON, weights are safetensors, or tensors that PyTorch pickled. Every weight of the
file must find its place, and every place its weight; nothing is left at its random beginning.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import torch

from ...errors import CheckpointError
from ...model.towers import build_model
from ...model.unfilled import NothingDrawn
from ..folder import Checkpoint, save
from ..foreign_weights import check_range, read_weights, stored_shapes, weights_file
from ..whole import staged_folder
from .families import family_of

ONE_FILE = 1 << 40
"""Bytes beyond any file's: nobody keeps an import in a repository that takes only small ones."""


def install(
    folder: Path,
    target: Path,
    source: str,
    card: Mapping[str, Any] | None = None,
) -> None:
    """Writes a model as an installed checkpoint, its weights rounded to float16.

    Args:
        folder: what `save_pretrained` wrote of model and tokenizer.
        target: of the checkpoint; nothing is there yet, nor will be before it is whole.
        source: where the model comes from, as its card tells it.
        card: what its card shall say beyond what the files do.
    Raises:
        CheckpointError: see `read`.
    """
    imported = read(folder, target.name)
    check_range(weights_file(folder))
    imported.card.update(card or {})
    text = family_of(folder).readme(target.name, source, folder)
    with staged_folder(target) as staging:
        save(staging, imported, shard_bytes=ONE_FILE)
        (staging / "README.md").write_text(text, encoding="utf-8")


def read(folder: Path, name: str = "") -> Checkpoint:
    """A model of another library as our checkpoint, exactly: in float32 and evaluation mode.

    Args:
        folder: what `save_pretrained` wrote of model and tokenizer.
        name: of the checkpoint; by default the folder's.
    Raises:
        CheckpointError: a file is missing or broken, or describes what our Transformer cannot be.
    """
    family = family_of(folder)
    config = family.config(folder)
    path = weights_file(folder)
    stored = stored_shapes(path)
    if config.num_encoder_layers + config.num_decoder_layers > len(stored):
        raise CheckpointError(path, "config.json asks for more layers than there are weights")
    # Shapes, and no memory for what they would hold.
    with torch.device("meta"), NothingDrawn(), torch.no_grad():
        shapes = {name: torch.empty(shape) for name, shape in stored.items()}
        family.place(build_model(config), shapes, path)
    # Once the sizes are known to be the file's.
    tokenizer, tgt_tokenizer = family.tokenizers(folder, config)
    weights = read_weights(path)
    family.check(config, weights, path)
    with NothingDrawn(), torch.no_grad():
        model = build_model(config)
        family.place(model, weights, path)
    name = name or folder.resolve().name
    card = family.card(name, folder, tokenizer)
    # One more than its tokens: </s> ends it.
    examples = [e for e in card["examples"] if len(tokenizer.encode(e)) < config.max_length]
    card["examples"] = examples
    return Checkpoint(name, model.eval(), tokenizer, card, tgt_tokenizer)
