"""What an analysis needs of a model, and what a model offers."""

from collections.abc import Collection, Mapping
from typing import Literal, get_args

from ..errors import HeadlightError
from ..translator import Translator

Need = Literal["cross", "steps", "states", "gradients", "training_text"]
"""Cross-attention; tokens written one after the other; states after every layer;
gradients; text that the model has learnt from."""

NEEDS: tuple[Need, ...] = get_args(Need)

CODES: Mapping[Need, str] = {
    "cross": "no_encoder",
    "training_text": "no_training_text",
}
"""By need, the error's code where a model does not offer it, if not "not_offered"."""

REASONS: Mapping[Need, str] = {
    "cross": "it has no encoder, and so no cross-attention",
    "steps": "it writes no tokens one after the other",
    "states": "nobody recorded the states after its layers",
    "gradients": "it has no gradients here",
    "training_text": "no line that it has learnt from lies here",
}


def check_needs(needs: Collection[Need], translator: Translator) -> None:
    """Refuses a model that does not offer all of these.

    Raises:
        HeadlightError: naming the model and the first need that it does not offer.
    """
    for need in NEEDS:
        if need in needs and need not in translator.offers:
            sentence = f"{translator.name} cannot be asked this: {REASONS[need]}."
            if (code := CODES.get(need)) is not None:
                raise HeadlightError(code, sentence)
            raise HeadlightError("not_offered", sentence)
