"""Several changes to a model: what they are together, and of a text that lost some tokens."""

from collections.abc import Collection, Sequence
from dataclasses import replace
from typing import Literal

from ..errors import HeadlightError
from .interventions import WRONG, Intervention
from .kinds import CausalMask


def causal_mask_of(changes: Sequence[Intervention]) -> CausalMask:
    """What, with these changes, is left of the decoder's mask; of several, the last acts."""
    effects = [change.effect for change in changes if change.effect in ("causal", "inverted")]
    if not effects:
        return "kept"
    return "inverted" if effects[-1] == "inverted" else "off"


def is_stepwise(change: Intervention) -> bool:
    """Whether a decoder that writes token after token can have it.

    What shows later tokens, or shuffles positions, can be done to a whole text only.
    """
    return change.effect not in ("causal", "inverted", "mixed")


def read_interventions(changes: Sequence[Intervention | str]) -> tuple[Intervention, ...]:
    """Interventions, some of them perhaps in text form.

    What is said twice is done once; of several temperatures, the last acts.

    Raises:
        HeadlightError: a text has another form, or two of them leave a row nothing to attend to.
    """
    read = dict.fromkeys(
        Intervention.parse(change) if isinstance(change, str) else change for change in changes
    )
    heats = [change for change in read if change.effect == "temperature"]
    interventions = tuple(change for change in read if change not in heats[:-1])
    if causal_mask_of(interventions) == "inverted":
        for change in interventions:
            if change.kind == "decoder_self" and not _looks_ahead(change):
                raise HeadlightError(
                    "masked_row",
                    f"{change} and {WRONG['inverted']} cannot be computed together: a token that "
                    "may not look back cannot look at an earlier one",
                    intervention=str(change),
                )
    return interventions


def _looks_ahead(change: Intervention) -> bool:
    """Whether a row sees itself, or what comes later: whether anything, where nothing else is."""
    if change.effect not in ("first", "aim"):
        return True
    return change.row in (change.keys or (0,))


def without_tokens(
    changes: Sequence[Intervention], side: Literal["src", "tgt"], removed: Collection[int]
) -> tuple[Intervention, ...]:
    """Changes for a text without some of its tokens: what stood after them moves up.

    Args:
        changes: to the whole text.
        side: whose tokens they are, the encoder's or the decoder's.
        removed: their places, from 0.
    Returns:
        Without the changes of rows that are gone, or that were aimed at nothing else.
    """

    def moved(place: int) -> int:
        return place - sum(gone < place for gone in removed)

    left: list[Intervention] = []
    for change in changes:
        rows = "src" if change.kind == "encoder_self" else "tgt"
        row, keys = change.row, change.keys
        if row is not None and rows == side:
            if row in removed:
                continue
            row = moved(row)
        if keys and ("tgt" if change.kind == "decoder_self" else "src") == side:
            keys = tuple(moved(key) for key in keys if key not in removed)
            if not keys:
                continue
        left.append(replace(change, row=row, keys=keys))
    return tuple(left)
