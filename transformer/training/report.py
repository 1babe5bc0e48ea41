"""What a run tells the person who started it, as it goes."""

from collections.abc import Iterator, Mapping, Sequence

from ..decoding import decode
from ..translator import Translator
from .history import Pair
from .progress import duration
from .recipe import Recipe

FORECAST_AFTER = 20
"""Steps after which the time that a run will take can be told."""


def forecast(recipe: Recipe, step: int, seconds_a_step: float) -> str:
    """How long the rest takes, without the measurements."""
    time = duration((recipe.steps - step) * seconds_a_step)
    return f"At this speed the {recipe.steps - step:,} steps to go take {time}."


def measurement(row: Mapping[str, float]) -> str:
    """One measurement, in a line."""
    return "  ".join(f"{name} {value:g}" for name, value in row.items())


def samples(
    translator: Translator, pairs: Sequence[Pair], translations: Mapping[str, str]
) -> Iterator[str]:
    """A few dev sentences with their translations; or, of a language model, with what it adds.

    Args:
        translator: its model in evaluation mode.
        pairs: what to show.
        translations: of the pairs' sources; a language model has none.
    """
    tokenizer = translator.tokenizer
    for pair in pairs:
        if translator.config.decoder_only:
            beginning = tokenizer.encode(pair["target"])[: len(pair["tgt_out"]) // 3 or 1]
            [hypothesis] = decode(translator.model, None, prefix=beginning, top_k=0)
            whole = tokenizer.decode(hypothesis.ids)
            begun = tokenizer.decode(beginning)
            yield f"    {begun} → {whole.removeprefix(begun)}"
        else:
            yield f"    {pair['source']} → {translations[pair['source']]}"
