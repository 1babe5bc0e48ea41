"""The model made of a student's parts translates with a shipped model's weights, in the child."""

import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from types import ModuleType
from typing import Any

import torch
from torch import Tensor, nn

from .. import checkpoint
from ..model.config import TransformerConfig
from ..trace.packing import Weights, read_only
from ..translator import Translator
from .exercises.exercise import ToldError
from .folder import MODEL
from .student_code import load

MAX_STEPS = 64

NAMES = {
    "encoder.embedding.token": "src_embedding",
    "decoder.embedding.token": "tgt_embedding",
    "decoder.output": "output",
    "encoder.layers": "encoder",
    "decoder.layers": "decoder",
    "feed_forward.": "",
    "feed_forward_residual.norm": "feed_forward_norm",
    "cross_attention_residual.norm": "cross_attention_norm",
}
"""Ours → the skeletons'; what else differs, `_renamed` says."""


def graduate(folder: Path, request: Mapping[str, Any], far: Callable[[object], None]) -> None:
    """Translates `source` as `model` would, and saves the trace in `file`, as NPZ.

    Raises:
        ToldError: the model is built otherwise, or its translation is another than the shipped
            code's.
    """
    far("begun")
    translator = Translator(checkpoint.load(checkpoint.find(request["model"]), "cpu"))
    config = translator.config
    paper = TransformerConfig(src_vocab_size=8, tgt_vocab_size=8)
    alike = ("norm_placement", "activation", "positions", "final_norms", "scale_embeddings")
    if config.decoder_only or any(getattr(config, n) != getattr(paper, n) for n in alike):
        raise ToldError("other_shape", model=request["model"])
    expected = translator.trace(request["source"], max_steps=MAX_STEPS)
    src = torch.tensor([expected.src_ids])
    built, decoding = load(folder, MODEL), load(folder, "decoding")
    with torch.inference_mode():
        mine = _with_weights(built, translator.model, config)
        says = _without(mine, config.banned_ids)
        outputs = decoding.greedy(says, src, config.bos_id, config.eos_id, MAX_STEPS)
        ids = [int(i) for i in (outputs.flatten() if isinstance(outputs, Tensor) else outputs)]
        if ids != [*expected.tgt_ids]:
            text = translator.tgt_tokenizer.decode(ids)
            raise ToldError("other_translation", output=text, right=expected.translation)
        with _recording() as recorded:
            mine(src, torch.tensor([[config.bos_id, *expected.tgt_ids[:-1]]]))
    mine_of = {"model": f"{request['model']} (mine)", **_by_kind(recorded, config)}
    replace(expected, **mine_of).save(request["file"])


def _with_weights(built: ModuleType, shipped: nn.Module, config: TransformerConfig) -> nn.Module:
    """The student's model with the weights of ours, each under the student's name."""
    c = config
    mine: nn.Module = built.Transformer(
        c.src_vocab_size,
        c.tgt_vocab_size,
        c.d_model,
        c.num_heads,
        c.num_encoder_layers,
        c.num_decoder_layers,
        c.d_ff,
        c.pad_id,
    )
    weights: dict[str, Tensor] = {}
    for name, tensor in shipped.state_dict().items():
        new = _renamed(name)
        parts = tensor.chunk(3) if "query_key_value" in new else (tensor,)
        places = ("query", "key", "value") if len(parts) == 3 else ("",)
        for place, part in zip(places, parts, strict=True):
            weights[new.replace("query_key_value", place)] = part
    for name, parameter in mine.named_parameters():
        owner = mine.get_submodule(name.split(".")[0] if "." not in name else _layer_of(name))
        values = {"name": name, "module": type(owner).__name__}
        if name not in weights:
            raise ToldError("layer_extra", **values)
        if parameter.shape != weights[name].shape:
            shapes = {"shape": [*parameter.shape], "right": [*weights[name].shape]}
            raise ToldError("layer_size", **values, **shapes)
    # A skeleton's layers may have lost a bias; what is there is what counts.
    mine.load_state_dict({name: weights[name] for name, _ in mine.named_parameters()}, strict=False)
    return mine.eval()


def _layer_of(name: str) -> str:
    """The layer that a parameter belongs to: "encoder.0" of "encoder.0.inner.weight"."""
    first, *others = name.split(".")
    return f"{first}.{others[0]}" if others[0].isdigit() else ""


def _renamed(name: str) -> str:
    for ours, theirs in NAMES.items():
        name = name.replace(ours, theirs)
    norm = "attention_norm" if name.startswith("encoder") else "self_attention_norm"
    return name.replace("self_attention_residual.norm", norm)


def _without(model: nn.Module, banned: tuple[int, ...]) -> Callable[[Tensor, Tensor], Tensor]:
    """The model, giving no chance to the tokens that are never emitted."""

    def says(src: Tensor, tgt: Tensor) -> Tensor:
        logits: Tensor = model(src, tgt)
        logits[..., [*banned]] = -torch.inf
        return logits

    return says


@contextmanager
def _recording() -> Iterator[list[Tensor]]:
    """What the student's `attention` returns as weights, call after call."""
    recorded: list[Tensor] = []
    attention, heads = sys.modules["attention"], sys.modules["heads"]
    own = attention.attention

    def recorder(*args: Any, **options: Any) -> tuple[Tensor, Tensor]:
        output, weights = own(*args, **options)
        recorded.append(weights)
        return output, weights

    for module in (attention, heads):
        for name in [name for name, value in vars(module).items() if value is own]:
            setattr(module, name, recorder)
    yield recorded


def _by_kind(recorded: list[Tensor], config: TransformerConfig) -> dict[str, Weights]:
    """The encoder's layers call first, then each of the decoder's calls twice."""
    encoder = recorded[: config.num_encoder_layers]
    decoder = recorded[config.num_encoder_layers :]
    kinds = {"encoder_self": encoder, "decoder_self": decoder[::2], "cross": decoder[1::2]}
    return {kind: read_only(torch.cat(layers).numpy()) for kind, layers in kinds.items()}
