"""Arguments of a guest's trace that cannot be, each told before anything is computed."""

from collections.abc import Collection
from numbers import Integral
from typing import Any, cast

from ...errors import HeadlightError
from .learning import Learnt


def check_arguments(
    learnt: Learnt,
    vocab: int,
    *,
    source: Any,
    target: Any,
    prefix: Any,
    max_steps: int,
    hidden: Any,
    include_layers: Collection[int] | None,
) -> None:
    """Refuses arguments of another type, or outside the model; named as `trace` names them.

    Args:
        learnt: how many layers there are.
        vocab: how many ids.
        source: what follows, as it was handed in.
        target: a text, or None.
        prefix: ids.
        max_steps: 1 at least.
        hidden: numbers of tokens.
        include_layers: numbers of layers, or None.
    Raises:
        HeadlightError: naming the argument, and what was expected.
    """
    texts: list[Any] = [source]
    if isinstance(source, tuple) and len(cast(tuple[Any, ...], source)) == 2:
        texts = [*cast(tuple[Any, ...], source)]
    if not all(isinstance(it, str) for it in texts):
        raise _refused(f"source is {source!r:.60}; expected a text, or a pair of texts (a tuple)")
    if target is not None and not isinstance(target, str):
        raise _refused(f"target is {target!r:.60}; expected a text")
    if max_steps < 1:
        raise _refused(f"max_steps={max_steps}; expected 1 or more")
    if isinstance(hidden, int | str):
        raise _refused(f"hidden is {hidden!r}; expected numbers of tokens, such as [3]")
    if wrong := [it for it in prefix if not isinstance(it, Integral) or not 0 <= int(it) < vocab]:
        raise _refused(f"prefix has {wrong[0]!r} in it; expected ids, 0 to {vocab - 1}")
    if include_layers is not None:
        depth = max(map(len, learnt.heads.values()))
        if not include_layers or any(not 0 <= it < depth for it in include_layers):
            raise _refused(
                f"include_layers is {[*include_layers]}; expected some of the {depth} layers, "
                "counted from 0"
            )


def _refused(why: str) -> HeadlightError:
    return HeadlightError("guest", why)
