"""Which softmax of a module is which attention, learnt from one short run that labels tokens."""

from collections import Counter
from dataclasses import dataclass
from itertools import pairwise
from typing import cast

import torch
from torch import Tensor, nn

from ...eyes.attention import Attention, find_attentions
from ...eyes.batches import Batch
from ...eyes.calling import Caller
from ...eyes.graph import Graph
from ...eyes.parts import by_sides
from ...eyes.recorder import Recorder
from ...eyes.softmax import SOFTMAXES
from ...eyes.tokens import Tokens
from ...trace.kinds import Kind
from .afterwards import changed_afterwards
from .layout import Layout, count_of, read_layout
from .tables import Space, Untold

Key = tuple[str, str, int]
"""A submodule's path, an operation, and the how many-th of that operation there."""


@dataclass(frozen=True)
class Slot:
    """One attention: where its weights come out, and how its tokens stand in them."""

    key: Key
    kind: Kind
    layer: int
    query: Layout
    key_layout: Layout
    heads: int

    def bytes_of(self, lengths: dict[Space, int]) -> int:
        """How much its weights take of texts of such lengths."""
        rows, columns = (count_of(it, lengths[it.space]) for it in (self.query, self.key_layout))
        return self.heads * rows * columns * 4


@dataclass(frozen=True)
class Learnt:
    """Every attention of a module, and how often each operation ran where they are.

    Attributes:
        changed: what becomes of the weights before they meet the values; "" for nothing.
    """

    slots: tuple[Slot, ...]
    counts: Counter[tuple[str, str]]
    changed: str = ""


def record_labelled(caller: Caller, batch: Batch) -> tuple[Graph, list[Attention]]:
    """The operations of one run, and the attentions among them.

    Raises:
        CallFailed: the module raised.
        ValueError: it writes a text within its forward, so that one attention ran many times.
    """
    tokens = Tokens.of(batch)
    recorder = Recorder(caller.module, tokens)
    with recorder.watching():
        caller.returned(batch)
    _refuse_growing(caller.module, recorder.graph)
    return recorder.graph, find_attentions(recorder.graph, tokens)


def _refuse_growing(module: nn.Module, graph: Graph) -> None:
    # Tokens that it writes have no labels: any softmax counts, not those alone of scores.
    squares: dict[str, list[int]] = {}
    for node in graph.nodes:
        if node.name in SOFTMAXES and node.output.tensor.dim() > 2:
            rows, keys = node.output.tensor.shape[-2:]
            if rows == keys:
                squares.setdefault(node.place, []).append(rows)
    for place, sizes in squares.items():
        steps = [later - before for before, later in pairwise(sizes) if later != before]
        # Once alone may be source and target, which one part reads.
        if (1, 1) in pairwise(steps):
            raise ValueError(
                f"{type(module).__name__} writes a text within its forward: attention in "
                f"{place or 'it'} runs again and again, over one token more each time. Hand in one "
                "pass over the finished text: call=lambda module, src: …"
            )


def learn(caller: Caller, batch: Batch) -> Learnt:
    """Learns from one short text, a batch of one.

    Raises:
        CallFailed: the module cannot be called with it.
        Untold: no attention, or one whose tokens stand in no order.
    """
    graph, attentions = record_labelled(caller, batch)
    if any(len(sides_of(it)) > 1 for it in attentions):
        raise Untold("one softmax over source and target, which one of them alone asks")
    counts: Counter[tuple[str, str]] = Counter()
    keys: dict[int, Key] = {}
    for node in graph.nodes:
        keys[node.index] = (node.place, node.name, counts[node.place, node.name])
        counts[node.place, node.name] += 1
    slots: dict[Key, Slot] = {}
    for attention in attentions:
        key = keys[attention.softmax.node.index]
        of_text = bool((attention.query >= 0).any() and (attention.key >= 0).any())
        if key not in slots and attention.kind != "reversed" and of_text:
            slots[key] = _slot(graph, attention, key, batch)
    places = {(place, name) for place, name, _ in slots}
    return Learnt(
        tuple(slots.values()),
        Counter({it: counts[it] for it in places}),
        changed_afterwards(graph, attentions),
    )


def sides_of(attention: Attention) -> list[Attention]:
    """An attention that one side asks of both in one softmax, by the side that it reads."""
    return [attention] if attention.both_sides else by_sides(attention)


def spaces_of(attention: Attention) -> tuple[Space, Space]:
    """The spaces in which an attention's queries and keys stand."""
    if attention.both_sides:
        return "both", "both"
    sides: list[Space] = [
        "src" if bool(attention.tokens.is_src(side[side >= 0]).all()) else "tgt"
        for side in (attention.query, attention.key)
    ]
    return sides[0], sides[1]


def base_of(space: Space, tokens: Tokens) -> int:
    """The label of the first token of a batch of one."""
    return tokens.num_src if space == "tgt" else 0


def _slot(graph: Graph, attention: Attention, key: Key, batch: Batch) -> Slot:
    out = attention.softmax.node.output.tensor
    labels = attention.softmax.node.output.labels
    if labels is None:
        raise Untold("a softmax whose result belongs to no token")
    rows, columns = graph.decode(labels.expand(out.shape))
    if not _asks_by_row(graph, attention):
        rows, columns = columns, rows
    spaces, tokens = spaces_of(attention), attention.tokens
    lengths = lengths_of(batch)
    layouts: list[Layout] = []
    for tokens_at, space in zip((rows, columns), spaces, strict=True):
        axis = _axis(tokens_at)
        others = [at for at in range(out.dim()) if at != axis]
        along = tokens_at.amax(others) if others else tokens_at
        layouts.append(read_layout(axis, along, base_of(space, tokens), space, lengths[space]))
    query, keys = layouts
    if query.axis == keys.axis or keys.heads > 1:
        raise Untold("queries and keys that stand along one axis")
    heads = out.numel() // (query.size * keys.size) * query.heads
    return Slot(key, cast(Kind, attention.kind), attention.layer, query, keys, heads)


def lengths_of(batch: Batch) -> dict[Space, int]:
    """How many tokens a batch has in each space."""
    src = 0 if batch.src is None else batch.src.size(1)
    return {"src": src, "tgt": batch.tgt.size(1), "both": src + batch.tgt.size(1)}


def _asks_by_row(graph: Graph, attention: Attention) -> bool:
    """Whether the rows of the table of scores are the queries."""
    rows, _ = graph.decode(attention.cells)
    return torch.equal(rows.amax(-1), attention.query) or torch.equal(
        rows.mode(-1).values, attention.query
    )


def _axis(labels: Tensor) -> int:
    """The one axis along which the tokens differ.

    Raises:
        Untold: there is none, or there are several.
    """
    lowest = torch.where(labels < 0, torch.iinfo(torch.int64).max, labels)
    axes = [
        axis for axis in range(labels.dim()) if bool((lowest.amin(axis) < labels.amax(axis)).any())
    ]
    if len(axes) != 1:
        raise Untold(
            f"tokens along {len(axes)} axes of one softmax: its attention is cut in pieces"
        )
    return axes[0]
