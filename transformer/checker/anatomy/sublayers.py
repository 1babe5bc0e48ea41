"""Sublayers, and the residual sums behind them."""

from dataclasses import dataclass

from ...eyes.attention import Attention
from ...eyes.batches import distinct
from ...eyes.graph import FRESH, MOVES, Graph, Node, Operand, is_norm
from .feed_forward import FeedForward


@dataclass(eq=False)
class Sublayer:
    """An attention or a feed-forward network, between its input and its residual sum.

    Attributes:
        reads: what its first matrix reads.
        last: its last operation.
        of_source: whether it belongs to the encoder.
        attends: whether it is an attention.
        total: the addition that puts its input back; None if there is none.
    """

    name: str
    reads: Operand
    last: Node
    of_source: bool
    attends: bool
    total: Node | None = None


def chain(graph: Graph, operand: Operand, *, far: bool) -> set[int]:
    """The operations behind an operand, as far as they only scale, shift, normalise or move it.

    Args:
        graph: the recording.
        operand: where to start.
        far: go on through sums of two streams, along both.
    """
    links: set[int] = set()
    waiting = [operand]
    while waiting:
        for node in graph.makers(waiting.pop()):
            if node.index in links:
                continue
            links.add(node.index)
            if graph.mixes_features(node) or node.name in {*FRESH, "embedding"}:
                continue
            streams = [o for o in node.operands if o.of_tokens]
            moved = node.name in MOVES
            wide = [o for o in streams if moved or (o.tensor.dim() and o.tensor.size(-1) != 1)]
            if (stream := smoothed(graph, node)) is not None:
                wide = [stream]
            if node.name.rstrip("_") == "mul" and len(wide) == 2:  # a norm may have a gate
                wide = [o for o in wide if not _is_share(graph, o)] or wide
            if is_norm(node) or node.name.rstrip("_") in {"sub", "div"}:
                wide = wide[:1]
            # What is put side by side may be pieces of one stream, as where half of it is shifted.
            if len(wide) == 1 or far or node.name == "cat":
                waiting.extend(wide)
    return links


def _is_share(graph: Graph, operand: Operand) -> bool:
    """Whether its numbers are shares between 0 and 1, as a sigmoid makes them."""
    origin = _origin(graph, operand)
    return origin is not None and origin.name.rstrip("_") == "sigmoid"


def smoothed(graph: Graph, node: Node) -> Operand | None:
    """The stream in a sum of it and what a convolution makes of it, as short ones do; else None."""
    if node.name.rstrip("_") != "add" or len(node.operands) != 2:
        return None
    for stream, other in (node.operands, node.operands[::-1]):
        origin = _origin(graph, other)
        if origin is not None and origin.name == "convolution":
            read, own = _origin(graph, origin.args[0]), _origin(graph, stream)
            if own is not None and read is own:
                return stream
    return None


def _origin(graph: Graph, operand: Operand) -> Node | None:
    """What made an operand, before it was moved about."""
    while makers := graph.makers(operand):
        streams = [o for o in makers[0].operands if o.of_tokens]
        if makers[0].name not in MOVES or len(streams) != 1:
            return makers[0]
        operand = streams[0]
    return None


def stream_of(graph: Graph, operand: Operand) -> set[int]:
    """The chain behind an operand, also through matrices that stand in a row.

    Queries may come from one matrix after another (of low rank), and what both read is the stream.
    So is what an attention over depth sums, of the vectors that one token had layer by layer.
    """
    stream, waiting = set[int](), [operand]
    while waiting:
        here = chain(graph, waiting.pop(), far=False) - stream
        stream |= here
        waiting += [graph.read_by(graph.nodes[i]) for i in here if graph.is_linear(graph.nodes[i])]
        waiting += [o for i in here & graph.within for o in graph.nodes[i].operands if o.of_tokens]
    return stream


