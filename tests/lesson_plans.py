"""What the figures of all lesson plans are worked out with."""

from functools import cache

from transformer import Translator
from transformer.trace.head_names import parse_head
from transformer.trace.trace import AttentionTrace

Said = str | tuple[str, ...]
"""What all texts say; or what the English one does, the Chinese one and, where it has the same
lesson, the French one."""

FRENCH = ((r"(?<=\d),(?=\d)", "."), (r"(?<=\d)\u202f(?=\d)", ","))
"""How French writes numbers, and the others."""


@cache
def model(name: str) -> Translator:
    return Translator.load(name, device="cpu")


@cache
def trace(name: str, source: str, *changes: str) -> AttentionTrace:
    return model(name).trace(source, interventions=changes)


def representative(one: AttentionTrace) -> tuple[int, int]:
    return parse_head(one.heads["cross"].head)


def reads(one: AttentionTrace, layer: int, head: int, step: int) -> str:
    """The source token that a head of cross-attention looks at."""
    assert one.cross is not None
    return one.src[int(one.cross[layer, head, step - 1].argmax())]


def text(number: float, digits: int = 2) -> str:
    return f"{number:.{digits}f}".replace("-", "−")
