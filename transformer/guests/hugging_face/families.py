"""Families that are refused by name, with the reason, and what is known of others by theirs."""

import inspect
from typing import Any

from torch import Tensor

from ...errors import GuestError
from ...trace.guest import Form

REFUSED = {
    **dict.fromkeys(
        ("longformer", "led", "longt5", "big_bird", "bigbird_pegasus", "pegasus_x"),
        "its encoder attends within windows that are cut and joined again, so that no one matrix "
        "holds what a token attends to",
    ),
    **dict.fromkeys(
        ("prophetnet", "xlm-prophetnet"),
        "its decoder predicts several tokens at once, by a stream each, and no one matrix is a "
        "head's",
    ),
    "reformer": "it hashes tokens into buckets and attends within these",
    "canine": "it attends within windows of letters, and pools them between, so that no one matrix "
    "holds what a token attends to",
    "funnel": "it pools tokens between layers, so that rows are no tokens",
    "diffllama": "a head's attention is the difference of two, which is no share of anything",
    **dict.fromkeys(
        ("nystromformer", "yoso", "mra", "fnet", "mamba", "mamba2", "rwkv", "xlstm"),
        "it has no softmax over all tokens",
    ),
}
"""Reasons why a family is refused, by `config.model_type`."""

LANGUAGE_FIRST = {"MBartTokenizer", "MBartTokenizerFast"}
"""Tokenizers whose decoder starts with the language; elsewhere it is forced to come first."""


def check_family(config: Any, name: str) -> None:
    """Refuses what could not be drawn truly.

    Raises:
        HeadlightError: saying why.
    """
    kind = str(getattr(config, "model_type", ""))
    # BigBird may be told to attend to everything.
    whole = getattr(config, "attention_type", "") == "original_full"
    if not whole and (why := REFUSED.get(kind)):
        raise GuestError(f"{name} ({kind}) cannot be drawn: {why}", "guest_undrawn", model=name)


def check_reads_text(model: Any, name: str) -> None:
    """Refuses what reads sounds or pictures.

    Raises:
        HeadlightError: naming what it reads.
    """
    reads = getattr(model, "main_input_name", "input_ids")
    if reads != "input_ids":
        raise GuestError(
            f"{name} ({type(model).__name__}) reads {reads}, no text: headlight.trace draws such "
            "modules",
            "guest_no_text",
            model=name,
        )


def has_two_towers(model: Any) -> bool:
    """Whether a model is called with a target, too: an encoder alone keeps the pair's settings."""
    takes = "decoder_input_ids" in inspect.signature(model.forward).parameters
    return takes and bool(model.config.is_encoder_decoder)


def writes(model: Any, form: Form) -> bool:
    """Whether it has a decoder, and a head to write with."""
    return form != "encoder" and hasattr(model, "generate")


def no_head(model: Any, form: Form, name: str, remedy: str) -> GuestError:
    """The error that a decoder without a head cannot do what is asked, and what to load instead."""
    auto = "AutoModelForCausalLM" if form == "decoder" else "AutoModelForSeq2SeqLM"
    return GuestError(
        f"{name} ({type(model).__name__}) has no head to write with: {remedy}, or load it with "
        f"{auto}",
        "guest_headless",
        model=name,
    )


def own_positions(model: Any, ids: Tensor) -> dict[str, Tensor]:
    """Positions of ids [1, token] as RoBERTa's family counts them itself, behind its padding's.

    `generate` hands in its own, from 0 on, so that a model would write otherwise than it reads.
    """
    for it in model.modules():
        if count := getattr(it, "create_position_ids_from_input_ids", None):
            return {"position_ids": count(ids, it.padding_idx)}
    return {}


def is_masked_language_model(model: Any) -> bool:
    """Whether a model's logits say what stands at a token's own place."""
    names = ("ForMaskedLM", "ForPreTraining", "WithLMHeadModel")
    # ELECTRA's pre-training asks of each token whether it was put in its place: no vocabulary.
    return type(model).__name__.endswith(names) and model.get_output_embeddings() is not None
