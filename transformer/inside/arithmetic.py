"""One head's arithmetic, from queries and keys to weights: what a trace leaves out."""

from collections.abc import Sequence
from dataclasses import dataclass

from ..ask.analysis import Result
from ..errors import HeadlightError
from ..trace.interventions import Intervention
from ..trace.kinds import Kind, num_layers
from ..trace.packing import Weights, read_only
from ..translator import Translator


@dataclass(frozen=True, kw_only=True, eq=False)
class WorkedOut(Result):
    """Everything that one head computed, all of it float32.

    The softmax of a row of `scores`, over the keys that the row may attend to, is its row of
    `weights`; these times `value` are the head's output.

    Attributes:
        query: [query, d_head]
        key: [key, d_head]
        value: [key, d_head]
        scores: [query, key], q·k / √d_head before masking, after any intervention.
        weights: [query, key], each row sums to 1; 0 if an intervention switched the head off.
    """

    query: Weights
    key: Weights
    value: Weights
    scores: Weights
    weights: Weights


def work_out(
    translator: Translator,
    source: str,
    tgt_ids: Sequence[int],
    kind: Kind,
    layer: int,
    head: int,
    interventions: Sequence[Intervention | str] = (),
) -> WorkedOut:
    """The arithmetic behind one head's weights, of a trace that was made before.

    Args:
        translator: that made it.
        source: the trace's source.
        tgt_ids: the trace's tgt_ids.
        kind: which attention.
        layer: counted from 0.
        head: counted from 0.
        interventions: the trace's.
    Raises:
        HeadlightError: the source is empty or too long, the model has no such head, or the ids
            are no target of this model.
    """
    layers, heads = num_layers(translator.config, kind), translator.config.num_heads
    if not (0 <= layer < layers and 0 <= head < heads):
        raise HeadlightError(
            "unknown_head",
            f"There is no head {head} in layer {layer} of {kind}: this model has {layers} layers "
            f"of it with {heads} heads each, both counted from 0.",
        )
    sites = ("query", "key", "value", "scores", "weights")
    recording = translator.replay(source, tgt_ids, interventions, sites)
    [query, key, value, scores, weights] = (
        read_only(recording.at(kind, site)[layer][0, head].cpu().numpy()) for site in sites
    )
    return WorkedOut(query=query, key=key, value=value, scores=scores, weights=weights)
