"""Modules for `headlight.trace`: the checker's corpus and transformers' families, each with the
weights that its own softmaxes gave, seen above autograd.
"""

import math
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import permutations
from typing import Any

import torch
from torch import Tensor, nn
from torch.overrides import TorchFunctionMode

import headlight
from tests.checker import architectures
from tests.checker.mutations import FILES, Mutation, correct_models
from transformer.trace.kinds import KINDS
from transformer.trace.trace import AttentionTrace

SOFTMAXES = {"softmax", "_softmax", "softmax_"}


@dataclass(frozen=True)
class Case:
    """A module to trace.

    Attributes:
        name: for people.
        build: makes it.
        call: as `headlight.trace` takes it.
        kind: "encoder", "decoder" or "encoder-decoder".
    """

    name: str
    build: Callable[[], nn.Module]
    call: Callable[..., Any] | None
    kind: str

    def inputs(self, length: int) -> tuple[Tensor, Tensor | None]:
        """Two texts without padding, of ids that the corpus knows."""
        generator = torch.Generator().manual_seed(length)
        src = torch.randint(3, 23, (2, length + 1), generator=generator)
        tgt = torch.randint(3, 23, (2, length), generator=generator)
        tgt[:, 0] = 1
        if self.kind == "encoder-decoder":
            return src, tgt
        return (src if self.kind == "encoder" else tgt), None


class Above(TorchFunctionMode):
    """Every softmax's result as the module's own code gets it, before anything below autograd."""

    def __init__(self) -> None:
        super().__init__()
        self.seen: list[Tensor] = []

    def __torch_function__(
        self, func: Any, types: Any, args: tuple[Any, ...] = (), kwargs: Any = None
    ) -> Any:
        kwargs = kwargs or {}
        name = getattr(func, "__name__", "")
        if name == "multi_head_attention_forward":
            kwargs = {**kwargs, "need_weights": True, "average_attn_weights": False}
            out = func(*args, **kwargs)
            self.seen.append(out[1])
            return out
        out = func(*args, **kwargs)
        if name in SOFTMAXES:
            self.seen.append(out)
        elif name == "scaled_dot_product_attention":
            self.seen.append(explicit(*args, **kwargs))
        elif name in {"div", "__truediv__", "true_divide", "div_", "__itruediv__"}:
            if isinstance(out, Tensor) and out.dim() > 1:
                self.seen.append(out.clone())
        return out


def explicit(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    attn_mask: Tensor | None = None,
    dropout_p: float = 0.0,
    is_causal: bool = False,
    scale: float | None = None,
    enable_gqa: bool = False,
) -> Tensor:
    """What `scaled_dot_product_attention` multiplies the values by, as its documentation says."""
    del value, dropout_p
    if enable_gqa:
        key = key.repeat_interleave(query.size(-3) // key.size(-3), -3)
    scores = query @ key.mT * (1 / math.sqrt(query.size(-1)) if scale is None else scale)
    if is_causal:
        shape = scores.shape[-2:]
        scores = scores.masked_fill(torch.ones(shape).triu(1).bool(), -torch.inf)
    if attn_mask is not None:
        hides = attn_mask.dtype == torch.bool
        scores = scores.masked_fill(~attn_mask, -torch.inf) if hides else scores + attn_mask
    return scores.softmax(-1)


def of_checker() -> Iterator[Case]:
    """The correct models of the checker's corpus."""
    for file in FILES:
        for model in correct_models(file):
            module = model.module()

            def build(model: Mutation = model) -> nn.Module:
                torch.manual_seed(0)
                own = model.module()
                return own.build(**own.OPTIONS[model.option]).eval()

            yield Case(model.name, build, getattr(module, "call", None), module.KIND)


def of_transformers() -> Iterator[Case]:
    """Transformers' families, with random weights."""
    calls: dict[str, Callable[..., Any]] = {
        "decoder": lambda module, ids: module(input_ids=ids, use_cache=False).logits,
        "encoder": lambda module, ids: module(ids, attention_mask=torch.ones_like(ids)).logits,
        "pair": lambda module, src, tgt: (
            module(
                input_ids=src,
                attention_mask=torch.ones_like(src),
                decoder_input_ids=tgt,
                use_cache=False,
            ).logits
        ),
    }
    for form, name in architectures.ALL:

        def build(form: str = form, name: str = name) -> nn.Module:
            return architectures.build(form, name)

        kind = "encoder-decoder" if form == "pair" else form
        yield Case(f"{name} ({form})", build, calls[form], kind)


def traced(case: Case, length: int, row: int = 0) -> tuple[AttentionTrace, list[Tensor]]:
    """The trace of one text, and what the module's softmaxes gave for it."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        module = case.build()
        src, tgt = case.inputs(length)
        trace = headlight.trace(module, src, tgt, call=case.call, row=row)
        above = Above()
        fast = torch.backends.mha.get_fastpath_enabled()
        torch.backends.mha.set_fastpath_enabled(False)
        try:
            with torch.no_grad(), above:
                ids = [it[row : row + 1] for it in (src, tgt) if it is not None]
                module(*ids) if case.call is None else case.call(module, *ids)
        finally:
            torch.backends.mha.set_fastpath_enabled(fast)
    return trace, above.seen


def furthest(trace: AttentionTrace, seen: list[Tensor]) -> float:
    """How far the weights of any head are from the nearest head that a softmax gave."""
    worst = 0.0
    for kind in KINDS:
        for layer in trace.layers(kind) or ():
            assert layer is not None
            tables = [
                it
                for tensor in seen
                if tensor.dim() > 1
                for it in _readings(tensor, *layer.shape[1:])
            ]
            for head in layer:
                near = [_distance(torch.from_numpy(head.copy()), table) for table in tables]
                worst = max(worst, min(near, default=math.inf))
    return worst


def _readings(tensor: Tensor, rows: int, columns: int) -> Iterator[Tensor]:
    """Its numbers as [head, query, key], in every order of axes in which so many tokens fit."""
    values = tensor.detach().float().nan_to_num(nan=0.0)
    for axes in permutations(range(values.dim()), 2):
        turned = values.movedim(axes, (-2, -1))
        height, width = turned.shape[-2:]
        if width < columns or height < rows:
            continue
        whole = turned.reshape(-1, height, width)
        yield whole
        if height % rows == 0 and height > rows:
            yield whole.unflatten(1, (-1, rows)).flatten(0, 1)
            yield whole.unflatten(1, (rows, -1)).transpose(1, 2).flatten(0, 1)
    # Of windows along diagonals, [batch, query, head, place]: key = query + place - side.
    side, odd = divmod(values.size(-1), 2)
    if values.dim() == 4 and odd and rows == columns <= values.size(1):
        bands = values[:, :rows].transpose(1, 2).flatten(0, 1)
        table = bands.new_zeros(len(bands), rows, rows + 2 * side)
        keys = torch.arange(rows)[:, None] + torch.arange(2 * side + 1)
        yield table.scatter(2, keys.expand(len(bands), -1, -1), bands)[..., side : side + rows]


def _distance(head: Tensor, tables: Tensor) -> float:
    """From one head to the nearest table, or to the nearest corner of one that is larger."""
    best = math.inf
    rows, columns = head.shape
    for down in range(tables.size(1) - rows + 1):
        for right in range(tables.size(2) - columns + 1):
            cells = tables[:, down : down + rows, right : right + columns]
            best = min(best, float((cells - head).abs().amax((1, 2)).min()))
    return best


CASES = [*of_checker(), *of_transformers()]
