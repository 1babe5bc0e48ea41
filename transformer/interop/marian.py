"""Any Hugging Face Marian model (OPUS-MT has over a thousand) as one of our checkpoints.

The files are read as they lie, without Hugging Face's own Transformers: configuration and
vocabulary are JSON, weights are safetensors. Every weight of the file must find its place, and
every place its weight; nothing is left at its random beginning.
"""

import re
from pathlib import Path

import torch
from safetensors import SafetensorError
from safetensors.torch import load_file  # pyright: ignore[reportUnknownVariableType]
from torch import Tensor

from .. import checkpoint
from ..checkpoint import WEIGHTS, Checkpoint, CheckpointError, read_tokenizers
from ..errors import HeadlightError
from ..layers import sinusoids
from ..model import Transformer
from .marian_card import card, readme
from .marian_config import marian_config

HUB_NAME = r"[\w.-]+/[\w.-]+"
FILES = ["*.json", "*.spm", "*.md", WEIGHTS]

CONVERT = """\
only safetensors are read, because a pickled file can run any program. If you trust its authors, \
convert it with Hugging Face Transformers, MarianMTModel.from_pretrained({source!r})\
.save_pretrained("FOLDER") and the same for MarianTokenizer, and import FOLDER; on the hub, \
a pull request may hold them: --revision refs/pr/NUMBER"""

# Ours → theirs; the longer names come before those that they contain.
NAMES = {
    "self_attention_residual.norm": ("self_attn_layer_norm",),
    "cross_attention_residual.norm": ("encoder_attn_layer_norm",),
    "feed_forward_residual.norm": ("final_layer_norm",),
    "self_attention.query_key_value": tuple(f"self_attn.{p}_proj" for p in "qkv"),
    "self_attention.output": ("self_attn.out_proj",),
    "cross_attention.query_key_value": tuple(f"encoder_attn.{p}_proj" for p in "qkv"),
    "cross_attention.output": ("encoder_attn.out_proj",),
    "feed_forward.inner": ("fc1",),
    "feed_forward.outer": ("fc2",),
}
SHARED = "model.shared.weight"
OUTPUT, OUTPUT_BIAS = "lm_head.weight", "final_logits_bias"
SRC_EMBEDDING, TGT_EMBEDDING = (f"model.{t}.embed_tokens.weight" for t in ("encoder", "decoder"))


def import_marian(source: str, name: str = "", revision: str | None = None) -> Path:
    """Writes a Marian model as an installed checkpoint, its weights rounded to float16.

    Args:
        source: a folder that Hugging Face's `save_pretrained` wrote, or a name on its hub.
        name: of the checkpoint; by default the last part of `source`.
        revision: on the hub: a branch, a commit or a pull request ("refs/pr/1").
    Returns:
        The checkpoint's folder.
    Raises:
        HeadlightError: there is no such model, it is no Marian model, our Transformer cannot be
            it, or there already is a checkpoint of this name.
    """
    name = name or Path(source).resolve().name
    if not re.fullmatch(r"[\w.-]*\w[\w.-]*", name):
        raise HeadlightError("bad_name", f"a checkpoint cannot be called {name!r}", name=name)
    target = checkpoint.checkpoints_folder() / name
    if target.exists():
        raise HeadlightError(
            "name_taken", f"{target} already exists: choose another name for the import", name=name
        )
    folder = _locate(source, revision)
    checkpoint.save(target, read(folder, source, name))
    (target / "README.md").write_text(readme(name, source, folder), encoding="utf-8")
    return target


def read(folder: Path, source: str = "", name: str = "") -> Checkpoint:
    """A Marian model as our checkpoint, exactly: in float32 and evaluation mode.

    Args:
        folder: what `save_pretrained` wrote of model and tokenizer.
        source: what the user calls it; by default the folder.
        name: of the checkpoint; by default the folder's.
    Raises:
        CheckpointError: a file is missing or broken, or describes what our Transformer cannot be.
    """
    config = marian_config(folder)
    tokenizer, tgt_tokenizer = read_tokenizers(folder, config)
    if tgt_tokenizer is None:
        raise CheckpointError(folder / checkpoint.SRC_TOKENIZER, "a Marian model has one")
    name = name or folder.resolve().name
    weights = _read_weights(folder, source or str(folder))
    model = Transformer(config)
    with torch.no_grad():
        _fill(model, weights, folder / WEIGHTS)
    return Checkpoint(name, model.eval(), tokenizer, card(name, folder, tokenizer), tgt_tokenizer)


