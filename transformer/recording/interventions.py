"""Changes to the model, as data, with a text form that people write and addresses hold."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, cast, get_args

from ..errors import HeadlightError
from ..model.config import TransformerConfig
from .head_names import head_name
from .kinds import KINDS, CausalMask, Kind, num_layers

WeightsEffect = Literal["zero", "uniform", "first"]
OutputEffect = Literal["mean", "double"]
Part = Literal["residual", "scale", "causal", "inverted", "positions", "mixed", "temperature"]
Effect = WeightsEffect | OutputEffect | Part

EFFECTS: tuple[WeightsEffect, ...] = get_args(WeightsEffect)
"""What can be done to a head's weights."""

HEAD_EFFECTS: tuple[WeightsEffect | OutputEffect, ...] = (*EFFECTS, *get_args(OutputEffect))
"""What can be done to a head."""

PARTS: tuple[Part, ...] = get_args(Part)
"""What can be taken away, or done wrongly; the temperature is changed."""

WRONG: dict[Part, str] = {"inverted": "causal=inverted", "mixed": "heads=mixed"}
"""The text forms of parts that are there, but wrong."""

_NUMBER = r"([1-9]\d{0,2})"
_KIND = f"({'|'.join(KINDS)})"
_FORM = re.compile(rf"{_KIND}(?:\.L{_NUMBER}(?:H{_NUMBER})?)?=({'|'.join(HEAD_EFFECTS)})", re.ASCII)
_RESIDUAL = re.compile(rf"{_KIND}(?:\.L{_NUMBER})?\.residual=off", re.ASCII)
_WHOLE = re.compile(r"(scale|causal|positions)=off|(temperature)=(\d{1,3}(?:\.\d{1,4})?)", re.ASCII)
_WRONG: dict[str, Effect] = {text: part for part, text in WRONG.items()}
# As traces and links of the first version have it: both counted from 0, `*` for every head.
_OLD_FORM = re.compile(rf"{_KIND}\.(\d{{1,3}})\.(\d{{1,3}}|\*)=({'|'.join(EFFECTS)})", re.ASCII)


@dataclass(frozen=True)
class Intervention:
    """A change to one head, every head of a layer or of a kind; or a part taken away.

    Its text form counts from 1: `cross.L2H4=zero`, `decoder_self.L1=uniform` (the layer),
    `encoder_self=first` (all); `decoder_self.L2.residual=off`, `scale=off`, `causal=off`,
    `positions=off`, `temperature=2`; `causal=inverted`, `heads=mixed`.

    Attributes:
        kind: which attention; None means the whole model.
        layer: counted from 0; None means every layer.
        head: counted from 0; None means every head.
        effect: "zero", attends to nothing and adds nothing; "uniform", to everything it may
            equally; "first", only to the first token; "mean", hands on its mean output over many
            sentences, whatever it attends to; "double", twice its output. "residual": what enters
            this attention is not added to what leaves it. "scale": scores are not divided by
            √d_head. "causal": the decoder sees what comes later. "inverted": it sees itself and
            what comes later, and nothing before. "positions": no token knows where it stands.
            "mixed": queries, keys and values are split into heads by a view without its transpose,
            so that each head's row t holds pieces of other positions. "temperature": scores are
            divided by `value` before the softmax.
        value: of the temperature.

    Raises:
        ValueError: there is a head without a layer, or a kind where there must be none, or none
            where there must be one.
    """

    kind: Kind | None
    layer: int | None
    head: int | None
    effect: Effect
    value: float = 1

    def __post_init__(self) -> None:
        if self.layer is None and self.head is not None:
            raise ValueError(f"head {self.head} of which layer?")
        if (self.kind is None) != (self.effect in PARTS and self.effect != "residual"):
            raise ValueError(f"{self.effect} of {self.kind}?")

    def __str__(self) -> str:
        if self.effect == "temperature":
            return f"temperature={self.value:.7g}"
        if self.effect in WRONG:
            return WRONG[self.effect]
        if self.kind is None:
            return f"{self.effect}=off"
        name = ""
        if self.layer is not None:
            one = self.head is not None
            name = f".{head_name(self.layer, self.head or 0) if one else f'L{self.layer + 1}'}"
        if self.effect == "residual":
            return f"{self.kind}{name}.residual=off"
        return f"{self.kind}{name}={self.effect}"

    @classmethod
    def parse(cls, text: str) -> "Intervention":
        """Reads the text form; and that of the first version, `cross.1.3=zero`, from 0.

        Raises:
            HeadlightError: the text has another form.
        """
        stripped = text.strip()
        if match := _FORM.fullmatch(stripped):
            layer, head = (int(number) - 1 if number else None for number in match.group(2, 3))
            return cls(_kind(match), layer, head, cast(Effect, match[4]))
        if match := _OLD_FORM.fullmatch(stripped):
            head = None if match[3] == "*" else int(match[3])
            return cls(_kind(match), int(match[2]), head, cast(Effect, match[4]))
        if match := _RESIDUAL.fullmatch(stripped):
            return cls(_kind(match), int(match[2]) - 1 if match[2] else None, None, "residual")
        if stripped in _WRONG:
            return cls(None, None, None, _WRONG[stripped])
        if match := _WHOLE.fullmatch(stripped):
            value = float(match[3] or 1)
            if value > 0:
                return cls(None, None, None, cast(Effect, match[1] or match[2]), value)
        raise HeadlightError(
            "bad_intervention",
            f"{text!r} is no intervention: write kind.head=effect, such as cross.L2H4=zero "
            "(or cross.L2=zero, cross=zero for more), with kind one of "
            f"{', '.join(KINDS)} and effect one of {', '.join(HEAD_EFFECTS)}; or "
            "decoder_self.L2.residual=off, scale=off, causal=off, positions=off, temperature=2, "
            "causal=inverted, heads=mixed",
            intervention=text,
        )

    def check(self, config: TransformerConfig) -> None:
        """Refuses a kind, layer or head that a model of this config does not have.

        Raises:
            HeadlightError: naming what the model has.
        """
        if self.kind is None:
            return
        layers = num_layers(config, self.kind)
        if not (0 <= (self.layer or 0) < layers and 0 <= (self.head or 0) < config.num_heads):
            raise HeadlightError(
                "bad_intervention",
                f"{self} is outside this model, which has {layers} layers of {self.kind} with "
                f"{config.num_heads} heads each",
                intervention=str(self),
            )

    def index(self) -> tuple[int | slice, int | slice]:
        """What it changes, as an index into axes [layer, head]."""
        return (
            slice(None) if self.layer is None else self.layer,
            slice(None) if self.head is None else self.head,
        )


def _kind(match: re.Match[str]) -> Kind:
    return next(kind for kind in KINDS if kind == match[1])


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
    kept = tuple(change for change in read if change not in heats[:-1])
    if causal_mask_of(kept) == "inverted":
        for change in kept:
            if change.effect == "first" and change.kind == "decoder_self":
                raise HeadlightError(
                    "masked_row",
                    f"{change} and {WRONG['inverted']} cannot be computed together: a token that "
                    "may not look back cannot look at the first one",
                    intervention=str(change),
                )
    return kept
