"""Attention of Hugging Face's models, by the interface that transformers offers for it.

One function is registered there, once, under the name "headlight". While nobody in its thread
watches, it does what the model did before; while somebody does, it calls the family's own eager
attention and catches the softmax in it.
"""

import functools
import inspect
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor, nn
from transformers import AttentionInterface, AttentionMaskInterface, masking_utils
from transformers.modeling_utils import ALL_ATTENTION_FUNCTIONS

from ...errors import GuestError
from ...trace.kinds import CausalMask
from .catcher import Softmaxes, hidden
from .points import Points, Watch, watch_under_way

NAME = "headlight"
Attention = tuple[Tensor, Tensor | None]


@dataclass
class Former:
    """What computed the attention of models with one configuration before they were loaded.

    Attributes:
        config: the configuration, which several models may share.
        name: of the attention.
        users: how many models are loaded.
    """

    config: Any
    name: str | None
    users: int = 0


formers: dict[int, Former] = {}
"""Formers by the id of a configuration, which cannot be hashed, while a model with it is loaded."""


def former_of(config: object) -> str:
    """What computed the attention of a model with this configuration; eager if nobody knows."""
    former = formers.get(id(config))
    return (former and former.name) or "eager"


@functools.cache
def eager_of(kind: type[nn.Module]) -> Callable[..., Attention]:
    """A family's own attention, of shapes as `attention`'s: what its forward has as the default."""
    forward: Any = inspect.unwrap(kind.forward)
    name = next(it for it in forward.__code__.co_names if it.endswith("eager_attention_forward"))
    return forward.__globals__[name]


def attention(
    module: nn.Module,
    query: Tensor,
    key: Tensor,
    value: Tensor,
    attention_mask: Tensor | None,
    *args: Any,
    **kwargs: Any,
) -> Attention:
    """Attention as transformers asks for it; through hook points while this thread watches.

    Args:
        module: the attention of a layer.
        query: [batch, head, query, d_head].
        key: [batch, group, key, d_head].
        value: as `key`.
        attention_mask: added to scores, [batch, 1, query, key]; None hides nothing.
        args: further arguments of the family's own function.
        kwargs: further arguments of the family's own function.
    Returns:
        What the heads hand on, [batch, query, head, d_head], and [batch, head, query, key].
    """
    watch = watch_under_way()
    points = watch and watch.enter(module, query.size(-2))
    if watch is None or points is None:
        eager = eager_of(type(module))
        name = "eager" if watch else former_of(getattr(module, "config", None))
        functions: Any = ALL_ATTENTION_FUNCTIONS
        function = functions.get_interface(name, eager)
        return function(module, query, key, value, attention_mask, *args, **kwargs)
    mask = _with_changes(watch, points, query, key, attention_mask)
    value = points.value(value)
    keys = key.size(-2)
    with Softmaxes(lambda _: (points, keys)) as softmaxes:
        attended, weights = eager_of(type(module))(module, query, key, value, mask, *args, **kwargs)
    if softmaxes.caught != 1:
        raise GuestError(
            f"{type(module).__name__} computes {softmaxes.caught} softmaxes where one is expected",
            "guest_undrawn",
            model=type(module).__name__,
        )
    return points.attended(attended.transpose(1, 2)).transpose(1, 2), weights


def _with_changes(
    watch: Watch, points: Points, query: Tensor, key: Tensor, mask: Tensor | None
) -> Tensor | None:
    """The mask with what interventions have made of it, noted if it is asked for."""
    queries, keys = query.size(-2), key.size(-2)
    if points.kind == "decoder_self" and watch.causal != "kept":
        mask = other_mask(watch.causal, queries, keys, query)
    if watch.masks is not None and mask is not None and mask.ndim == 4:
        cells = watch.cells_of(mask, lambda it: _cells(it, queries, keys))
        watch.masks.setdefault((points.kind, points.layer), []).append(cells)
    return mask


def _cells(mask: Tensor, queries: int, keys: int) -> Tensor:
    """What a mask [batch, 1, query, key] lets the first text's rows attend to, [query, key]."""
    cells = mask[0, 0, :, :keys]
    cells = cells if cells.dtype == torch.bool else ~hidden(cells)
    return cells.expand(queries, keys)


def other_mask(causal: CausalMask, queries: int, keys: int, like: Tensor) -> Tensor:
    """A mask to add to scores, that hides nothing, or what comes before: [1, 1, query, key]."""
    mask = like.new_zeros(1, 1, queries, keys)
    if causal == "inverted":
        past = torch.ones(queries, keys, dtype=torch.bool, device=like.device)
        mask = mask.masked_fill(past.tril(keys - queries - 1), torch.finfo(like.dtype).min)
    return mask


def mask_for(*args: Any, **kwargs: Any) -> Tensor | None:
    """The mask as transformers asks for it, in the shape that the attention to be called reads."""
    name = "eager" if watch_under_way() else former_of(kwargs.get("config"))
    functions: Any = masking_utils.ALL_MASK_ATTENTION_FUNCTIONS
    function = functions.get(name, functions["eager"])
    return function(*args, **kwargs)


AttentionInterface.register(NAME, torch.compiler.disable(attention))
AttentionMaskInterface.register(NAME, torch.compiler.disable(mask_for))
