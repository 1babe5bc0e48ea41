"""What a visitor teaches a model: one sentence, what it should become, and how it is learnt."""

import hashlib
import json
import math
import re
from dataclasses import dataclass
from typing import cast, get_args

from ..errors import HeadlightError
from ..training.descent import Optimizer
from ..translator import Translator

OPTIMIZERS: tuple[Optimizer, ...] = get_args(Optimizer)

RATES: dict[Optimizer, float] = {"sgd": 0.02, "adam": 0.0003}
"""Learning rates; what was tried on `en-zh` took one to four steps. SGD with 0.1 diverges."""

MOST_STEPS, STEPS = 50, 10
LEAST_RATE, MOST_RATE = 1e-6, 1.0

_HOW = re.compile(rf"({'|'.join(OPTIMIZERS)})-([1-9]\d?)-(\d(?:\.\d{{1,6}})?)", re.ASCII)


@dataclass(frozen=True)
class Correction:
    """One pair, learnt again and again: the same correction makes the same weights on one machine.

    Attributes:
        source: what the model reads; of a decoder-only model, what it goes on from.
        target: what it should write then.
        steps: how often it learns, from 1 to 50.
        rate: the learning rate, from 0.000001 to 1, six digits behind the point.
        optimizer: "sgd", plain; or "adam".

    Raises:
        HeadlightError: one of them is out of bounds.
    """

    source: str
    target: str
    steps: int = STEPS
    rate: float = RATES["sgd"]
    optimizer: Optimizer = "sgd"

    def __post_init__(self) -> None:
        fine = type(self.steps) is int and 1 <= self.steps <= MOST_STEPS
        # Before it is rounded, which no infinity can be.
        fine = fine and math.isfinite(self.rate) and self.optimizer in OPTIMIZERS
        if fine:
            object.__setattr__(self, "rate", round(float(self.rate), 6))
        if not fine or not LEAST_RATE <= self.rate <= MOST_RATE:
            raise HeadlightError(
                "bad_correction",
                f"A correction has 1 to {MOST_STEPS} steps, a rate from 0.000001 to 1 and sgd or "
                f"adam, not {self.optimizer}, {self.steps} and {self.rate}.",
                steps=MOST_STEPS,
            )

    @property
    def how(self) -> str:
        """Optimizer, steps and rate as an address has them: `sgd-10-0.02`."""
        rate = f"{self.rate:.6f}".rstrip("0").rstrip(".")
        return f"{self.optimizer}-{self.steps}-{rate}"

    @property
    def hash(self) -> str:
        """Eight hex digits, which tell one correction from the next."""
        settings = json.dumps([self.source, self.target, self.how])
        return hashlib.sha256(settings.encode("utf-8", "surrogatepass")).hexdigest()[:8]

    @classmethod
    def of(cls, source: str, target: str, how: str = "") -> "Correction":
        """A correction whose `how` somebody wrote; nothing is ten steps of SGD.

        Raises:
            HeadlightError: it is written otherwise, or out of bounds.
        """
        if not how:
            return cls(source, target)
        match = _HOW.fullmatch(how)
        if match is None:
            raise HeadlightError(
                "bad_correction",
                f"{how[:80]!r} is no way to learn: write sgd-10-0.02 (or adam), the steps from 1 "
                f"to {MOST_STEPS}.",
                steps=MOST_STEPS,
            )
        return cls(source, target, int(match[2]), float(match[3]), cast(Optimizer, match[1]))


@dataclass(frozen=True)
class Read:
    """A correction as training sees it: what the decoder reads, and the labels, one off.

    Attributes:
        src: ids that the encoder reads, ending in eos; none for a decoder-only model.
        tgt: ids from bos to eos; the decoder reads all but the last, and is to say all but the
            first.
        given: how many of the labels were given, and so are not learnt: a decoder-only model's
            prompt.
    """

    src: list[int]
    tgt: list[int]
    given: int


def read(translator: Translator, correction: Correction) -> Read:
    """The ids of a correction.

    Raises:
        HeadlightError: a text is empty, or longer than the model takes.
    """
    config = translator.config
    src, prompt = translator.read(correction.source)
    target = translator.tgt_tokenizer.encode(correction.target)
    if not translator.tgt_tokenizer.decode(target).strip():
        raise HeadlightError("empty_target", "Type what the sentence should become.")
    tgt = [config.bos_id, *prompt, *target, config.eos_id]
    # The decoder reads a target without its last token.
    translator.check_length(len(tgt) - 1)
    return Read(src, tgt, len(prompt))
