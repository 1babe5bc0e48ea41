"""Which of a report's pictures shows a finding best."""

import re
from collections.abc import Sequence

from .results import Finding, Recorded, Seen

SEEN = {
    "future_leak": "tgt",
    "causal_off_by_one": "tgt",
    "memory_ignored": "src",
    "padding_attended": "src",
}
"""What is best seen in which tokens change which logits; anything else, in a head's weights."""


def picture_of(
    finding: Finding, seen: Sequence[Seen], attention: Sequence[Recorded]
) -> dict[str, int]:
    """Where the picture stands that belongs beside a finding.

    Returns:
        {"seen": i}, a place in `seen`; {"head": i}, a place among the heads of all
        attentions, one after the other; or nothing.
    """
    sides: list[str] = [each.side for each in seen]
    if SEEN.get(finding.code) in sides:
        return {"seen": sides.index(SEEN[finding.code])}
    place = 0
    named: list[tuple[int, int]] = []
    for recorded in attention:
        # A whole name: "decoder.1" does not stand in "decoder.10".
        name = re.escape(recorded.place)
        if name and re.search(rf"(?<![\w.]){name}(?!\.?\w)", finding.evidence):
            named.append((-len(recorded.place), place))
        place += len(recorded.weights)
    return {"head": min(named)[1]} if named else {}
