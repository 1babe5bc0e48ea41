"""Forms that a model of ours to be is not in, though people have it so: what each is, and the way.

A folder is told by the names of its files, so that the hub's listing is told the same way.
"""

import re
import zipfile
from collections.abc import Collection
from pathlib import Path

from ..errors import CheckpointError, HeadlightError
from .json_object import read_json

LORA = "adapter_config.json"

WHOLE = ("model.safetensors", "model.safetensors.index.json", "pytorch_model.bin")
"""Weights, of which a folder needs one."""

POINTER = b"version https://git-lfs"

SAVED = "what Hugging Face's save_pretrained wrote of model and tokenizer"

RAW = (
    "it is a model as Marian itself writes it ({file}), which is how OPUS-MT publishes them: take "
    "its twin from the Hugging Face Hub (Helsinki-NLP/opus-mt-…), or convert it with "
    "transformers' convert_marian_to_pytorch.py"
)

CONVERTED = (
    "it is a model in {form}'s form ({file}), out of which nothing can be read step by step: "
    "import the one that it was made of"
)


def other_form(names: Collection[str]) -> str | None:
    """What a folder of files with these names is, if it is no model that can be imported.

    Args:
        names: of files, and of files in folders below ("snapshots/1/config.json").
    """
    if any(name in names for name in WHOLE) and "config.json" in names:
        return None
    for pattern, sentence in (
        (
            re.escape(LORA),
            "it is a LoRA adapter, which holds only what differs from the model that it was "
            "trained on: merge the two (merge_and_unload) and save the whole, with its tokenizer",
        ),
        (r".*\.npz", RAW),
        (r"model\.bin", CONVERTED.replace("{form}", "CTranslate2")),
        (r".*\.onnx", CONVERTED.replace("{form}", "ONNX")),
        (r".*\.gguf", CONVERTED.replace("{form}", "GGUF")),
        (
            r"(checkpoint-\d+|snapshots/[^/]+)/config\.json",
            "it is a folder of folders, each with a model: name one of them, such as {folder}",
        ),
    ):
        # Of several the last one written: checkpoint-500 before checkpoint-1000.
        matching = sorted(filter(re.compile(pattern).fullmatch, names), key=lambda n: (len(n), n))
        if matching:
            return sentence.format(file=matching[-1], folder=matching[-1].rpartition("/")[0])
    return None


def check_form(folder: Path) -> None:
    """Refuses a folder that holds a model in another form than `save_pretrained` writes.

    Raises:
        CheckpointError: what it is, and what to do.
    """
    near = [*folder.glob("*"), *folder.glob("checkpoint-*/*.json"), *folder.glob("snapshots/*/*")]
    files = [path for path in near if path.is_file()]
    for path in files:
        if path.stat().st_size < 1024 and path.read_bytes().startswith(POINTER):
            raise CheckpointError(
                path, "it is Git LFS's note of where the file lies: fetch the file (git lfs pull)"
            )
    names = {path.relative_to(folder).as_posix() for path in files}
    if (form := other_form(names)) and LORA in names:
        base = read_json(folder / LORA).get("base_model_name_or_path")
        form += f"; it was trained on {base}" if isinstance(base, str) else ""
    if form:
        raise CheckpointError(folder, form)
    config = folder / "config.json"
    if not config.exists():
        raise CheckpointError(config, f"the file is missing: name a folder that holds {SAVED}")
    if isinstance(read_json(config).get("model"), dict):
        raise CheckpointError(
            folder, "it is a checkpoint of ours already: name it where a model is asked for"
        )


def not_a_folder(file: Path) -> HeadlightError:
    """What to say of a file in a folder's place."""
    raw = ""
    if zipfile.is_zipfile(file):
        with zipfile.ZipFile(file) as archive:
            raw = next((name for name in archive.namelist() if name.endswith(".npz")), "")
    reason = RAW.format(file=raw) if raw else f"it is a file: name a folder that holds {SAVED}"
    return HeadlightError("no_such_model", f"{file}: {reason}", model=str(file))