def find_sublayers(
    graph: Graph, attentions: list[Attention], networks: list[FeedForward]
) -> list[Sublayer]:
    """All sublayers in the order of execution, each with its residual sum where it has one."""
    sublayers: list[Sublayer] = []
    places: set[tuple[object, int]] = set()
    for attention in attentions:
        query = attention.sources[0].linear
        if query is None or attention.kind == "reversed":
            continue  # what it should add back to what is anybody's guess
        if (attention.kind, attention.layer) in places:
            continue
        places.add((attention.kind, attention.layer))
        last = _last_in_a_row(graph, _projection(graph, attention) or attention.mix.node)
        reads = graph.read_by(query)
        of_source = attention.kind == "encoder_self"
        sublayers.append(Sublayer(attention.place or attention.kind, reads, last, of_source, True))
    if sublayers:
        start = min(sublayer.last.index for sublayer in sublayers)
        for network in networks:
            if network.first.index > start:
                reads = graph.read_by(network.first)
                assert reads.labels is not None
                whose = reads.labels[reads.labels >= 0]  # of both where they stand in one row
                of_source = bool(len(whose) and attentions[0].tokens.is_src(whose).all())
                sublayers.append(
                    Sublayer(network.last.place, reads, network.last, of_source, False)
                )
    sublayers.sort(key=lambda sublayer: sublayer.last.index)
    for sublayer in sublayers:
        sublayer.total = _residual(graph, sublayer)
    return sublayers


def _projection(graph: Graph, attention: Attention) -> Node | None:
    for node, operand, follow in graph.onward(attention.mix.node.index):
        if graph.is_linear(node):
            return node
        if graph.mixes_features(node):
            continue
        # What the same weights made of distances is added to what they made of the values.
        others = [o for o in node.operands if o is not operand and o.of_tokens]
        sums = node.name.rstrip("_") == "add"
        if not sums or all(attention.softmax.node.index in graph.before(o) for o in others):
            follow()
    return None


def _last_in_a_row(graph: Graph, node: Node) -> Node:
    """The last of matrices that stand in a row, as of low rank."""
    read: list[Node] = []
    for reader, _, follow in graph.onward(node.index):
        if reader.name in MOVES:
            follow()
        else:
            read.append(reader)
    alone = len(read) == 1 and graph.is_linear(read[0]) and graph.is_linear(node)
    return _last_in_a_row(graph, read[0]) if alone else node


def joins_later(graph: Graph, sublayer: Sublayer, behind: set[int]) -> bool:
    """Whether what it reads meets what it makes by another way than a sum, as attention over depth.

    Without any, whatever comes after is made of its result alone.
    """
    last = sublayer.last.index
    around = _around(graph, stream_of(graph, sublayer.reads))
    for index in sorted(behind):
        operands = [o for o in graph.nodes[index].operands if o.of_tokens] if index > last else []
        later = [last in graph.before(o) for o in operands]
        if any(later) and any(
            around & set(o.writers) for o, of_it in zip(operands, later, strict=True) if not of_it
        ):
            return True
    return False


def _around(graph: Graph, stream: set[int]) -> set[int]:
    """Where a stream gets to without a matrix or an attention."""
    waiting, around = list(stream), set(stream)
    while waiting:
        for node, _ in graph.readers.get(waiting.pop(), []):
            if node.index in around or node.name in FRESH or graph.mixes_features(node):
                continue
            if node.output.of_tokens:
                around.add(node.index)
                waiting.append(node.index)
    return around


def of_several_streams(sublayer: Sublayer) -> bool:
    """Whether its sum belongs to several streams of each token, as hyper-connections keep."""
    return sublayer.total is not None and _wider(sublayer.total, sublayer.last)


def _wider(total: Node, last: Node) -> bool:
    return by_token(total.output) > by_token(last.output)


def by_token(operand: Operand) -> int:
    """How many numbers each token has; an expert may have read some of them alone."""
    assert operand.labels is not None
    return operand.tensor.numel() // max(len(distinct(operand.labels)), 1)


def _residual(graph: Graph, sublayer: Sublayer) -> Node | None:
    stream = stream_of(graph, sublayer.reads)
    for node, operand, follow in graph.onward(sublayer.last.index):
        if graph.mixes_features(node) or not node.output.of_tokens:
            continue
        others = [o for o in node.operands if o is not operand and o.of_tokens]
        if node.name.rstrip("_") in {"add", "sub"} and len(node.operands) > 1:
            if any(chain(graph, o, far=True) & stream for o in others):
                return node
            # Into several streams: they are mixed with one another before they are added to.
            if _wider(node, sublayer.last) and any(graph.before(o) & stream for o in others):
                return node
        follow()
    return None