def _locate(source: str, revision: str | None) -> Path:
    """The folder itself, or the hub's copy of it."""
    if Path(source).is_dir():
        return Path(source)
    if not re.fullmatch(HUB_NAME, source):
        raise HeadlightError(
            "no_such_model",
            f"{source} is neither a folder nor a name on the Hugging Face Hub, such as "
            "Helsinki-NLP/opus-mt-en-zh",
            model=source,
        )
    from huggingface_hub import snapshot_download  # pyright: ignore[reportUnknownVariableType]
    from huggingface_hub.errors import HfHubHTTPError, HFValidationError

    try:
        folder = snapshot_download(source, revision=revision, allow_patterns=FILES)
    except (OSError, HfHubHTTPError, HFValidationError) as error:
        reason = str(error).strip().partition("\n")[0]
        raise HeadlightError(
            "no_such_model",
            f"there is no folder {source}, and the Hugging Face Hub did not give it: {reason}",
            model=source,
        ) from error
    return Path(folder)


def _read_weights(folder: Path, source: str) -> dict[str, Tensor]:
    path = folder / WEIGHTS
    if not path.exists():
        raise CheckpointError(path, f"the file is missing; {CONVERT.format(source=source)}")
    try:
        weights = load_file(path)
    except (OSError, SafetensorError) as error:
        raise CheckpointError(path, f"not a safetensors file ({error})") from error
    for name, tensor in weights.items():
        if not tensor.isfinite().all():
            raise CheckpointError(path, f"{name} holds values that are not finite numbers")
    return {name: tensor.float() for name, tensor in weights.items()}


def _fill(model: Transformer, weights: dict[str, Tensor], path: Path) -> None:
    """Puts every weight in its place."""
    _drop_sinusoids(weights, path)
    _check_tied(model, weights, path)
    # A model without one adds nothing.
    weights.setdefault(OUTPUT_BIAS, torch.zeros(1, model.config.tgt_vocab_size))
    known: set[str] = set()
    for ours, parameter in model.named_parameters():
        parts: list[Tensor] = []
        for names in _their_names(ours, model):
            known.update(names)
            found = next((name for name in names if name in weights), None)
            if found is None:
                raise CheckpointError(path, f"the weights of {names[0]} are missing")
            parts.append(weights[found])
        tensor = torch.cat(parts)
        if ours == "decoder.output.bias":
            tensor = tensor.flatten()
        if tensor.shape != parameter.shape:
            raise CheckpointError(
                path,
                f"{ours} would have shape {list(tensor.shape)}, but config.json asks for "
                f"{list(parameter.shape)}",
            )
        parameter.copy_(tensor)
    if unknown := sorted(weights.keys() - known):
        raise CheckpointError(path, f"a Marian model has no weights named {unknown[0]}")


def _drop_sinusoids(weights: dict[str, Tensor], path: Path) -> None:
    """Old files hold the positions too, which must be the ones that we compute."""
    for tower in ("encoder", "decoder"):
        name = f"model.{tower}.embed_positions.weight"
        table = weights.pop(name, None)
        if table is None:
            continue
        length, d_model = table.shape
        # float16 leaves them this exact.
        if not torch.allclose(table, sinusoids(length, d_model, "concatenated"), atol=1e-3):
            raise CheckpointError(path, f"{name} is learned, but our positions are sinusoids")


def _their_names(ours: str, model: Transformer) -> list[tuple[str, ...]]:
    """The parts of one of our parameters; each has one name, or is whichever comes first."""
    if ours == "encoder.embedding.token.weight":
        return [(SRC_EMBEDDING, SHARED, *_tied(model))]
    if ours == "decoder.embedding.token.weight":
        return [(TGT_EMBEDDING, SHARED, *_tied(model))]
    if ours == "decoder.output.weight":
        return [(OUTPUT,)]
    if ours == "decoder.output.bias":
        return [(OUTPUT_BIAS,)]
    mine = next(mine for mine in NAMES if mine in ours)
    return [(f"model.{ours.replace(mine, part)}",) for part in NAMES[mine]]


def _tied(model: Transformer) -> tuple[str, ...]:
    """Their names of what is one matrix."""
    groups = {"all": (SHARED, SRC_EMBEDDING, TGT_EMBEDDING, OUTPUT)}
    groups |= {"output": (TGT_EMBEDDING, OUTPUT), "none": ()}
    return groups[model.config.tied_embeddings]


def _check_tied(model: Transformer, weights: dict[str, Tensor], path: Path) -> None:
    first, *others = [name for name in _tied(model) if name in weights] or [""]
    for other in others:
        if not torch.equal(weights[first], weights[other]):
            raise CheckpointError(
                path, f"config.json says that {first} and {other} are one matrix, but they differ"
            )
