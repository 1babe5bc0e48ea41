"""The hub that is asked, and what goes wrong on the way to it, each in one sentence."""

import os
from collections.abc import Iterator
from contextlib import contextmanager

from ...errors import HeadlightError
from .proxies import proxy_problem, spare_loopback

SECONDS = 20
"""How long the hub may stay silent."""


def endpoint() -> str | None:
    """$HF_ENDPOINT, read at each question; None is the Hugging Face Hub's own."""
    return (os.environ.get("HF_ENDPOINT") or "").rstrip("/") or None


@contextmanager
def hub_errors(model: str) -> Iterator[None]:
    """Says what goes wrong between here and the hub in one sentence."""
    from huggingface_hub.errors import (
        HFValidationError,
        OfflineModeIsEnabled,
        RemoteEntryNotFoundError,
        RepositoryNotFoundError,
        RevisionNotFoundError,
    )
    from huggingface_hub.utils import httpx

    spare_loopback()  # a mirror may be on this machine
    if problem := proxy_problem():
        raise unreachable(model, problem)
    try:
        yield
    except (
        HFValidationError,
        RemoteEntryNotFoundError,
        RepositoryNotFoundError,
        RevisionNotFoundError,
    ) as error:
        raise no_such_model(model, _first_line(error)) from error
    except (OfflineModeIsEnabled, httpx.HTTPError, httpx.StreamError) as error:
        raise unreachable(model, _first_line(error)) from error
    except HeadlightError:
        raise
    # The sign-in page of a network, or a hub that tells what it should not.
    except (ValueError, TypeError, LookupError, AttributeError) as error:
        raise unreachable(model, "what answers there is no hub") from error


def unreachable(model: str, reason: str) -> HeadlightError:
    """No network, or a hub that is busy or down; another call goes on where this one ended."""
    return HeadlightError(
        "hub_unreachable",
        f"the Hugging Face Hub did not give {model}: {reason}",
        model=model,
        reason=reason,
    )


def no_such_model(model: str, reason: str) -> HeadlightError:
    """The error that nobody has such a model there, or not for everybody."""
    return HeadlightError(
        "no_such_model", f"the Hugging Face Hub has no model {model}: {reason}", model=model
    )


def unknown_family(model: str, reason: str) -> HeadlightError:
    """The error of a model that is on the hub and cannot be imported."""
    return HeadlightError(
        "unknown_family", f"{model} cannot be imported: {reason}", model=model, reason=reason
    )


def _first_line(error: Exception) -> str:
    return str(error).strip().partition("\n")[0] or type(error).__name__
