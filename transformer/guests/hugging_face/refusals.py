"""Why a model of transformers cannot be loaded, as a sentence."""

import re
from collections.abc import Callable, Iterable
from typing import Any

from transformers.utils import is_protobuf_available

from ...errors import GuestError, HeadlightError

NUMBERED = re.compile(r"(.*?\D)(\d+)\.")
"""The beginning of a weight's name: of which layers, and of which of them."""

MISFITS = (ArithmeticError, AttributeError, LookupError, TypeError)
"""What libraries raise over a configuration whose values are none that they expect."""


def result_of(name: str, ask: Callable[[], Any], what: str = "a model") -> Any:
    """What the library gives.

    Args:
        name: of the model.
        ask: the library.
        what: is asked for.
    Raises:
        HeadlightError: it gives nothing, and why.
    """
    try:
        return ask()
    except HeadlightError:
        raise
    except Exception as error:
        misfits = isinstance(error, MISFITS) or type(error).__name__.startswith("StrictDataclass")
        if what == "a model" and (misfits or "ignore_mismatched_sizes" in str(error)):
            why = " ".join(str(error).split())[:200]
            raise unlike(
                f"{name} cannot be loaded as a model: its config.json does not fit its weights, or "
                f"what transformers reads in it ({why})",
                name,
            ) from error
        if "tiktoken" in str(error) and not is_protobuf_available():
            # Its reason is logged alone, and another one raised.
            raise GuestError(
                f"{name} has a tokenizer of SentencePiece, which transformers reads with another "
                "package: pip install protobuf"
            ) from error
        if "backend tokenizer" in str(error):
            lacks = f"{name} comes without a tokenizer that can be read: hand one in (tokenizer=)"
            raise GuestError(lacks, "no_tokenizer", model=name) from error
        raise GuestError(_sentence(name, what, error)) from error


def unlike(sentence: str, name: str) -> GuestError:
    """The refusal of a model whose configuration and weights are not one another's."""
    return GuestError(sentence, "guest_unlike", model=name)


def beyond_layers(model: Any, keys: Iterable[str]) -> list[str]:
    """Those names of weights that lie past a model's layers, of which its configuration has fewer.

    Args:
        model: of transformers.
        keys: the names for which it has no place.
    """
    depths: dict[str, int] = {}
    start = f"{model.base_model_prefix}."
    for match in filter(None, map(NUMBERED.match, model.state_dict())):
        layers = match[1].removeprefix(start)
        depths[layers] = max(depths.get(layers, 0), int(match[2]))
    found = filter(None, map(NUMBERED.match, sorted(keys)))
    return [
        it.string
        for it in found
        if (layers := it[1].removeprefix(start)) in depths and int(it[2]) > depths[layers]
    ]


def _sentence(name: str, what: str, error: Exception) -> str:
    chain, kinds = error, set[str]()
    text = str(error)
    while chain is not None:
        kinds |= {it.__name__ for it in type(chain).__mro__}
        text += str(chain)
        chain = chain.__cause__ or chain.__context__
    if "GatedRepoError" in kinds:
        return (
            f"{name} is gated: accept its terms on https://huggingface.co/{name}, and hand in "
            "token=, or log in with `hf auth login`"
        )
    if "trust_remote_code" in text or "custom code" in text:
        return (
            f"{name} brings code of its own, which is never run here: load it with transformers, "
            "if you trust it, and hand the model in"
        )
    if "Weights only load failed" in text:
        return (
            f"{name}: its weights are a pickle with more in it than tensors, which is never run: "
            "they have to be saved as safetensors"
        )
    if "RepositoryNotFoundError" in kinds or "not a valid model identifier" in text:
        return (
            f"{name}: neither a model of ours, nor a folder, nor a model on the Hub (a private one "
            "needs token=)"
        )
    if "ConnectionError" in kinds or "LocalEntryNotFoundError" in kinds or "offline" in text:
        return (
            f"{name}: the Hub cannot be reached, and {what} of this name is not in the cache on "
            "this machine"
        )
    if "RevisionNotFoundError" in kinds:
        return f"{name} has no such revision"
    if "TransportError" in kinds:  # of the library that fetches, in all its releases
        return f"{name}: the download of {what} broke off; asked again, it goes on"
    first = str(error).strip().splitlines() or [type(error).__name__]
    return f"{name} cannot be loaded as {what}: {first[0][:300]}"
