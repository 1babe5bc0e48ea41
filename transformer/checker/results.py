"""What a check finds, as data: findings in words, and what was measured."""

from dataclasses import dataclass, field
from typing import Literal

from .basis.clues import Severity


@dataclass(frozen=True)
class Finding:
    """One thing that is wrong with a model.

    Attributes:
        code: its name in the table of codes.
        severity: "error", "warning", or "advice" for what may be meant.
        sentence: what is wrong, in plain words.
        evidence: how that was seen, with numbers.
        hint: what to look at or to change.
        cost: what it does in practice, if it is left as it is.
    """

    code: str
    severity: Severity
    sentence: str
    evidence: str
    hint: str
    cost: str = ""


@dataclass(frozen=True)
class Seen:
    """How much changing one token changed the logits at each target position.

    Attributes:
        side: where the changed tokens stand.
        tokens: their ids.
        positions: the ids that the target positions read.
        change: [target position][token]; the largest change of a logit.
    """

    side: Literal["src", "tgt"]
    tokens: tuple[int, ...]
    positions: tuple[int, ...]
    change: tuple[tuple[float, ...], ...]


@dataclass(frozen=True)
class Recorded:
    """The weights of one attention on one sentence, [head][query][key]."""

    place: str
    kind: str
    layer: int
    weights: tuple[tuple[tuple[float, ...], ...], ...]


@dataclass(frozen=True)
class Results:
    """What `check` found.

    Attributes:
        findings: what is wrong, the gravest first.
        unknown: codes that could not be judged on this model.
        problems: what could not be run, in the module's own words.
        language: of the texts.
        model: the class of the module.
        seen: which tokens each position can see, measured.
        attention: weights, where they could be recorded.
        reasons: of each code that is unknown, why.
        notes: what else is worth knowing, such as another `pad_id` or `kind` to try.
    """

    findings: tuple[Finding, ...]
    unknown: tuple[str, ...]
    problems: tuple[str, ...] = ()
    language: str = "en"
    model: str = ""
    seen: tuple[Seen, ...] = ()
    attention: tuple[Recorded, ...] = field(default=(), repr=False)
    reasons: dict[str, str] = field(default_factory=dict[str, str])
    notes: tuple[str, ...] = ()

    @property
    def codes(self) -> tuple[str, ...]:
        """The codes of all findings."""
        return tuple(finding.code for finding in self.findings)

    def by_reason(self) -> dict[str, list[str]]:
        """The codes that could not be judged, together where the reason is the same."""
        found: dict[str, list[str]] = {}
        for code in self.unknown:
            found.setdefault(self.reasons.get(code, "?"), []).append(code)
        return found
