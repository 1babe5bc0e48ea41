"""Why a model of transformers cannot be loaded, as a sentence."""

import re
from collections.abc import Callable, Iterable
from typing import Any

from transformers.utils import is_protobuf_available

from ...errors import GuestError, HeadlightError
from .impossible import empty, impossible, mistyped

NUMBERED = re.compile(r"(.*?\D)(\d+)\.")
"""The beginning of a weight's name: of which layers, and of which of them."""

MISFITS = (ArithmeticError, AttributeError, LookupError, TypeError)
"""What libraries raise over a configuration whose values are none that they expect."""

CONFIG = "config.json"
PACKAGE = re.compile(r"install ([\w-]+)")
FAMILY = re.compile(r"model type `(.{1,60}?)`")

MARKS = {
    "guest_family": ("does not recognize this architecture",),
    "guest_file": ("is not a valid JSON file", "Should have a `model_type` key"),
    "guest_weights": ("Error no file named", "No such file or directory"),
}
"""By the code of what the page says, parts of the library's own sentences."""

UNREAD = {"SafetensorError", "UnpicklingError", "EOFError", "BadZipFile"}
"""What is raised over damaged weights."""

MISBUILT = (ValueError, RuntimeError, AssertionError)
"""What a model's own code raises as it is put together."""


def result_of(name: str, ask: Callable[[], Any], what: str = "a model", config: Any = None) -> Any:
    """What the library gives.

    Args:
        name: of the model.
        ask: the library.
        what: is asked for.
        config: the model's, which may be why.
    Raises:
        HeadlightError: it gives nothing, and why.
    """
    try:
        return ask()
    except Exception as error:
        own = isinstance(error, HeadlightError)
        why_not = empty if own else impossible
        if config is not None and (reason := why_not(name, config)):
            raise reason from error
        if own:
            raise
        misfits = isinstance(error, MISFITS) or type(error).__name__.startswith("StrictDataclass")
        if what == "a model" and (misfits or "ignore_mismatched_sizes" in str(error)):
            if reason := mistyped(name, str(error)):
                raise reason from error
            why = " ".join(str(error).split())[:200]
            raise unlike(
                f"{name} cannot be loaded as a model: its config.json does not fit its weights, or "
                f"what transformers reads in it ({why})",
                name,
            ) from error
        if package := _package(error):
            raise GuestError(
                f"{name} has {what} that transformers reads with another package: "
                f"pip install {package}",
                "guest_package",
                model=name,
                package=package,
            ) from error
        if "backend tokenizer" in str(error):
            lacks = f"{name} comes without a tokenizer that can be read: hand one in (tokenizer=)"
            raise GuestError(lacks, "no_tokenizer", model=name) from error
        sentence, code = _sentence(name, what, error)
        if code == "guest" and config is not None and isinstance(error, MISBUILT):
            code = "guest_memory" if "memory" in sentence else "guest_unlike"
        raise GuestError(sentence, code, **_details(name, code, error)) from error


def _package(error: Exception) -> str | None:
    """The package that the library lacks; None where it is not for one that it raises."""
    if "tiktoken" in str(error) and not is_protobuf_available():
        return "protobuf"  # its reason is logged alone, and another one raised
    lacking = PACKAGE.search(str(error)) if isinstance(error, ImportError) else None
    return lacking and lacking[1]


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
    matches = filter(None, map(NUMBERED.match, sorted(keys)))
    return [
        it.string
        for it in matches
        if (layers := it[1].removeprefix(start)) in depths and int(it[2]) > depths[layers]
    ]


def _details(name: str, code: str, error: Exception) -> dict[str, str]:
    """What the page's own sentence of this code names."""
    details = {} if code == "guest" else {"model": name}
    if code == "guest_file":
        details["file"] = CONFIG
    if code == "guest_family":
        family = FAMILY.search(str(error))
        details["family"] = family[1] if family else "?"
    return details


def _sentence(name: str, what: str, error: Exception) -> tuple[str, str]:
    """Why, in English, and the code of what the page says."""
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
        ), "guest"
    if "trust_remote_code" in text or "custom code" in text:
        return (
            f"{name} brings code of its own, which is never run here: load it with transformers, "
            "if you trust it, and hand the model in"
        ), "guest_code"
    if "Weights only load failed" in text:
        return (
            f"{name}: its weights are a pickle with more in it than tensors, which is never run: "
            "they have to be saved as safetensors"
        ), "guest_weights"
    if "RepositoryNotFoundError" in kinds or "not a valid model identifier" in text:
        return (
            f"{name}: neither a model of ours, nor a folder, nor a model on the Hub (a private one "
            "needs token=)"
        ), "no_such_model"
    if "ConnectionError" in kinds or "LocalEntryNotFoundError" in kinds or "offline" in text:
        return (
            f"{name}: the Hub cannot be reached, and {what} of this name is not in the cache on "
            "this machine"
        ), "hub_unreachable"
    if "RevisionNotFoundError" in kinds:
        return f"{name} has no such revision", "no_such_model"
    if "TransportError" in kinds:  # of the library that fetches, in all its releases
        return (
            f"{name}: the download of {what} broke off; asked again, it goes on",
            "hub_unreachable",
        )
    first = str(error).strip().splitlines() or [type(error).__name__]
    sentence = f"{name} cannot be loaded as {what}: {first[0][:300]}"
    if what == "a tokenizer":
        return sentence, "no_tokenizer"
    codes = (code for code, marks in MARKS.items() if any(it in text for it in marks))
    unread = "guest_weights" if kinds & UNREAD else "guest"
    return sentence, next(codes, unread)
