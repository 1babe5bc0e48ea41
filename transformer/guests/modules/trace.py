"""`headlight.trace`'s work: the module is called, watched, and left as it was."""

import threading
from collections.abc import Callable
from operator import index
from typing import Any, cast

import torch
from torch import Tensor, nn

from ...eyes.batches import Batch
from ...eyes.calling import Call, Caller, CallFailed
from ...eyes.state import is_lazy, untouched
from ...trace.guest import Side
from ...trace.trace import AttentionTrace
from ..arguments import is_whole, shortly
from ..tensors import MOST_BYTES, refuse_without_values
from .assembling import Tower, trace_of
from .by_shape import catch_by_shape
from .catching import catch
from .seen import seen_instead
from .slots import learn, lengths_of, record_labelled
from .tables import Caught, Untold
from .whole import record_whole

SHORT = (5, 6)
"""Tokens of source and target in the run that labels them: unlike, so that none is mistaken."""

MOST_LABELLED = 64
"""Tokens of a side that are labelled where no short run can be."""

SHARED = (
    "One softmax runs over source and target: what a row of decoder_self gives to its sink goes to "
    "the source, in cross, and the other way round."
)

SECONDS = 3600.0

_one_at_a_time = threading.RLock()
"""Threads may share a module, which has the hooks of one look at a time."""


def trace_module(
    module: nn.Module,
    src: Tensor,
    tgt: Tensor | None,
    *,
    call: Call | None,
    tokens: dict[Side, object],
    pad_id: int | None,
    kind: Tower | None,
    row: int,
) -> tuple[AttentionTrace, str]:
    """The trace of one text of a batch [batch, …]; arguments as `headlight.trace` has them.

    Returns:
        The trace, and what a reader of its weights must know; "" for nothing.
    Raises:
        TypeError: an argument is of another type.
        ValueError: it cannot be told; the sentence says why, and what to do.
    """
    _require(module, src, tgt, pad_id, kind, row)
    if call is not None and not callable(call):
        raise TypeError(f"call must be a function of the module and its input, not {call!r:.60}")
    row = index(row)
    with torch.inference_mode(False):  # within it, nothing below autograd could be recorded
        batch = Batch(None, src.detach().clone())
        if tgt is not None:
            batch = Batch(src.detach().clone(), tgt.detach().clone())
        with _one_at_a_time, untouched(module) as state:
            caller = Caller(module, state, call, SECONDS)
            caller.settle()
            caught = _caught(caller, batch, row)
    sides: dict[Side, Tensor] = {"tgt": batch.tgt[row].cpu()}
    if batch.src is not None:
        sides = {"src": batch.src[row].cpu(), **sides}
    name = type(module).__name__
    trace = trace_of(
        caught,
        sides,
        tokens,
        pad_id=None if pad_id is None else index(pad_id),
        kind=kind,
        name=f"{name} (a softmax that is changed afterwards)" if caught.changed else name,
        model_class=name,
        computes_in=next((p.dtype for p in module.parameters()), torch.float32),
        row=row,
    )
    return trace, " ".join(filter(None, [caught.changed, SHARED if caught.shared else ""]))


def _caught(caller: Caller, batch: Batch, row: int) -> Caught:
    """The attention of one text, by the first way that tells it."""
    alone = batch.rows([row])
    numbers = [ids for ids in (batch.src, batch.tgt) if ids is not None]
    ways: list[Callable[[], Caught]] = []
    if all(ids.dim() == (3 if ids.is_floating_point() else 2) for ids in numbers):
        lengths = lengths_of(alone)
        if any(lengths[side] > most for side, most in zip(("src", "tgt"), SHORT, strict=True)):
            ways.append(lambda: _in_two_runs(caller, alone))
        if max(lengths["src"], lengths["tgt"]) <= MOST_LABELLED:
            ways.append(lambda: record_whole(caller, alone, 0))
            if len(batch.tgt) > 1:  # a call may hold masks of the whole batch
                ways.append(lambda: record_whole(caller, batch, row))
    if any(ids.is_floating_point() for ids in numbers):
        ways.append(lambda: catch_by_shape(caller, alone))
    reasons: list[Exception] = []
    for way in ways:
        try:
            caught = way()
        except (CallFailed, Untold) as error:
            reasons.append(error)
            continue
        if caught.layers and _hears(caught, batch):
            return caught
    raise _refusal(caller, alone, reasons, bool(ways))


