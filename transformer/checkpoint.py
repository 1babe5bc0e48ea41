"""A trained model on disk: a folder with weights, configuration, tokenizer and model card.

    checkpoints/NAME/model.safetensors   weights, float16
                     config.json         {"model": TransformerConfig, "card": what people may read}
                     tokenizer.model     SentencePiece; or, as Marian has it, source.spm, target.spm
                                         and vocab.json (for the target too: target_vocab.json)
                     README.md           the model card

Nothing is ever unpickled, and everything is checked before it is used.
"""

import json
import os
import tempfile
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar, cast

import torch
from safetensors import SafetensorError
from safetensors.torch import load_file, save_file  # pyright: ignore[reportUnknownVariableType]

from .config import TransformerConfig
from .errors import HeadlightError
from .model import Model, build_model
from .tokenizer import Tokenizer, load_processor
from .vocabulary import VocabularyTokenizer

WEIGHTS, CONFIG, TOKENIZER = "model.safetensors", "config.json", "tokenizer.model"
SRC_TOKENIZER, TGT_TOKENIZER = "source.spm", "target.spm"
VOCABULARY, TGT_VOCABULARY = "vocab.json", "target_vocab.json"

Parsed = TypeVar("Parsed")


class CheckpointError(HeadlightError):
    """A checkpoint that cannot be loaded; the sentence names the file and the reason."""

    def __init__(self, file: Path, reason: str) -> None:
        super().__init__("broken_checkpoint", f"{file}: {reason}", file=file.name, reason=reason)


@dataclass(frozen=True)
class Checkpoint:
    """What a checkpoint's folder holds.

    Attributes:
        name: the folder's name.
        model: in evaluation mode, float32.
        tokenizer: of both languages, or of the source if the target has its own.
        card: what people may read about it, as JSON values: `title` {"en", "zh"},
            `source_language`, `target_language`, `scores` {name: figure}, `examples` [text].
        tgt_tokenizer: the target's own, if it has one.
    """

    name: str
    model: Model
    tokenizer: Tokenizer
    card: dict[str, Any] = field(default_factory=dict[str, Any])
    tgt_tokenizer: VocabularyTokenizer | None = None


def checkpoints_folder() -> Path:
    """Where checkpoints are: $HEADLIGHT_CHECKPOINTS, or `checkpoints/` of the project."""
    default = Path(__file__).resolve().parent.parent / "checkpoints"
    return Path(os.environ.get("HEADLIGHT_CHECKPOINTS") or default)


def available() -> list[str]:
    """The names of the installed checkpoints, in alphabetical order."""
    return sorted(path.parent.name for path in checkpoints_folder().glob(f"*/{CONFIG}"))


def find(name_or_folder: str | Path) -> Path:
    """The folder of an installed checkpoint's name, or the folder itself.

    Raises:
        HeadlightError: there is neither.
    """
    name = str(name_or_folder)
    if name in available():
        return checkpoints_folder() / name
    with suppress(OSError):  # say, a name longer than the file system allows
        if Path(name_or_folder).is_dir():
            return Path(name_or_folder)
    installed = ", ".join(available()) or "none"
    raise HeadlightError(
        "unknown_model", f"there is no model {name!r}; installed: {installed}", model=name
    )


def save(folder: Path, checkpoint: Checkpoint) -> None:
    """Writes weights (float16), configuration and tokenizer; other files in the folder stay.

    Every file is complete on the disk before the first one is put in its place, so an interrupted
    save leaves the earlier checkpoint whole.

    Raises:
        CheckpointError: a weight is not a number that float16 can hold; nothing is written.
    """
    folder.mkdir(parents=True, exist_ok=True)
    config = {"model": checkpoint.model.config.to_dict(), "card": checkpoint.card}
    weights = {
        name: parameter.detach().to("cpu", torch.float16).contiguous()
        for name, parameter in checkpoint.model.named_parameters()
    }
    for name, tensor in weights.items():
        if not tensor.isfinite().all():
            raise CheckpointError(folder / WEIGHTS, f"{name} holds values beyond float16's range")
    with tempfile.TemporaryDirectory(dir=folder, prefix=".saving-") as temporary:
        staging = Path(temporary)
        save_file(weights, staging / WEIGHTS)
        text = json.dumps(config, ensure_ascii=False, indent=2) + "\n"
        (staging / CONFIG).write_text(text, encoding="utf-8")
        tokenizer_files = _tokenizer_files(checkpoint)
        for name, content in tokenizer_files.items():
            (staging / name).write_bytes(content)
        # The configuration comes last, because a folder is a checkpoint once it has one.
        for name in (*tokenizer_files, WEIGHTS, CONFIG):
            (staging / name).replace(folder / name)


