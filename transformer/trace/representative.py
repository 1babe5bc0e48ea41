"""Which head of each kind is worth looking at first: the one whose role is clearest."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

import numpy as np
import numpy.typing as npt

from .attended import Attended
from .changes import causal_mask_of
from .head_names import ROWS, RepresentativeHead, Row, head_name
from .head_statistics import KindStatistics, Tally
from .kinds import KINDS, Kind, key_tokens
from .roles import CLEAR, Role, role_cells
from .trace import AttentionTrace
from .words import is_punctuation, is_special

Array = npt.NDArray[np.float64]
Pair = tuple[Sequence[str], Sequence[str]]
Links = Callable[[Sequence[Pair]], Sequence[Array]]
"""A function of the words of each source and its target: how likely each link between them is,
each [target word, source word]."""

UNCLEAR = "unclear"
"""The role of the clearest head where none has any."""

NEIGHBOURS: tuple[Role, ...] = ("itself", "previous", "next", "induction")
RESTS: tuple[Role, ...] = ("first", "end", "punctuation")
"""Roles of a head that has nothing to do, and rests: only where no head has another."""

NOT_MEASURED: Mapping[Kind, KindStatistics] = {}

PAIRS_FOR_A_LEXICON = 20
CLEAR_LINKS = 0.05
CLEAR_NATS = 0.1


def representative_heads(
    trace: Attended, measured: Mapping[Kind, KindStatistics] = NOT_MEASURED
) -> dict[Kind, RepresentativeHead]:
    """The representative head of each kind in one trace; `measure.representative_heads_over` many
    sentences is surer.

    In cross-attention it is the head that aligns best (see `alignment_scores`); elsewhere the one
    that `clearest_head` names.

    Args:
        trace: whose heads they are.
        measured: what is known already of its kinds.
    """
    heads: dict[Kind, RepresentativeHead] = {}
    for kind in KINDS:
        if (weights := trace.weights(kind)) is None:
            continue
        if kind == "cross":
            heads[kind] = aligning_head([trace])
            continue
        if kind in measured:
            heads[kind] = clearest_head(measured[kind])
            continue
        keys = key_tokens(trace, kind)
        causal = causal_mask_of(getattr(trace, "interventions", ()))
        tally = Tally(kind)
        tally.add(weights, keys, causal, role_cells(kind, weights.shape[2], keys, causal))
        heads[kind] = clearest_head(tally.means())
    return heads


def with_representative_heads(
    trace: AttentionTrace, measured: Mapping[Kind, KindStatistics] = NOT_MEASURED
) -> AttentionTrace:
    """The trace with a representative head of each kind: its own where it names one."""
    if all(kind in trace.heads for kind, _ in trace.present()):
        return trace
    return replace(trace, heads={**representative_heads(trace, measured), **trace.heads})


def clearest_head(of_kind: KindStatistics) -> RepresentativeHead:
    """The self-attention head of the clearest role.

    It is the one whose attention to the same, the previous or the next token, or to what followed
    an earlier copy of it, exceeds chance by most; if none exceeds it by `CLEAR`, the one that rests
    on the first token, `</s>` or punctuation. Without any of these its role is `UNCLEAR`.
    """
    lifts = {role: np.nan_to_num(of_kind.lift(role)) for role in of_kind.shares}
    best = {role: float(lift.max()) for role, lift in lifts.items()}
    neighbour = max((r for r in NEIGHBOURS if r in best), key=best.__getitem__)
    rest = max((r for r in RESTS if r in best), key=best.__getitem__)
    for role in (neighbour, rest):
        if best[role] >= CLEAR:
            return RepresentativeHead(_name(lifts[role]), role)
    return RepresentativeHead(_name(lifts[neighbour]), UNCLEAR)


def aligning_head(observed: Sequence[Attended], links: Links | None = None) -> RepresentativeHead:
    """The cross-attention head that aligns best; arguments as of `alignment_scores`."""
    scores, clearly = alignment_scores(observed, links)
    row = max(ROWS, key=lambda row: float(scores[row].max()))
    clear = float(scores[row].max()) >= clearly
    name = _name(scores[row])
    return RepresentativeHead(name, "aligns", row) if clear else RepresentativeHead(name, UNCLEAR)


def alignment_scores(
    observed: Sequence[Attended], links: Links | None = None
) -> tuple[dict[Row, Array], float]:
    """How well each cross-attention head aligns, by either row of a target word, without gold.

    Over `PAIRS_FOR_A_LEXICON` pairs or more, with `links`: the mean weight on the source words that
    a lexicon of the same pairs links the target word to. A sharp head that rests on one token or
    follows the diagonal does not meet the lexicon, and the row that reads a word and the row that
    predicts it meet it at different words, so this tells the two apart.

    Over fewer, from which no lexicon can be learned: how much a target word tells about where the
    head looks, in nats (the mutual information of row and column in each sentence, its mean). A
    head that rests on one token tells nothing. `</s>` and punctuation are no words: weight on them
    counts nothing in either.

    Args:
        observed: traces of an encoder-decoder.
        links: learns a lexicon; None where there is nothing to learn from.
    Returns:
        For either row, [layer, head]; and from what score on a head clearly aligns, above that of
        a head that attends to all equally.
    """
    places = [(_words(one.src, 0), _words(one.tgt_in, 1)) for one in observed]
    enough = [(o, *place) for o, place in zip(observed, places, strict=True) if all(place)]
    lexical = links is not None and len(enough) >= PAIRS_FOR_A_LEXICON
    texts = [([o.src[i] for i in src], [o.tgt_in[i] for i in tgt]) for o, src, tgt in enough]
    linked: Sequence[Array] = links(texts) if links is not None and lexical else ()
    sums: dict[Row, Array | float] = dict.fromkeys(ROWS, 0.0)
    total, uniform = 0, 0.0
    for index, (one, src, tgt) in enumerate(enough):
        cross = one.weights("cross")
        assert cross is not None
        words = cross[..., src].astype(np.float64)
        for row in ROWS:
            # Row t reads word t; the row before it predicts it.
            shift = 0 if row == "reads" else 1
            weights = words[:, :, [i - shift for i in tgt]]
            score = (weights * linked[index]).sum((-2, -1)) if lexical else None
            sums[row] = sums[row] + (_mutual_information(weights) if score is None else score)
        total += len(tgt) if lexical else 1
        uniform += len(tgt) / len(one.src)
    cross = observed[0].weights("cross")
    assert cross is not None
    nothing = np.zeros(cross.shape[:2])
    return (
        {row: nothing + sums[row] / (total or 1) for row in ROWS},
        uniform / (total or 1) + CLEAR_LINKS if lexical else CLEAR_NATS,
    )


def _words(labels: Sequence[str], start: int) -> list[int]:
    """The positions, from `start` on, of what is neither special nor punctuation."""
    places = range(start, len(labels))
    return [i for i in places if not is_special(labels[i]) and not is_punctuation(labels[i])]


def _mutual_information(weights: Array) -> Array:
    """Weights [layer, head, query, key] → information of row on column [layer, head], nats."""
    joint = weights / weights.shape[-2]
    independent = joint.sum(-1, keepdims=True) * joint.sum(-2, keepdims=True)
    total = joint.sum((-2, -1), keepdims=True)
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.nan_to_num(joint * np.log(joint * total / independent)).sum((-2, -1))


def _name(scores: Array) -> str:
    """The name of the head that has the highest score [layer, head]."""
    layer, head = divmod(int(scores.argmax()), scores.shape[1])
    return head_name(layer, head)
