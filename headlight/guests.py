"""Models of Hugging Face's that the page opens with: named to the command, or by a setting."""

import os
import shlex
from collections.abc import Sequence
from importlib.util import find_spec

from transformer import checkpoint
from transformer.checkpoint.importing.as_it_is import fetched
from transformer.errors import HeadlightError
from transformer.serving import Service

SETTING = "HEADLIGHT_MODELS"
"""Names and folders, as one would type them after the command."""

ZERO_GPU = "SPACES_ZERO_GPU"
"""Set on a Space that has a GPU only while it asks for one, in a process that cannot be kept."""

DTYPE = "HEADLIGHT_DTYPE"
"""The setting of the dtype that guests compute in, where the command does not say."""

LIBRARY = "transformers"

DTYPES = ("auto", "float32", "float16", "bfloat16")
"""Dtypes that guests may compute in."""

MISSING = (
    f"models of Hugging Face's need the package {LIBRARY}: "
    'pip install "headlight-attention[app,hub]"'
)


def named_models(arguments: Sequence[str]) -> list[str]:
    """What was named, first to the command, then by the setting.

    Raises:
        ValueError: the setting is no list of names.
    """
    try:
        return [*arguments, *shlex.split(os.environ.get(SETTING, ""))]
    except ValueError as error:
        raise ValueError(f"{SETTING} is a list of names and folders: {error}") from error


def named_dtype(argument: str | None) -> str:
    """What guests compute in, as the command says, or the setting.

    Raises:
        ValueError: the setting is none of them.
    """
    dtype = argument or os.environ.get(DTYPE) or DTYPES[0]
    if dtype not in DTYPES:
        raise ValueError(f"{DTYPE} is {dtype!r}; expected one of {', '.join(DTYPES)}")
    return dtype


def open_models(service: Service, named: Sequence[str]) -> None:
    """Has the page offer these, the first one chosen; of our own, a name chooses it.

    Raises:
        ValueError: one of them is a folder without a model, or a package is missing.
    """
    if find_spec(LIBRARY) is not None:
        service.guests.open = True
        for each in fetched():
            service.guests.add(each.origin)
    for text in named:
        if checkpoint.is_installed(text):
            name = text
        elif find_spec(LIBRARY) is None:
            raise ValueError(MISSING)
        else:
            try:
                name = service.guests.add(text, frozenset(checkpoint.available()))
            except HeadlightError as error:
                raise ValueError(str(error)) from error
        service.chosen = service.chosen or name


def why_not(replicas: int) -> str:
    """Why no guest can be opened here; empty if one can."""
    if replicas > 1:
        return "with --replicas there is no one process in which they would stay in memory"
    if os.environ.get(ZERO_GPU):
        return "ZeroGPU ends every process that computes"
    return ""
