"""What a trace says, in a few lines: for programs and language models, who need no weights.

The trace names a representative head of each kind, as every trace of the service does.
"""

import math
from typing import Any, SupportsFloat

from ..errors import HeadlightError
from ..inside.alignment import alignment
from ..inside.statistics import statistics
from ..trace.head_names import head_name, parse_head
from ..trace.kinds import KINDS, Kind, key_tokens
from ..trace.trace import AttentionTrace

MOST_HEADS = 20
"""The most models that are listed at once."""

ALIGNS = "aligns"


def trace_summary(trace: AttentionTrace) -> dict[str, Any]:
    """The translation step by step, and the representative head of each kind.

    Returns:
        {"model", "source", "translation", "stop_reason", "heads": {kind: {"layers", "heads",
        "representative", "role"}}, "steps": [{"reads", "predicts", "probability", "attends_to",
        "weight"}]}. A step attends to what the representative cross-attention head looks at most in
        its row; without a source, the representative decoder self-attention head.
    """
    heads = {
        kind: {
            "layers": weights.shape[0],
            "heads": weights.shape[1],
            "representative": trace.heads[kind].head,
            "role": trace.heads[kind].role,
        }
        for kind, weights in trace.present()
    }
    return {
        "model": trace.model,
        "source": trace.source,
        "translation": trace.translation,
        "stop_reason": trace.stop_reason,
        "heads": heads,
        "steps": _steps(trace),
    }


def _steps(trace: AttentionTrace) -> list[dict[str, Any]]:
    kind: Kind = "decoder_self" if trace.cross is None else "cross"
    weights, keys = trace.weights(kind), key_tokens(trace, kind)
    assert weights is not None
    rows = weights[parse_head(trace.heads[kind].head)]
    # Which of the candidates was emitted is not always the first: a prefix or a draw may say.
    chances = [
        next((c.probability for c in candidates if c.id == emitted), math.nan)
        for candidates, emitted in zip(trace.candidates, trace.tgt_ids, strict=True)
    ]
    return [
        {
            "reads": reads,
            "predicts": predicts,
            "probability": _rounded(chance),
            "attends_to": keys[int(row.argmax())],
            "weight": _rounded(row.max()),
        }
        for reads, predicts, chance, row in zip(
            trace.tgt_in, trace.tgt_out, chances, rows, strict=True
        )
    ]


def top_heads(trace: AttentionTrace, kind: str = "cross", count: int = 5) -> list[dict[str, Any]]:
    """The most confident heads of one kind, the most confident first.

    Confidence is the mean over rows of the largest weight, `</s>` left out (Voita et al. 2019,
    "Analyzing Multi-Head Self-Attention", section 4: important heads are confident).

    Returns:
        [{"head", "confidence", "by_chance", "role"}]: `by_chance` is that of a head that attends
        to all tokens equally; a role is None where no role exceeds chance clearly, a number where
        no row has a choice.
    Raises:
        HeadlightError: the model has no such kind, or it is asked for no or too many heads.
    """
    if kind not in KINDS or (of_kind := statistics(trace).of(kind)) is None:
        present = ", ".join(kind for kind, _ in trace.present())
        raise HeadlightError("bad_request", f"No {kind!r:.40}: {trace.model} has {present}.")
    if type(count) is not int or not 1 <= count <= MOST_HEADS:
        raise HeadlightError("bad_request", f"From 1 to {MOST_HEADS} heads can be listed.")
    representative = trace.heads[kind]
    confidence = of_kind.confidence
    order = (-confidence).argsort(axis=None, kind="stable")[:count]
    listed: list[dict[str, Any]] = []
    for layer, head in (divmod(int(place), confidence.shape[1]) for place in order):
        name = head_name(layer, head)
        aligns = name == representative.head and representative.role == ALIGNS
        listed.append(
            {
                "head": name,
                "confidence": _rounded(confidence[layer, head]),
                "by_chance": _rounded(of_kind.by_chance["confidence"]),
                "role": ALIGNS if aligns else of_kind.role(layer, head),
            }
        )
    return listed


def align(trace: AttentionTrace, head: str | None = None) -> dict[str, Any]:
    """The source word of each target word, as one cross-attention head has it.

    Args:
        trace: of an encoder-decoder.
        head: such as "L1H2"; by default the representative one.
    Returns:
        {"head", "row", "translation", "links": [{"target", "source", "weight"}]}
    Raises:
        HeadlightError: the trace has no source, or there is no such head.
    """
    representative = trace.heads.get("cross")
    if representative is None or trace.cross is None:
        raise HeadlightError("bad_request", f"{trace.model} has no source to align.")
    num_layers, num_heads = trace.cross.shape[:2]
    try:
        layer, number = parse_head(representative.head if head is None else str(head))
        if layer >= num_layers or number >= num_heads:
            last = head_name(num_layers - 1, num_heads - 1)
            raise ValueError(f"there is no cross-attention head {head}: the last is {last}")
    except ValueError as error:
        raise HeadlightError("bad_request", str(error)) from error
    links = alignment(
        trace, layer, number, "predicts" if representative.row == "predicts" else "reads"
    )
    return {
        "head": links.name,
        "row": links.row,
        "translation": trace.translation,
        "links": [
            {
                "target": links.tgt_words[target],
                "source": links.src_words[source],
                "weight": _rounded(links.weights[target, source]),
            }
            for source, target in sorted(links.links, key=lambda link: link[1])
        ],
    }


def _rounded(number: SupportsFloat) -> float | None:
    """JSON has no NaN."""
    return None if math.isnan(value := float(number)) else round(value, 3)
