"""What a finished course is good for: the student's own model translates, and learns."""

import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from .. import checkpoint
from ..errors import HeadlightError
from ..texts import Language
from ..trace.trace import AttentionTrace
from . import process
from .examination import Examiner
from .exercises import EXERCISES
from .folder import MODEL
from .wording import Words

TIME_LIMIT = 120.0
"""Seconds for a translation, without a cache."""

TRAINING_LIMIT = 600.0
"""Seconds for the training, which takes less than one minute on a laptop."""


def graduate(
    model: str,
    source: str,
    folder: str | Path = ".",
    language: Language | None = None,
) -> AttentionTrace:
    """Translates a sentence with the student's own code and a shipped model's weights.

    Args:
        model: "reverse", "en-zh" or another encoder-decoder checkpoint as the paper's.
        source: what to translate.
        folder: the student's, every exercise in it right.
        language: of what is said.
    Returns:
        A trace whose every weight the student's `attention` computed: `trace.save("mine.html")`
        opens it in the viewer.
    Raises:
        HeadlightError: an exercise is not right yet, the model is built otherwise, or the
            student's translation is another than the shipped code's.
    """
    words = _require_all(Path(folder), language)
    checkpoint.find(model)
    with tempfile.TemporaryDirectory() as place:
        file = str(Path(place) / "trace.npz")
        answer = process.run(
            "graduate", Path(folder), MODEL, TIME_LIMIT, model=model, source=source, file=file
        )
        _done(words, answer)
        return AttentionTrace.load(file)


@dataclass(frozen=True)
class Learned:
    """What a student's own model has learnt.

    Attributes:
        share: of unseen words that it spells backwards without a mistake, 0 to 1.
        seconds: that the training took.
        losses: at every tenth step, in nats.
        text: the same in a sentence.
    """

    share: float
    seconds: float
    losses: tuple[float, ...]
    text: str

    def __str__(self) -> str:
        return self.text

    __repr__ = __str__


def learn(
    folder: str | Path = ".",
    language: Language | None = None,
    show: Callable[[str], None] = print,
) -> Learned:
    """Has the student's own model learn to spell words of up to six letters backwards.

    Args:
        folder: the student's, every exercise in it right.
        language: of what is said.
        show: is told, now and then, how far it is.
    Raises:
        HeadlightError: an exercise is not right yet, or something went wrong on the way.
    """
    words = _require_all(Path(folder), language)

    def far(values: dict[str, Any]) -> None:
        show(words.text("learning", **values))

    outcome = _done(words, process.run("learn", Path(folder), "training", TRAINING_LIMIT, far))
    share = round(100 * outcome["share"])
    text = words.text(
        "learned", share=share, count=outcome["count"], seconds=round(outcome["seconds"])
    )
    return Learned(outcome["share"], outcome["seconds"], tuple(outcome["losses"]), text)


def _require_all(folder: Path, language: Language | None) -> Words:
    examiner = Examiner(folder, language)
    for exercise in EXERCISES:
        verdict = examiner.verdict(exercise)
        if not verdict.right:
            sentence = f"{examiner.words.text('not_yet', exercise)} {verdict}"
            raise HeadlightError("not_yet", sentence, title=verdict.title)
    return examiner.words


def _done(words: Words, answer: process.Answer) -> Any:
    if not answer.remarks:
        return answer.result
    [remark] = answer.remarks
    raise HeadlightError(remark.code, words.remark(remark))
