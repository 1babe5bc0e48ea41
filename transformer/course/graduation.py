"""The student's own model with the weights of a shipped one: if it translates, it is right."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from types import ModuleType
from typing import Any

import torch
from torch import Tensor, nn

from .. import checkpoint
from ..errors import HeadlightError
from ..model.config import TransformerConfig
from ..recording.packing import Weights, read_only
from ..recording.trace import AttentionTrace
from ..translator import Translator
from .examination import examine, opened
from .exercises import EXERCISES
from .folder import MODEL
from .wording import Language, Words

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


def graduate(
    model: str,
    source: str,
    folder: str | Path = ".",
    language: Language | None = None,
) -> AttentionTrace:
    """Translates a sentence with the student's own code and a shipped model's weights.

    Args:
        model: "reverse", "en-zh" or another encoder-decoder checkpoint as the paper's.
        source: what to translate.
        folder: the student's, every exercise in it right.
        language: of what is said.
    Returns:
        A trace whose every weight the student's `attention` computed: `trace.save("mine.html")`
        opens it in the viewer.
    Raises:
        HeadlightError: an exercise is not right yet, the model is built otherwise, or the
            student's translation is another than the shipped code's.
    """
    words = Words(language, Path(folder))
    for exercise in EXERCISES:
        verdict = examine(exercise, folder, language)
        if not verdict.right:
            title = words.title(exercise)
            raise HeadlightError(
                "not_yet", f"{words.text('not_yet', exercise)} {verdict}", title=title
            )
    translator = Translator(checkpoint.load(checkpoint.find(model), "cpu"))
    config = translator.config
    _check_shape(config, model, words)
    expected = translator.trace(source, max_steps=MAX_STEPS)
    src = torch.tensor([expected.src_ids])
    with opened(Path(folder), MODEL) as built, torch.inference_mode():
        mine = _with_weights(built, translator.model, config)
        with opened(Path(folder), "decoding") as decoding:
            said = decoding.greedy(
                _without(mine, config.banned_ids), src, config.bos_id, config.eos_id, MAX_STEPS
            )
        if [int(i) for i in said] != [*expected.tgt_ids]:
            texts = {"said": translator.tgt_tokenizer.decode(said), "right": expected.translation}
            raise HeadlightError("other_translation", words.text("other_translation", **texts))
        with _recording() as recorded:
            mine(src, torch.tensor([[config.bos_id, *expected.tgt_ids[:-1]]]))
    return replace(expected, model=f"{model} (mine)", **_by_kind(recorded, config))


def _check_shape(config: TransformerConfig, model: str, words: Words) -> None:
    paper = TransformerConfig(src_vocab_size=8, tgt_vocab_size=8)
    alike = ("norm_placement", "activation", "positions", "final_norms", "scale_embeddings")
    if config.decoder_only or any(getattr(config, n) != getattr(paper, n) for n in alike):
        raise HeadlightError("other_shape", words.text("other_shape", model=model))


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
    # A skeleton's layers may have lost a bias; what is there is what counts.
    mine.load_state_dict({name: weights[name] for name in mine.state_dict()})
    return mine.eval()


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
