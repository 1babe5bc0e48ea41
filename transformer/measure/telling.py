"""Which head of each kind is worth looking at first: the one whose role is clearest."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from ..ask.observed import Attended
from ..checkpoint.card import write_card
from ..inside.alignment import ROWS, Row
from ..inside.roles import CLEAR, Role
from ..inside.statistics import KindStatistics, statistics_over
from ..trace.head_names import TellingHead, head_name
from ..trace.kinds import Kind
from ..trace.words import is_punctuation, is_special
from ..translator import Translator
from .lexicon import link_probabilities

Array = npt.NDArray[np.float64]
UNCLEAR = "unclear"
"""The role of the clearest head where none has any."""

NEIGHBOURS: tuple[Role, ...] = ("itself", "previous", "next")
RESTS: tuple[Role, ...] = ("first", "end", "punctuation")
"""Where a head may rest that has nothing to do: a role only where no head has another."""

PAIRS_FOR_A_LEXICON = 20
CLEAR_LINKS = 0.05
CLEAR_NATS = 0.1


def telling_heads(trace: Attended) -> dict[Kind, TellingHead]:
    """The head of each kind that tells most in one trace; `telling_heads_over` more is surer."""
    return telling_heads_over([trace])


def telling_heads_over(observed: Sequence[Attended]) -> dict[Kind, TellingHead]:
    """The head of each kind that tells most over these sentences.

    In cross-attention it is the one that aligns best (see `alignment_scores`); elsewhere the one
    whose attention to the same, the previous or the next token exceeds chance by most, and if none
    exceeds it by `CLEAR`, the one that rests on the first token, `</s>` or punctuation. A head
    without any of these has the role `UNCLEAR`.

    Args:
        observed: what a model attended to; at least one sentence.
    """
    return {
        kind: _aligning(observed) if kind == "cross" else _clearest(of_kind)
        for kind, of_kind in statistics_over(observed).present()
    }


def as_card(heads: Mapping[Kind, TellingHead]) -> dict[str, dict[str, Any]]:
    """Telling heads as the "heads" of a checkpoint's card: what `read_telling_heads` reads."""
    return {
        kind: {name: value for name, value in telling.told().items() if value is not None}
        for kind, telling in heads.items()
    }


def measure_by_examples(folder: Path) -> None:
    """Names the telling heads of an installed checkpoint that comes without data, in its card.

    They are measured on what the model makes of its card's examples.

    Raises:
        CheckpointError: the checkpoint is broken.
    """
    translator = Translator.load(folder)
    traces = [translator.trace(text) for text in translator.card.get("examples", [])]
    if traces:
        write_card(folder, {**translator.card, "heads": as_card(telling_heads_over(traces))})


def _clearest(of_kind: KindStatistics) -> TellingHead:
    lifts = {role: np.nan_to_num(of_kind.lift(role)) for role in of_kind.shares}
    best = {role: float(lift.max()) for role, lift in lifts.items()}
    neighbour = max((r for r in NEIGHBOURS if r in best), key=best.__getitem__)
    rest = max((r for r in RESTS if r in best), key=best.__getitem__)
    for role in (neighbour, rest):
        if best[role] >= CLEAR:
            return TellingHead(_name(lifts[role]), role)
    return TellingHead(_name(lifts[neighbour]), UNCLEAR)


def _aligning(observed: Sequence[Attended]) -> TellingHead:
    scores, clearly = alignment_scores(observed)
    row = max(ROWS, key=lambda row: float(scores[row].max()))
    clear = float(scores[row].max()) >= clearly
    name = _name(scores[row])
    return TellingHead(name, "aligns", row) if clear else TellingHead(name, UNCLEAR)


def alignment_scores(observed: Sequence[Attended]) -> tuple[dict[Row, Array], float]:
    """How well each cross-attention head aligns, by either row of a target word, without gold.

    Over `PAIRS_FOR_A_LEXICON` pairs or more: the mean weight on the source words that a lexicon
    of the same pairs links the target word to. A sharp head that rests on one token or follows the
    diagonal does not meet the lexicon, and the row that reads a word and the row that predicts it
    meet it at different words, so this tells the two apart.

    Over fewer, from which no lexicon can be learned: how much a target word tells about where the
    head looks, in nats (the mutual information of row and column in each sentence, its mean). A
    head that rests on one token tells nothing. `</s>` and punctuation are no words: weight on them
    counts nothing in either.

    Args:
        observed: traces of an encoder-decoder.
    Returns:
        For either row, [layer, head]; and from what score on a head clearly aligns, above that of
        a head that attends to all equally.
    """
    places = [(_words(one.src, 0), _words(one.tgt_in, 1)) for one in observed]
    enough = [(o, *place) for o, place in zip(observed, places, strict=True) if all(place)]
    lexical = len(enough) >= PAIRS_FOR_A_LEXICON
    texts = [([o.src[i] for i in src], [o.tgt_in[i] for i in tgt]) for o, src, tgt in enough]
    links = link_probabilities(texts) if lexical else []
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
            score = (weights * links[index]).sum((-2, -1)) if lexical else None
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
    """Of row and column, nats, for weights [layer, head, query, key] → [layer, head]."""
    joint = weights / weights.shape[-2]
    independent = joint.sum(-1, keepdims=True) * joint.sum(-2, keepdims=True)
    total = joint.sum((-2, -1), keepdims=True)
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.nan_to_num(joint * np.log(joint * total / independent)).sum((-2, -1))


def _name(scores: Array) -> str:
    """The name of the head that has the highest score [layer, head]."""
    layer, head = divmod(int(scores.argmax()), scores.shape[1])
    return head_name(layer, head)
