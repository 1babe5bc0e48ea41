"""A trained model on disk: a folder with weights, configuration, tokenizer and model card.

    checkpoints/NAME/model.safetensors   weights, float16; or shards of them and their index
                     config.json         {"model": TransformerConfig, "normalise": whether a source
                                         is read as `text.normalise` writes it, "card": what people
                                         may read}
                     tokenizer.model     SentencePiece; or one for each language,
                                         source_tokenizer.model and target_tokenizer.model; or, as
                                         Marian has it, source.spm, target.spm and vocab.json (for
                                         the target too: target_vocab.json)
                     lexicon.tsv         what words mean in the other language, if that is known
                     files.json          what each of these held when it was made
                     README.md           the model card

Nothing is ever unpickled, and everything is checked before it is used.
"""

import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import torch

from ..errors import CheckpointError
from ..model.config import TransformerConfig
from ..model.towers import Model
from ..text.tokenizer import Tokenizer
from .checked_card import checked_card
from .checksums import FILES, check_files, write_checksums
from .json_object import read_json
from .lexicon import LEXICON, Lexicon, read_lexicon
from .measured_heads import MeasuredHeads, read_heads
from .tokenizers import TOKENIZER_FILES, read_tokenizers, tokenizer_files
from .weights import WEIGHTS, is_finite, read_model, weight_files, write_weights
from .whole import put, staged_files

CONFIG = "config.json"


@dataclass(frozen=True)
class Checkpoint:
    """What a checkpoint's folder holds.

    Attributes:
        name: the folder's name.
        model: in evaluation mode, float32.
        tokenizer: of both languages, or of the source if the target has its own.
        card: what people may read about it, as JSON values: `title`, `about` (one
            sentence) and `action` (what it does instead of translating), each {"en", "zh", …};
            `order`, its place among others; `source_language`, `target_language`, `scores`
            {name: figure}, `examples` [text]; `start`, the page's first minute
            (`measure.first_minute`); `training_text`, which lines it has read of the
            files that came along (`checkpoint.own_text`).
        tgt_tokenizer: the target's own, if it has one.
        normalise: whether a source is read as `text.normalise` writes it.
        hash: the first eight hex digits of its weights' and tokenizers' SHA-256; empty before it
            was on a disk.
        heads: what was measured of its heads, if that lies beside it.
        lexicon: what the words of its languages stand for, if that lies beside it.
    """

    name: str
    model: Model
    tokenizer: Tokenizer
    card: dict[str, Any] = field(default_factory=dict[str, Any])
    tgt_tokenizer: Tokenizer | None = None
    normalise: bool = False
    hash: str = ""
    heads: MeasuredHeads | None = None
    lexicon: Lexicon | None = None


def save(folder: Path, checkpoint: Checkpoint, shard_bytes: int | None = None) -> None:
    """Writes weights (float16), configuration and tokenizers; other files in the folder stay.

    Every file is complete on the disk before the first one is put in its place, so an interrupted
    save leaves the earlier checkpoint whole. Where there was none, `whole.staged_folder` is for it.

    Args:
        folder: of the checkpoint.
        checkpoint: what to write.
        shard_bytes: the most weights a file holds; by default, what a Space takes without LFS.
    Raises:
        CheckpointError: a weight is not a number that float16 can hold; nothing is written.
    """
    folder.mkdir(parents=True, exist_ok=True)
    config = {
        "model": checkpoint.model.config.to_dict(),
        "normalise": checkpoint.normalise,
        "card": checkpoint.card,
    }
    weights = {
        name: parameter.detach().to("cpu", torch.float16).contiguous()
        for name, parameter in checkpoint.model.named_parameters()
    }
    for name, tensor in weights.items():
        if not is_finite(tensor):
            raise CheckpointError(folder / WEIGHTS, f"{name} holds values beyond float16's range")
    with staged_files(folder) as staging:
        write_weights(staging, weights, shard_bytes)
        weights_files = [path.name for path in weight_files(staging)]
        text = json.dumps(config, ensure_ascii=False, indent=2) + "\n"
        (staging / CONFIG).write_text(text, encoding="utf-8")
        others = tokenizer_files(checkpoint.tokenizer, checkpoint.tgt_tokenizer)
        if checkpoint.lexicon is not None:
            others[LEXICON] = checkpoint.lexicon.to_bytes()
        for name, content in others.items():
            (staging / name).write_bytes(content)
        write_checksums(staging, CONFIG)
        # The configuration comes last, because a folder is a checkpoint once it has one. What the
        # files shall hold comes first: a mixture of two checkpoints is refused.
        put(staging, folder, (FILES, *others, *weights_files, CONFIG))
        # What an earlier checkpoint in another layout has left would contradict this one.
        before = [path.name for path in weight_files(folder)] + [*TOKENIZER_FILES, LEXICON]
        for name in set(before) - {*weights_files, *others}:
            (folder / name).unlink(missing_ok=True)


def read_card(folder: Path) -> dict[str, Any]:
    """The card of a checkpoint, without loading its weights."""
    return read_config(folder)[1]


def load(folder: Path, device: torch.device | str = "cpu") -> Checkpoint:
    """Reads a checkpoint.

    Args:
        folder: as `save` wrote it.
        device: where the weights go.
    Returns:
        The checkpoint, its model in evaluation mode and float32.
    Raises:
        CheckpointError: a file is missing, unreadable or contradicts another.
    """
    config, card = read_config(folder)
    tokenizer, tgt_tokenizer = read_tokenizers(folder, config)
    model, lexicon = read_model(folder, config), read_lexicon(folder)
    # Last, since all that is wrong in itself has a sentence of its own.
    own = check_files(folder, CONFIG)
    return Checkpoint(
        *(folder.resolve().name, model.to(device).eval(), tokenizer, card, tgt_tokenizer),
        normalise=read_normalise(folder),
        hash=own,
        heads=read_heads(folder, own),
        lexicon=lexicon,
    )


def read_config(folder: Path) -> tuple[TransformerConfig, dict[str, Any]]:
    """The configuration and the card of a checkpoint, without loading its weights.

    Raises:
        CheckpointError: the file is missing or broken.
    """
    path = folder / CONFIG
    content = read_json(path)
    if not _is_object(content.get("model")):
        raise CheckpointError(path, 'it must be an object with a "model" object in it')
    try:
        config = TransformerConfig.from_dict(content["model"])
        card = content.get("card", {})
        return config, checked_card(card) if _is_object(card) else {}
    except ValueError as error:
        raise CheckpointError(path, str(error)) from error


def read_normalise(folder: Path) -> bool:
    """Whether a checkpoint reads sources normalised: one that does not say so reads them as typed.

    It stands beside the "model", since `files.json` and so the weights' hash know that one alone.

    Raises:
        CheckpointError: the file is missing or broken.
    """
    normalise: Any = read_json(folder / CONFIG).get("normalise", False)
    if type(normalise) is not bool:
        raise CheckpointError(
            folder / CONFIG, f'"normalise" must be true or false, not {normalise!r}'
        )
    return normalise


def _is_object(value: Any) -> bool:
    return isinstance(value, dict)
