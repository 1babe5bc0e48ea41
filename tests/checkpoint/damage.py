"""What can be wrong with a checkpoint's folder, and what is said of it."""

import json
import pickle
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
from safetensors.torch import load_file, save_file

from transformer.checkpoint import CONFIG, TOKENIZER, WEIGHTS
from transformer.checkpoint.weights import INDEX


def edit_config(**changes: Any) -> Callable[[Path], None]:
    def edit(folder: Path) -> None:
        content = json.loads((folder / CONFIG).read_text(encoding="utf-8"))
        content["model"].update(changes)
        (folder / CONFIG).write_text(json.dumps(content), encoding="utf-8")

    return edit


def edit_weights(edit: Callable[[dict[str, torch.Tensor]], Any]) -> Callable[[Path], None]:
    def apply(folder: Path) -> None:
        weights = load_file(folder / WEIGHTS)
        edit(weights)
        save_file(weights, folder / WEIGHTS)

    return apply


def write(name: str, content: bytes) -> Callable[[Path], object]:
    return lambda folder: (folder / name).write_bytes(content)


def remove(name: str) -> Callable[[Path], None]:
    return lambda folder: (folder / name).unlink()


def truncate(name: str, length: int) -> Callable[[Path], object]:
    return lambda folder: (folder / name).write_bytes((folder / name).read_bytes()[:length])


class Bomb:
    """Unpickling it would stop the tests."""

    def __reduce__(self) -> tuple[Any, ...]:
        return pytest.exit, ("model.safetensors was unpickled",)


BIAS = "decoder.output.bias"
BROKEN: list[tuple[str, Callable[[Path], object], str, str]] = [
    ("no config", remove(CONFIG), CONFIG, "missing or cannot be read"),
    ("no tokenizer", remove(TOKENIZER), TOKENIZER, "missing or cannot be read"),
    ("no weights", remove(WEIGHTS), WEIGHTS, "missing, or not a safetensors file"),
    ("cut config", truncate(CONFIG, 40), CONFIG, "not JSON"),
    ("cut tokenizer", truncate(TOKENIZER, 1000), TOKENIZER, "not a SentencePiece model"),
    ("cut weights", truncate(WEIGHTS, 5000), WEIGHTS, "not a safetensors file"),
    ("cut header", truncate(WEIGHTS, 5), WEIGHTS, "not a safetensors file"),
    ("pickle", write(WEIGHTS, pickle.dumps(Bomb())), WEIGHTS, "not a safetensors file"),
    ("pickled tokenizer", write(TOKENIZER, pickle.dumps(Bomb())), TOKENIZER, "not a Sentence"),
    ("empty weights", write(WEIGHTS, b""), WEIGHTS, "not a safetensors file"),
    ("not UTF-8", write(CONFIG, b"\xff\xfe"), CONFIG, "not JSON"),
    ("a JSON list", write(CONFIG, b"[]"), CONFIG, "must be a JSON object"),
    ("nested", write(CONFIG, b"[" * 200_000), CONFIG, "not JSON"),
    ("no model", write(CONFIG, b'{"card": {}}'), CONFIG, 'an object with a "model" object'),
    ("a text", edit_config(d_model="16"), CONFIG, "d_model must be of type int, not '16'"),
    ("a long text", edit_config(d_model="9" * 9000), CONFIG, r"type int, not '9{79}$"),
    ("impossible", edit_config(num_heads=3), CONFIG, r"d_model \(16\) must be divisible"),
    ("unknown setting", edit_config(n_embd=1), CONFIG, "unknown settings: n_embd"),
    ("other vocabulary", edit_config(tgt_vocab_size=99), TOKENIZER, "120 pieces, but .* says 99"),
    ("other source", edit_config(src_vocab_size=99), TOKENIZER, "120 pieces, but .* says 99"),
    ("other special ids", edit_config(bos_id=5), TOKENIZER, "special tokens other ids"),
    ("absurd width", edit_config(d_model=4_000_000), WEIGHTS, r"but .* \[\d*, 4000000\]"),
    ("absurd size", edit_config(d_ff=2**63), CONFIG, "d_ff can be 2147483647 at most, not 9223"),
    ("absurd depth", edit_config(num_decoder_layers=10**9), WEIGHTS, "asks for more layers"),
    ("other width", edit_config(d_ff=25), WEIGHTS, r"shape \[24, 16\], but .* \[25, 16\]"),
    ("a layer more", edit_config(num_decoder_layers=3), WEIGHTS, r"decoder\.layers\.2.* missing"),
    ("a layer less", edit_config(num_decoder_layers=1), WEIGHTS, r"no .* named decoder\.layers\.1"),
    ("missing", edit_weights(lambda w: w.pop(BIAS)), WEIGHTS, f"weights of {BIAS} are missing"),
    (
        "unknown",
        edit_weights(lambda w: w.update(extra=torch.ones(1))),
        WEIGHTS,
        "describes no weights named extra",
    ),
    ("NaN", edit_weights(lambda w: w[BIAS][3].fill_(torch.nan)), WEIGHTS, f"{BIAS} holds values"),
    ("infinite", edit_weights(lambda w: w[BIAS][3].fill_(torch.inf)), WEIGHTS, "not finite"),
    (
        "turned",
        edit_weights(lambda w: w.update({BIAS: w[BIAS][None].clone()})),
        WEIGHTS,
        r"decoder\.output\.bias has shape \[1, 120\], but config\.json asks for \[120\]",
    ),
]
"""How it is named, how it is done, the file that is blamed, and why."""


FIRST = "model-00001-of-"


def first_shard(folder: Path) -> Path:
    return next(folder.glob(f"{FIRST}*"))


def edit_index(change: Callable[[dict[str, Any]], object]) -> Callable[[Path], None]:
    def edit(folder: Path) -> None:
        index = json.loads((folder / INDEX).read_text(encoding="utf-8"))
        change(index)
        (folder / INDEX).write_text(json.dumps(index), encoding="utf-8")

    return edit


def drop_from_first(folder: Path) -> None:
    weights = load_file(first_shard(folder))
    weights.pop(next(iter(weights)))
    save_file(weights, first_shard(folder))


def point_at(file: Any) -> Callable[[Path], None]:
    return edit_index(lambda index: index["weight_map"].update({BIAS: file}))


BROKEN_SHARDS = [
    ("a shard missing", lambda folder: first_shard(folder).unlink(), FIRST, "missing, or not"),
    ("a shard cut", lambda folder: truncate(first_shard(folder).name, 99)(folder), FIRST, "not a"),
    ("a tensor missing", drop_from_first, FIRST, "lacks .*, which .* says it holds"),
    ("a tensor unlisted", edit_index(lambda i: i["weight_map"].pop(BIAS)), "model-", "not say"),
    ("in another folder", point_at("../model-00001-of-00002.safetensors"), INDEX, "no name of a"),
    ("an absolute path", point_at("/etc/passwd"), INDEX, "no name of a shard"),
    ("no text", point_at(["model"]), INDEX, "no name of a shard"),
    ("an empty index", edit_index(lambda index: index.clear()), INDEX, "must be an object with"),
    ("an index that is a list", write(INDEX, b"[]"), INDEX, "must be a JSON object"),
    ("no JSON", write(INDEX, b"{"), INDEX, "not JSON"),
]
