"""Codes of the language to translate into, such as >>fra<<, which some texts begin with."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from ..errors import HeadlightError

if TYPE_CHECKING:
    from .tokenizer import Tokenizer

MOST_LISTED = 12
"""Codes that are said in a sentence, at most; some models have hundreds."""


def check_code(source: str, tokenizer: "Tokenizer") -> None:
    """Refuses a text for a language that a model does not know.

    Raises:
        HeadlightError: `unknown_code`, or `no_codes` of a model that has none.
    """
    code, codes = tokenizer.leading_code(source), tokenizer.language_codes
    if not code or code in codes:
        return
    if not codes:
        raise HeadlightError(
            "no_codes",
            f"This model translates into one language and knows no code: leave {code} out.",
            asked=code,
        )
    listed = _listed(codes)
    raise HeadlightError(
        "unknown_code", f"This model knows {listed}; not {code}.", known=listed, asked=code
    )


def code_note(source: str, tokenizer: "Tokenizer") -> str:
    """What to say of a text that leaves it to a model into which language; empty if it does not."""
    codes = tokenizer.language_codes
    if not codes or tokenizer.leading_code(source):
        return ""
    return (
        f"this text names no language, so the model chooses one: begin it with {_listed(codes)}, "
        f"such as “{codes[0]} {source.strip()}”"
    )


def _listed(codes: Sequence[str]) -> str:
    return ", ".join([*codes[:MOST_LISTED], *(["…"] if len(codes) > MOST_LISTED else [])])