def _hears(caught: Caught, batch: Batch) -> bool:
    """Whether something attends to a source that is no text, whose labels may get lost."""
    if batch.src is None or not batch.src.is_floating_point():
        return True
    return bool(caught.kinds & {"encoder_self", "cross"})


def _in_two_runs(caller: Caller, alone: Batch) -> Caught:
    src = None if alone.src is None else alone.src[:, : SHORT[0]].clone()
    learnt = learn(caller, Batch(src, alone.tgt[:, : SHORT[1]].clone()))
    if not learnt.slots:
        return Caught()
    size = sum(slot.bytes_of(lengths_of(alone)) for slot in learnt.slots)
    if size > MOST_BYTES:
        raise ValueError(f"the weights take {size / 1e9:.1f} GB, more than 1: a shorter text fits")
    return catch(caller, alone, learnt)


def _refusal(caller: Caller, alone: Batch, reasons: list[Exception], labelled: bool) -> ValueError:
    reason = next((it for it in reasons if isinstance(it, Untold)), None)
    ids = "src, tgt" if alone.src is not None else "src"
    if reason is None and reasons and isinstance(reasons[-1], CallFailed):
        return ValueError(
            f"the module could not be called as module({ids}): {reasons[-1]}. If it wants more, "
            f"hand in call=lambda module, {ids}: module({ids}, …)"
        )
    longest = max(lengths_of(alone).values())
    if reason is not None:
        fits = f"; up to {MOST_LABELLED} tokens every one can be followed"
        return ValueError(
            f"its attention cannot be told: {reason}{fits if longest > MOST_LABELLED else ''}"
        )
    if not labelled:
        return ValueError(
            f"its attention cannot be told on {longest} tokens: up to {MOST_LABELLED} every one "
            "can be followed"
        )
    short = Batch(
        None if alone.src is None else alone.src[:, :MOST_LABELLED].clone(),
        alone.tgt[:, :MOST_LABELLED].clone(),
    )
    try:
        graph, _ = record_labelled(caller, short)
    except CallFailed as error:
        return ValueError(f"no attention was found; the module raised {error}")
    return ValueError(
        "no attention was found, that is a softmax over scores of tokens with tokens; what was "
        f"seen instead: {seen_instead(graph)}"
    )


def _require(
    module: object, src: object, tgt: object, pad_id: object, kind: object, row: int
) -> None:
    if not isinstance(module, nn.Module):
        raise TypeError(
            f"module must be a torch.nn.Module, not {type(module).__name__}; a function fits into "
            "a module whose forward calls it"
        )
    if is_lazy(module):
        raise ValueError("some of the module's parameters get their sizes by a first call: call it")
    if any(p.is_meta for p in [*module.parameters(), *module.buffers()]):
        raise ValueError("the module is on the meta device, where weights have no values")
    for name, numbers in (("src", src), ("tgt", tgt)):
        if numbers is None and name == "tgt":
            continue
        if not isinstance(numbers, Tensor):
            raise TypeError(f"{name} must be a tensor, not {type(numbers).__name__}")
        refuse_without_values(numbers, name)
        if numbers.is_complex() or numbers.dtype == torch.bool:
            kind = str(numbers.dtype).removeprefix("torch.")
            raise ValueError(f"{name} holds {kind}; expected ids, or numbers with a fraction")
        if numbers.dim() < 2 or 0 in numbers.shape:
            raise ValueError(
                f"{name} has shape {tuple(numbers.shape)}; expected ids [batch, length], or "
                "numbers [batch, length, feature] or [batch, channel, height, width]"
            )
        if not is_whole(row) or not 0 <= row < len(numbers):
            raise ValueError(f"row={shortly(row)}, but {name} has {len(numbers)} rows")
    if isinstance(tgt, Tensor) and len(cast(Tensor, src)) != len(tgt):
        raise ValueError(f"src and tgt have {len(cast(Any, src))} and {len(tgt)} rows")
    if pad_id is not None and (isinstance(pad_id, bool) or not is_whole(pad_id)):
        raise TypeError(f"pad_id must be the id of padding, a whole number, not {shortly(pad_id)}")
    if kind not in (None, "encoder", "decoder"):
        raise ValueError(f'kind must be "encoder" or "decoder", not {kind!r}')
    if kind is not None and tgt is not None:
        raise ValueError(f"kind={kind!r} is for one tower alone: give its ids and no tgt")
