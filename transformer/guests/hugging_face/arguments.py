"""Arguments of a guest's trace that cannot be, each told before anything is computed."""

from collections.abc import Collection
from numbers import Integral
from typing import Any, cast

from ...errors import GuestError
from ...trace.interventions import Intervention
from ...trace.sampling import Sampling
from .learning import Learnt


def check_arguments(
    learnt: Learnt,
    vocab: int | None,
    *,
    source: Any,
    target: Any,
    prefix: Any,
    interventions: Any,
    max_steps: Any,
    top_k: Any,
    sampling: Any,
    hidden: Any,
    include_layers: Any,
) -> None:
    """Refuses arguments of another type, or outside the model; named as `trace` names them.

    Args:
        learnt: how many layers there are.
        vocab: how many ids; None where nobody knows.
        source: what follows, as it was handed in.
        target: a text, or None.
        prefix: ids.
        interventions: as data or as texts.
        max_steps: 1 at least.
        top_k: 0 at least.
        sampling: how to draw, or None.
        hidden: numbers of tokens.
        include_layers: numbers of layers, or None.
    Raises:
        HeadlightError: naming the argument, and what was expected.
    """
    check_source(source)
    if target is not None and not isinstance(target, str):
        raise GuestError(f"target is {target!r:.60}; expected a text")
    check_number("max_steps", max_steps, 1)
    check_number("top_k", top_k, 0)
    if sampling is not None and not isinstance(sampling, Sampling):
        raise GuestError(f"sampling is {sampling!r:.60}; expected Sampling(seed=1), say, or None")
    if not _lists(hidden, Integral):
        raise GuestError(f"hidden is {hidden!r:.60}; expected numbers of tokens, such as [3]")
    if not _lists(interventions, str | Intervention):
        raise GuestError(
            f'interventions is {interventions!r:.60}; expected a list, such as ["cross.L2H4=zero"]'
        )
    if not _lists(prefix, object):
        raise GuestError(f"prefix is {prefix!r:.60}; expected a list of ids")
    most = vocab or 2**31
    if wrong := [it for it in prefix if not isinstance(it, Integral) or not 0 <= int(it) < most]:
        why = f"prefix has {wrong[0]!r} in it; expected ids, 0 to {most - 1}"
        raise GuestError(why, "bad_prefix")
    if include_layers is not None:
        depth = max(map(len, learnt.heads.values()))
        listed = _lists(include_layers, Integral) and [*include_layers]
        if not listed or any(not 0 <= it < depth for it in listed):
            raise GuestError(
                f"include_layers is {listed or include_layers!r:.60}; expected some of the "
                f"{depth} layers, counted from 0"
            )


def check_source(source: Any) -> None:
    """Refuses what is no text, and no pair of texts.

    Raises:
        HeadlightError: saying what was expected.
    """
    texts: list[Any] = [source]
    if isinstance(source, tuple) and len(cast(tuple[Any, ...], source)) == 2:
        texts = [*cast(tuple[Any, ...], source)]
    if not all(isinstance(it, str) for it in texts):
        raise GuestError(f"source is {source!r:.60}; expected a text, or a pair of texts (a tuple)")


def check_number(name: str, number: Any, least: int) -> None:
    """Refuses what is no whole number, or less than it may be.

    Raises:
        HeadlightError: naming it.
    """
    if not isinstance(number, Integral) or int(number) < least:
        raise GuestError(f"{name}={number!r}; expected {least} or more")


def _lists(values: Any, kind: Any) -> bool:
    """Whether something is a collection of these, and no text."""
    if isinstance(values, str) or not isinstance(values, Collection):
        return False
    return all(isinstance(it, kind) for it in cast(Collection[Any], values))
