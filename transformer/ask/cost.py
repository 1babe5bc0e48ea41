"""What an analysis costs: passes over a trace's tokens, as an expression that JSON can carry."""

from collections.abc import Callable, Mapping
from math import prod

from ..errors import HeadlightError
from ..trace.trace import AttentionTrace

MOST = 30_000
"""Passes times tokens: some seconds of one core, for a model as small as those that come along."""

SIZES: Mapping[str, Callable[[AttentionTrace], int]] = {
    "src": lambda trace: len(trace.src),
    "tgt": lambda trace: len(trace.tgt_in),
    "read": lambda trace: len(trace.src) or len(trace.tgt_in),
    "longest": lambda trace: max(len(trace.src), len(trace.tgt_in)),
    "decoder_layers": lambda trace: len(trace.layers("decoder_self") or ()),
    "layers": lambda trace: sum(map(len, _layers(trace))),
    "heads": lambda trace: sum(map(sum, _layers(trace))),
    "most_heads": lambda trace: max(map(sum, _layers(trace))),
}
"""The names that an expression may have: tokens of the source, of the target, of what is
translated or continued, of the longer side; layers of the decoder's self-attention, layers of all
kinds together, heads of all kinds together, and of the kind that has most."""


def passes(cost: str, trace: AttentionTrace) -> int:
    """About how many passes over a trace's tokens are made at most.

    Args:
        cost: a sum of products of whole numbers and `SIZES`, such as "src + 2 * tgt".
        trace: whose sizes are meant.
    """
    return sum(
        prod(_size(factor.strip(), trace) for factor in term.split("*")) for term in cost.split("+")
    )


def check_cost(cost: str, trace: AttentionTrace) -> None:
    """Refuses what would take too long.

    Raises:
        HeadlightError: naming tokens and passes.
    """
    tokens, needed = len(trace.src) + len(trace.tgt_in), passes(cost, trace)
    if tokens * needed > MOST:
        raise HeadlightError(
            "too_expensive",
            f"{tokens} tokens are too many for this: it would take {needed} passes over them",
            tokens=tokens,
            passes=needed,
        )


def _size(factor: str, trace: AttentionTrace) -> int:
    return int(factor) if factor.isdigit() else SIZES[factor](trace)


def _layers(trace: AttentionTrace) -> list[list[int]]:
    """Numbers of heads [kind][layer], of the kinds that there are."""
    every = (trace.layers(kind) for kind in ("encoder_self", "decoder_self", "cross"))
    return [[0 if it is None else len(it) for it in layers] for layers in every if layers]
