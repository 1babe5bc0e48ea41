"""Models, and their traces, as the addresses of the lesson plans name them."""

from collections.abc import Mapping
from functools import cache

from transformer import Translator
from transformer.trace.head_names import parse_head
from transformer.trace.packing import Weights
from transformer.trace.trace import AttentionTrace

PARTS = {"causal", "positions", "scale"}

Address = Mapping[str, str]
"""The parameters of a page's address."""


@cache
def model(name: str) -> Translator:
    """The model that ships under this name."""
    return Translator.load(name, device="cpu")


@cache
def trace(name: str, source: str, *changes: str) -> AttentionTrace:
    """What a model does with a text, and with interventions if there are any."""
    return model(name).trace(source, interventions=changes)


def changes(address: Address) -> list[str]:
    """What an address switches off, as interventions."""
    off = filter(None, address.get("off", "").split("-"))
    return [f"{name}={'off' if name in PARTS else 'zero'}" for name in off]


def changed(address: Address) -> AttentionTrace:
    """The trace that an address shows."""
    return trace(address["model"], address["source"], *changes(address))


def healthy(address: Address) -> AttentionTrace:
    """The trace that an address shows, with nothing switched off."""
    return trace(address["model"], address["source"])


def representative(one: AttentionTrace) -> tuple[int, int]:
    """Layer and head, from 0, of the head of cross-attention that aligns."""
    return parse_head(one.heads["cross"].head)


def cross(one: AttentionTrace) -> Weights:
    """The weights of cross-attention, [layer, head, query, key].

    Raises:
        ValueError: the model has none.
    """
    if one.cross is None:
        raise ValueError("the model has no cross-attention")
    return one.cross


def row(address: Address) -> int:
    """The row that an address marks, from 0."""
    return int(address["step"]) - 1
