"""Values of a configuration that no model can have: why it does not load, in words of our own."""

import re
from typing import Any

from ...errors import GuestError

COUNTS = (
    *("num_attention_heads", "decoder_attention_heads", "num_key_value_heads", "hidden_size"),
    *("num_hidden_layers", "decoder_layers", "head_dim", "vocab_size"),
)
"""Of which a model has one at least, by the library's own names."""

PRECISIONS = ("float64", "float32", "float16", "bfloat16")
"""What weights that are computed with may be stored in."""

EXPECTED = re.compile(r"[Ff]ield '(\w+)' expected (.*?), got .*?\(value: (.*)\)", re.DOTALL)
"""What the library says of a value that is none of its type."""

MOST_SIGNS = 40
"""Characters of a value in a sentence."""


def empty(name: str, config: Any) -> GuestError | None:
    """The refusal of the first count that is none; None where there is no such.

    Args:
        name: of the model.
        config: its configuration.
    """
    for own, value in _counts(config).values():
        if isinstance(value, int) and value < 1:
            return refused(name, own, value, "a model has one at least")
    return None


def impossible(name: str, config: Any) -> GuestError | None:
    """The refusal of the first value that cannot be; None where there is none.

    Asked once a library has not loaded a model: some family may share its width out in a way of
    its own.
    """
    if reason := empty(name, config):
        return reason
    counts = _counts(config)
    heads, width, groups, size = (
        counts[it]
        for it in ("num_attention_heads", "hidden_size", "num_key_value_heads", "head_dim")
    )
    for (field, value), (whole, total), apart in (
        (heads, width, size[1] is not None),
        (groups, heads, False),
    ):
        if isinstance(value, int) and isinstance(total, int) and total % value and not apart:
            return refused(name, field, value, f"{whole} = {total} is no multiple of it")
    dtype = str(getattr(config, "dtype", None) or PRECISIONS[0]).removeprefix("torch.")
    if dtype not in PRECISIONS:
        return refused(name, "dtype", dtype, f"expected one of {', '.join(PRECISIONS)}")
    return None


def mistyped(name: str, sentence: str) -> GuestError | None:
    """The refusal of a value that is none of its field's type, by what the library says of it."""
    if match := EXPECTED.search(sentence):
        return refused(name, match[1], match[3], f"expected {match[2]}")
    return None


def _counts(config: Any) -> dict[str, tuple[str, Any]]:
    """By the library's names, what a configuration calls each count itself, and its value."""
    text = config.get_text_config()
    own = dict(text.attribute_map)
    return {it: (own.get(it, it), getattr(text, it, None)) for it in COUNTS}


def refused(name: str, field: str, value: object, why: str) -> GuestError:
    """The refusal of a field's value."""
    shown = str(value)
    shown = shown if len(shown) <= MOST_SIGNS else f"{shown[: MOST_SIGNS - 1]}…"
    return GuestError(
        f"{name} cannot be opened: in its configuration {field} is {shown} ({why})",
        "guest_config",
        model=name,
        field=field,
        value=shown,
    )
