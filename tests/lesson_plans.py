"""How the lesson plans write what a model decides."""

import re

NUMBER = re.compile(r"\d[\d,]*\.\d+|\d+,\d{3}|\d{3,}|\de−\d+")
"""Numbers that a model decides: with decimals, with thousands, or of three digits and more."""

FRENCH = ((r"(?<=\d),(?=\d)", "."), (r"(?<=\d)\u202f(?=\d)", ","))
"""How French writes numbers, and the others."""


def numbers(text: str, language: str) -> set[str]:
    """Those that a model decides, as English writes them."""
    for theirs, ours in FRENCH if language == "fr" else ():
        text = re.sub(theirs, ours, text)
    return {*NUMBER.findall(text)}
