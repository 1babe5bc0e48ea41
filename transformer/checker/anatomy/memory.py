"""Whether the source reaches the decoder, and by which door."""

from collections import Counter

from ...eyes.attention import Attention
from ...eyes.batches import distinct
from ...eyes.graph import FRESH, Graph
from ...eyes.tokens import Tokens
from ..basis.clues import Clues
from .sublayers import Sublayer


def judge_second(
    graph: Graph,
    attentions: list[Attention],
    sublayers: list[Sublayer],
    result: tuple[int, ...],
    clues: Clues,
) -> list[Attention]:
    """`cross_reads_target`: the second attention of a decoder layer reads the target, too.

    Where the logits are made of the source all the same, somebody reads it whom nobody recognised,
    as behind a convolution.

    Returns:
        The attentions that should have been cross-attention, so that nobody asks of them to be
        causal.
    """
    kinds = {attention.kind for attention in attentions}
    if clues.has("cross_reads_target") or "cross" in kinds or "decoder_self" not in kinds:
        return []
    if not _two_in_a_layer(graph, attentions, sublayers):
        return []
    if hears_source(graph, attentions[0].tokens, result):
        clues.cannot_tell("memory_unseen", "cross_reads_target", "cross_mask_wrong")
        return []
    second = [a for a in attentions if a.kind == "decoder_self" and a.layer % 2]
    clues.add("cross_reads_target", place=second[0].place)
    return second


def hears_source(graph: Graph, tokens: Tokens, result: tuple[int, ...]) -> bool:
    """Whether the logits are made of the source's tokens, by whatever way."""
    nodes = (graph.nodes[index] for index in graph.behind(result))
    operands = (o for node in nodes if node.name not in FRESH for o in node.operands)
    return any(
        bool(tokens.is_src(o.labels).any())
        for o in operands
        if o.labels is not None and o.of_tokens
    )


def judge_memory(
    graph: Graph,
    attentions: list[Attention],
    result: tuple[int, ...],
    source_change: float | None,
    heard: bool,
    clues: Clues,
) -> None:
    """`memory_ignored`, unless it is known already where cross-attention reads instead.

    Args:
        graph: the recording.
        attentions: of it.
        result: the operations that made the logits.
        source_change: the most that a source token changes the logits; None if not measured.
        heard: whether the vectors that cross-attention reads change with the source.
        clues: to add to.
    """
    if clues.has("cross_reads_target"):
        return
    behind = graph.behind(result)
    crosses = [a for a in attentions if a.kind == "cross"]
    encoders = [a for a in attentions if a.kind == "encoder_self"]
    # A mask that hides every source word makes deaf, too, but that is the mask's doing.
    if source_change == 0 and heard and _reaches(graph, crosses, behind):
        clues.cannot_tell("too_faint", "memory_ignored")
        return
    deaf = source_change == 0 and not (crosses and clues.has("mask_inverted", "cross_mask_wrong"))
    if deaf or (encoders and not any(a.mix.node.index in behind for a in encoders)):
        way = "no_cross" if not crosses else "deaf" if deaf else "source_not_memory"
        clues.add("memory_ignored", way, change=source_change or 0.0)


def _reaches(graph: Graph, crosses: list[Attention], behind: set[int]) -> bool:
    """Whether the logits depend on cross-attention, and nobody multiplied it by 0."""
    mixes = {attention.mix.node.index for attention in crosses} & behind
    after = [graph.nodes[index] for index in behind if graph.ancestors[index] & mixes]
    nulled = any(n.output.of_tokens and not bool(n.output.value.any()) for n in after)
    return bool(mixes) and not nulled


def _two_in_a_layer(graph: Graph, attentions: list[Attention], sublayers: list[Sublayer]) -> bool:
    """Whether a layer of the decoder has two attentions, and both read the target."""
    decoder = [s for s in sublayers if not s.of_source]
    layers = {a.layer for a in attentions if a.kind == "decoder_self"}
    networks = _passed(graph, [s for s in decoder if not s.attends])
    if networks > 0:
        return len(layers) >= 2 * networks
    # Without a feed-forward network to count by: only one of the two has a causal mask.
    own = [a for a in attentions if a.kind == "decoder_self"]
    return 0 < len({a.layer for a in own if bool((a.used > 0).all())}) < len(layers)


def _passed(graph: Graph, networks: list[Sublayer]) -> int:
    """How many a word passes: sentences may be read one after another."""
    passed: dict[int, Counter[int]] = {}
    for network in networks:
        labels = network.reads.labels
        words = distinct(labels) if labels is not None else []
        weight = graph.weight(network.last).tensor.data_ptr()
        passed.setdefault(weight, Counter()).update(words)
    return sum(max(words.values(), default=1) for words in passed.values())
