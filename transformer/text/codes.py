"""Codes of the language to translate into, such as >>fra<<, which some texts begin with."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from ..errors import HeadlightError

if TYPE_CHECKING:
    from .tokenizer import Tokenizer

SAID = 12
"""So many codes are said in a sentence; some models have hundreds."""


def check_code(source: str, tokenizer: "Tokenizer") -> None:
    """Refuses a text for a language that a model does not know.

    Raises:
        HeadlightError: `unknown_code`, or `no_codes` of a model that has none.
    """
    code, known = tokenizer.leading_code(source), tokenizer.language_codes
    if not code or code in known:
        return
    if not known:
        raise HeadlightError(
            "no_codes",
            f"This model translates into one language and knows no code: leave {code} out.",
            asked=code,
        )
    said = _said(known)
    raise HeadlightError(
        "unknown_code", f"This model knows {said}; not {code}.", known=said, asked=code
    )


def code_note(source: str, tokenizer: "Tokenizer") -> str:
    """What to say of a text that leaves it to a model into which language; empty if it does not."""
    known = tokenizer.language_codes
    if not known or tokenizer.leading_code(source):
        return ""
    return (
        f"this text names no language, so the model chooses one: begin it with {_said(known)}, "
        f"such as “{known[0]} {source.strip()}”"
    )


def _said(codes: Sequence[str]) -> str:
    return ", ".join([*codes[:SAID], *(["…"] if len(codes) > SAID else [])])
