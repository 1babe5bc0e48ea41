"""Codes of the language to translate into, such as >>fra<<, which some texts begin with."""

import re


def is_code(piece: str) -> bool:
    """Whether a piece, or a token's label, is the code of a language."""
    return piece.startswith(">>") and re.fullmatch(r">>[^<>\s]+<<", piece) is not None
