"""Families that are refused by name, with the reason, and what is known of others by theirs."""

from typing import Any

from ...errors import HeadlightError

REFUSED = {
    **dict.fromkeys(
        ("longformer", "led", "longt5", "big_bird", "bigbird_pegasus"),
        "its encoder attends within windows that are cut and joined again, so that no one matrix "
        "holds what a token attends to",
    ),
    **dict.fromkeys(
        ("prophetnet", "xlm-prophetnet"),
        "its decoder predicts several tokens at once, by a stream each, and no one matrix is a "
        "head's",
    ),
    "reformer": "it hashes tokens into buckets and attends within these",
    "funnel": "it pools tokens between layers, so that rows are no tokens",
    "diffllama": "a head's attention is the difference of two, which is no share of anything",
    **dict.fromkeys(
        ("nystromformer", "yoso", "mra", "fnet", "mamba", "mamba2", "rwkv", "xlstm"),
        "it has no softmax over all tokens",
    ),
}
"""By `config.model_type`."""

LANGUAGE_FIRST = {"MBartTokenizer", "MBartTokenizerFast"}
"""Tokenizers whose decoder starts with the language; elsewhere it is forced to come first."""


def check_family(config: Any, name: str) -> None:
    """Refuses what could not be drawn truly.

    Raises:
        HeadlightError: saying why.
    """
    kind = str(getattr(config, "model_type", ""))
    if why := REFUSED.get(kind):
        raise HeadlightError("guest", f"{name} ({kind}) cannot be drawn: {why}")


def is_masked_language_model(model: Any) -> bool:
    """Whether a model's logits say what stands at a token's own place."""
    name = type(model).__name__
    return name.endswith(("ForMaskedLM", "ForPreTraining", "WithLMHeadModel")) and hasattr(
        model, "get_output_embeddings"
    )