def _tokenizer_files(checkpoint: Checkpoint) -> dict[str, bytes]:
    src, tgt = checkpoint.tokenizer, checkpoint.tgt_tokenizer
    if tgt is None:
        return {TOKENIZER: src.to_bytes()}
    files = {SRC_TOKENIZER: src.to_bytes(), TGT_TOKENIZER: tgt.to_bytes()}
    vocabulary = src.vocabulary if isinstance(src, VocabularyTokenizer) else tgt.vocabulary
    files[VOCABULARY] = json.dumps(vocabulary, ensure_ascii=False).encode()
    if tgt.vocabulary != vocabulary:
        files[TGT_VOCABULARY] = json.dumps(tgt.vocabulary, ensure_ascii=False).encode()
    return files


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
    model = build_model(config)
    _read_weights(folder / WEIGHTS, model)
    name = folder.resolve().name
    return Checkpoint(name, model.to(device).eval(), tokenizer, card, tgt_tokenizer)


def read_config(folder: Path) -> tuple[TransformerConfig, dict[str, Any]]:
    """The configuration and the card of a checkpoint, without loading its weights.

    Raises:
        CheckpointError: the file is missing or broken.
    """
    path = folder / CONFIG
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise CheckpointError(path, "the file is missing or cannot be read") from error
    except ValueError as error:
        raise CheckpointError(path, f"not JSON ({error})") from error
    if not _is_object(content) or not _is_object(content.get("model")):
        raise CheckpointError(path, 'it must be an object with a "model" object in it')
    card = content.get("card", {})
    try:
        config = TransformerConfig.from_dict(content["model"])
    except ValueError as error:
        raise CheckpointError(path, str(error)) from error
    return config, cast(dict[str, Any], card) if _is_object(card) else {}


def _is_object(value: Any) -> bool:
    return isinstance(value, dict)


def read_tokenizers(
    folder: Path, config: TransformerConfig
) -> tuple[Tokenizer, VocabularyTokenizer | None]:
    """The tokenizer of both languages; or the source's and the target's, if they differ.

    Raises:
        CheckpointError: a file is missing, unreadable or contradicts `config`.
    """
    if (folder / TOKENIZER).exists() or not (folder / SRC_TOKENIZER).exists():
        tokenizer = _parse(folder / TOKENIZER, Tokenizer)
        sizes = {config.tgt_vocab_size}
        if not config.decoder_only:
            sizes.add(config.src_vocab_size)
        for size in sizes:
            _check_tokenizer(folder / TOKENIZER, tokenizer, size, config)
        return tokenizer, None
    tgt_file = VOCABULARY if not (folder / TGT_VOCABULARY).exists() else TGT_VOCABULARY
    src = _read_vocabulary_tokenizer(folder / SRC_TOKENIZER, folder / VOCABULARY)
    tgt = _read_vocabulary_tokenizer(folder / TGT_TOKENIZER, folder / tgt_file)
    _check_tokenizer(folder / VOCABULARY, src, config.src_vocab_size, config)
    _check_tokenizer(folder / tgt_file, tgt, config.tgt_vocab_size, config)
    return src, tgt


def _read_vocabulary_tokenizer(model: Path, vocabulary: Path) -> VocabularyTokenizer:
    # Tried alone first, so that the error names the file at fault.
    _parse(model, load_processor)
    content = model.read_bytes()
    return _parse(vocabulary, lambda text: VocabularyTokenizer(content, _read_vocabulary(text)))


def _read_vocabulary(text: bytes) -> dict[str, int]:
    vocabulary = json.loads(text)
    if not _is_object(vocabulary) or any(type(i) is not int for i in vocabulary.values()):
        raise ValueError("it must be an object from pieces to ids")
    return vocabulary


def _parse(path: Path, parse: Callable[[bytes], Parsed]) -> Parsed:
    try:
        return parse(path.read_bytes())
    except OSError as error:
        raise CheckpointError(path, "the file is missing or cannot be read") from error
    except ValueError as error:
        raise CheckpointError(path, str(error)) from error


def _check_tokenizer(
    path: Path, tokenizer: Tokenizer, size: int, config: TransformerConfig
) -> None:
    if size != tokenizer.vocab_size:
        raise CheckpointError(
            path, f"it has {tokenizer.vocab_size} pieces, but config.json says {size}"
        )
    ids = (config.pad_id, config.bos_id, config.eos_id)
    pad, bos, eos = tokenizer.pieces(ids) if max(ids) < size else ("", "", "")
    # Marian starts from its padding token.
    if pad != "<pad>" or bos not in ("<s>", "<pad>") or eos != "</s>":
        raise CheckpointError(path, "config.json gives its special tokens other ids")


def _read_weights(path: Path, model: Model) -> None:
    try:
        stored = load_file(path)
    except (OSError, SafetensorError) as error:
        raise CheckpointError(path, f"missing, or not a safetensors file ({error})") from error
    parameters = dict(model.named_parameters())
    if missing := sorted(parameters.keys() - stored.keys()):
        raise CheckpointError(path, f"the weights of {missing[0]} are missing")
    if unknown := sorted(stored.keys() - parameters.keys()):
        raise CheckpointError(path, f"config.json describes no weights named {unknown[0]}")
    for name, parameter in parameters.items():
        tensor = stored[name]
        if tensor.shape != parameter.shape:
            raise CheckpointError(
                path,
                f"{name} has shape {list(tensor.shape)}, but config.json asks for "
                f"{list(parameter.shape)}",
            )
        if not tensor.isfinite().all():
            raise CheckpointError(path, f"{name} holds values that are not finite numbers")
        parameter.data.copy_(tensor)
