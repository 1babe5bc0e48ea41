"""What a trace of one of our own models must hold to."""

import numpy as np

from .changes import causal_mask_of
from .fields import TraceFields
from .kinds import Kind, key_tokens, masked, query_tokens
from .named_places import check_named_places
from .packing import Weights


def check_trace(trace: TraceFields) -> None:
    """Refuses what contradicts itself.

    Raises:
        ValueError: a shape contradicts the labels, or the weights are not weights.
    """
    if not len(trace.tgt_in) == len(trace.tgt_out) == len(trace.tgt_ids) == len(trace.candidates):
        raise ValueError(
            f"{len(trace.tgt_in)} tokens read, {len(trace.tgt_out)} emitted, "
            f"{len(trace.tgt_ids)} ids and {len(trace.candidates)} lists of candidates: "
            "each step has one of each"
        )
    if len(trace.src) != len(trace.src_ids):
        raise ValueError(f"{len(trace.src)} source tokens, but {len(trace.src_ids)} ids")
    sizes = (len(trace.src), len(trace.tgt_out))
    if trace.glosses is not None and tuple(map(len, trace.glosses)) != sizes:
        raise ValueError(f"{[*map(len, trace.glosses)]} glosses of {sizes} tokens")
    if not 0 <= trace.prefix_length <= len(trace.tgt_out):
        raise ValueError(f"a prefix of {trace.prefix_length} in {len(trace.tgt_out)} steps")
    if (trace.encoder_self is None) != (trace.cross is None):
        raise ValueError("encoder_self and cross come together, or not at all")
    for kind, weights in trace.present():
        _check_shape(trace, kind, weights)
    check_named_places(trace)
    for kind, weights in trace.present():
        _check_weights(trace, kind, weights)
    _check_heads(trace)


def _check_shape(trace: TraceFields, kind: Kind, weights: Weights) -> None:
    num_queries, num_keys = len(query_tokens(trace, kind)), len(key_tokens(trace, kind))
    if weights.ndim != 4 or weights.shape[2:] != (num_queries, num_keys):
        raise ValueError(
            f"{kind} has shape {weights.shape}, but the labels ask for "
            f"(layer, head, {num_queries}, {num_keys})"
        )
    # Before anything is made of its size: without numbers in it, a shape may say anything.
    if not weights.size:
        raise ValueError(f"{kind} has shape {weights.shape}: no layer, head or token at all")


def _check_weights(trace: TraceFields, kind: Kind, weights: Weights) -> None:
    num_queries, num_keys = weights.shape[2:]
    if weights.dtype != np.float32 or weights.flags.writeable:
        raise ValueError(f"{kind} must be a read-only float32 array")
    if not np.isfinite(weights).all() or (weights < 0).any():
        raise ValueError(f"{kind} holds values that are negative or not finite")
    causal = causal_mask_of(trace.interventions)
    if weights[..., masked(kind, num_queries, num_keys, causal)].any():
        if causal == "inverted":
            raise ValueError(f"{kind} attends to the past: it is not 0 below the diagonal")
        raise ValueError(f"{kind} attends to the future: it is not 0 above the diagonal")
    expected = np.ones(weights.shape[:3], np.float32)
    for change in trace.interventions:
        if change.kind == kind and change.effect == "zero":
            expected[(*change.index(), change.rows)] = 0
    worst = float(np.abs(weights.sum(-1) - expected).max(initial=0))
    if worst > 1e-5:
        raise ValueError(f"{kind} has a row whose sum is off by {worst:.2g}")


def _check_heads(trace: TraceFields) -> None:
    layers, heads = trace.decoder_self.shape[:2]
    if trace.cross is not None and trace.cross.shape[:2] != (layers, heads):
        raise ValueError(
            f"cross has {trace.cross.shape[:2]} layers and heads, but decoder_self has "
            f"{(layers, heads)}: every layer of a decoder has both kinds"
        )
    if trace.encoder_self is not None and trace.encoder_self.shape[1] != heads:
        raise ValueError(
            f"the encoder has {trace.encoder_self.shape[1]} heads, the decoder {heads}: "
            "a model has one number of them"
        )
