"""Changes to the model, as data, with a text form that people write and addresses hold."""

import re
import string
from dataclasses import dataclass
from typing import Literal, cast, get_args

from ..errors import HeadlightError
from .head_names import head_name
from .kinds import KINDS, Kind, Sizes, num_layers

WeightsEffect = Literal["zero", "uniform", "first"]
RowEffect = WeightsEffect | Literal["aim"]
OutputEffect = Literal["mean", "double"]
Part = Literal["residual", "scale", "causal", "inverted", "positions", "mixed", "temperature"]
Effect = RowEffect | OutputEffect | Part

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
_TOKEN = r"[1-9]\d{0,3}"
_PLACE = rf"{_KIND}(?:\.L{_NUMBER}(?:H{_NUMBER})?)?"
_FORM = re.compile(rf"{_PLACE}=({'|'.join(HEAD_EFFECTS)})", re.ASCII)
_ROW_FORM = re.compile(
    rf"{_PLACE}@({_TOKEN})=(?:({'|'.join(EFFECTS)})|aim:({_TOKEN}(?:,{_TOKEN}){{0,63}}))", re.ASCII
)
_RESIDUAL = re.compile(rf"{_KIND}(?:\.L{_NUMBER})?\.residual=off", re.ASCII)
_WHOLE = re.compile(r"(scale|causal|positions)=off|(temperature)=(\d{1,3}(?:\.\d{1,4})?)", re.ASCII)
_WRONG: dict[str, Effect] = {text: part for part, text in WRONG.items()}


@dataclass(frozen=True)
class Intervention:
    """A change to one head, every head of a layer or of a kind; or a part taken away.

    Its text form counts from 1: `cross.L2H4=zero`, `decoder_self.L1=uniform` (the layer),
    `encoder_self=first` (all); of one row, `cross.L2H4@3=zero`, `cross@4=aim:5,6`;
    `decoder_self.L2.residual=off`, `scale=off`, `causal=off`,
    `positions=off`, `temperature=2`; `causal=inverted`, `heads=mixed`.

    Attributes:
        kind: which attention; None means the whole model.
        layer: counted from 0; None means every layer.
        head: counted from 0; None means every head.
        effect: "zero", attends to nothing and adds nothing; "uniform", to everything it may
            equally; "first", only to the first token; "aim", only to `keys`, in equal shares;
            "mean", hands on its mean output over many
            sentences, whatever it attends to; "double", twice its output. "residual": what enters
            this attention is not added to what leaves it. "scale": scores are not divided by
            √d_head. "causal": the decoder sees what comes later. "inverted": it sees itself and
            what comes later, and nothing before. "positions": no token knows where it stands.
            "mixed": queries, keys and values are split into heads by a view without its transpose,
            so that each head's row t holds pieces of other positions. "temperature": scores are
            divided by `value` before the softmax.
        value: of the temperature.
        row: of the weights, counted from 0: a step, and in the encoder a source token; what comes
            before and after stays as it was. None means every row.
        keys: that the row is aimed at, counted from 0, in order.

    Raises:
        ValueError: there is a head without a layer, or a kind where there must be none, or none
            where there must be one; a row or keys where there must be none, or none where there
            must be some; or a row of the decoder is aimed at what it has not read.
    """

    kind: Kind | None
    layer: int | None
    head: int | None
    effect: Effect
    value: float = 1
    row: int | None = None
    keys: tuple[int, ...] = ()

    def __post_init__(self) -> None:
        if self.layer is None and self.head is not None:
            raise ValueError(f"head {self.head} of which layer?")
        if (self.kind is None) != (self.effect in PARTS and self.effect != "residual"):
            raise ValueError(f"{self.effect} of {self.kind}?")
        aims = self.effect == "aim"
        if aims != bool(self.keys) or list(self.keys) != sorted(set(self.keys)):
            raise ValueError(f"{self.effect} at {self.keys}?")
        if aims if self.row is None else not (aims or self.effect in EFFECTS):
            raise ValueError(f"{self.effect} of row {self.row}?")
        if self.kind == "decoder_self" and any(key > (self.row or 0) for key in self.keys):
            raise ValueError(f"row {self.row} has not read all of tokens {self.keys}")

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
        row = "" if self.row is None else f"@{self.row + 1}"
        aims = ",".join(str(key + 1) for key in self.keys)
        return f"{self.kind}{name}{row}={self.effect}{aims and ':'}{aims}"

    @classmethod
    def parse(cls, text: str) -> "Intervention":
        """Reads the text form.

        Raises:
            HeadlightError: the text has another form.
        """
        stripped = text.strip(string.whitespace)
        if match := _FORM.fullmatch(stripped):
            layer, head = (int(number) - 1 if number else None for number in match.group(2, 3))
            return cls(_kind(match), layer, head, cast(Effect, match[4]))
        if match := _ROW_FORM.fullmatch(stripped):
            try:
                return _of_a_row(match)
            except ValueError as error:
                raise HeadlightError(
                    "bad_intervention",
                    f"{text!r} cannot be done: a step of the decoder has read no token after its "
                    "own, so it can be aimed only at tokens up to it",
                    intervention=text,
                ) from error
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
            f"{', '.join(KINDS)} and effect one of {', '.join(HEAD_EFFECTS)}; for one row "
            "cross.L2H4@3=zero, or cross@4=aim:5,6, to look at tokens 5 and 6 alone; or "
            "decoder_self.L2.residual=off, scale=off, causal=off, positions=off, temperature=2, "
            "causal=inverted, heads=mixed",
            intervention=text,
        )

    def check(self, config: Sizes, src_length: int | None = None) -> None:
        """Refuses a kind, layer or head that a model of this config does not have.

        Args:
            config: the model's.
            src_length: of the source, in tokens, if it is known; what is aimed past its end is
                refused, too.
        Raises:
            HeadlightError: naming what there is.
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
        if self.kind == "decoder_self" or src_length is None:
            return
        if any(key >= src_length for key in self.keys):
            raise HeadlightError(
                "bad_intervention",
                f"{self} looks past the end of the source, which has {src_length} tokens",
                intervention=str(self),
            )

    @property
    def rows(self) -> slice:
        """Which rows of the weights it changes."""
        return slice(None) if self.row is None else slice(self.row, self.row + 1)

    def index(self) -> tuple[int | slice, int | slice]:
        """The heads that it changes, as an index into axes [layer, head]."""
        return (
            slice(None) if self.layer is None else self.layer,
            slice(None) if self.head is None else self.head,
        )


def _kind(match: re.Match[str]) -> Kind:
    return next(kind for kind in KINDS if kind == match[1])


def _of_a_row(match: re.Match[str]) -> Intervention:
    layer, head = (int(number) - 1 if number else None for number in match.group(2, 3))
    keys = tuple(sorted({int(key) - 1 for key in (match[6] or "").split(",") if key}))
    effect = cast(Effect, match[5] or "aim")
    return Intervention(_kind(match), layer, head, effect, row=int(match[4]) - 1, keys=keys)
