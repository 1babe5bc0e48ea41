"""The representative heads of a model, measured over many sentences, into its card."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from ..checkpoint.card import write_card
from ..inside.statistics import statistics_over
from ..trace.attended import Attended
from ..trace.head_names import RepresentativeHead
from ..trace.kinds import Kind
from ..trace.representative import aligning_head, clearest_head
from ..translator import Translator
from .lexicon import link_probabilities


def representative_heads_over(observed: Sequence[Attended]) -> dict[Kind, RepresentativeHead]:
    """The representative head of each kind over these sentences: `clearest_head`, `aligning_head`.

    Args:
        observed: what a model attended to; at least one sentence.
    """
    return {
        kind: aligning_head(observed, link_probabilities)
        if kind == "cross"
        else clearest_head(of_kind)
        for kind, of_kind in statistics_over(observed).present()
    }


def as_card(heads: Mapping[Kind, RepresentativeHead]) -> dict[str, dict[str, Any]]:
    """The "heads" of a checkpoint's card: what `read_representative_heads` reads."""
    return {
        kind: {name: value for name, value in head.payload().items() if value is not None}
        for kind, head in heads.items()
    }


def measure_by_examples(folder: Path) -> None:
    """Names, in its card, the representative heads of a checkpoint that comes without data.

    They are measured on what the model makes of its card's examples.

    Raises:
        CheckpointError: the checkpoint is broken.
    """
    translator = Translator.load(folder)
    traces = [translator.trace(text) for text in translator.card.get("examples", [])]
    if traces:
        write_card(folder, {**translator.card, "heads": as_card(representative_heads_over(traces))})
