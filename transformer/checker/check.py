"""`check`: the one function of this room."""

import copy
from contextlib import suppress
from typing import Literal, cast

import torch
from torch import Tensor, nn

from ..eyes.batches import Batch, distinct
from ..eyes.calling import Call, Caller, CallFailed
from ..eyes.state import ModuleState, is_lazy, untouched
from .basis.clues import Reason
from .examination import Examination, examine
from .gates import closed, named, opened
from .locations import located
from .probes.loss import Loss
from .report import Report
from .results import Recorded, Seen, as_list
from .verdicts import Verdict, decide
from .wording import Words

ROWS = 4  # of the user's batch: enough to see padding, cheap for a large model
OF_EVAL = {"dropout_in_eval", "positions_not_reset"}
Kind = Literal["encoder", "decoder"]


def check(
    module: nn.Module,
    src: Tensor,
    tgt: Tensor | None = None,
    *,
    pad_id: int = 0,
    call: Call | None = None,
    loss: Loss | None = None,
    kind: Kind | None = None,
    language: str = "en",
    seconds: float = 30.0,
) -> Report:
    """Examines a Transformer that somebody wrote, by its behaviour, and says what is wrong.

    The module is left exactly as it was found. `check(module, ids)` examines a language model.

    Args:
        module: any `torch.nn.Module`.
        src: int64 [batch, src], padded as in training; for one tower alone its ids.
        tgt: int64 [batch, tgt], the decoder's input; None for one tower alone.
        pad_id: the token that fills batches up.
        call: `call(module, src, tgt)` (or `call(module, ids)`) → logits or log-probabilities,
            where the module wants more than that, such as masks.
        loss: `loss(module, src, tgt)` (or `loss(module, ids)`) → the training loss, a scalar,
            where that is to be examined too.
        kind: what one tower alone is: "decoder" (a language model, if nothing is said) or
            "encoder", which may look ahead.
        language: "en", "zh" or "fr".
        seconds: how long one call of the module may take.
    Returns:
        What was found, what could not be judged, and what was measured.
    Raises:
        TypeError: `module` is no module, or `src` or `tgt` is not a tensor of whole numbers.
        ValueError: a shape is not [batch, length], a name is unknown, or the module's weights have
            no values.
    """
    words = Words(language)
    _require_module(module)
    for name, ids in (("src", src), ("tgt", tgt)):
        if ids is not None:
            _require_ids(name, ids)
    if tgt is not None and len(src) != len(tgt):
        raise ValueError(f"src has {len(src)} rows and tgt {len(tgt)}; they must be as many")
    _require_plan(pad_id, kind, tgt)
    with torch.inference_mode(False):  # within it, nothing below autograd could be recorded
        batch = Batch(None, src.clone(), kind == "encoder")
        if tgt is not None:
            batch = Batch(src.clone(), tgt.clone())
        with untouched(module) as state:
            caller = Caller(module, state, call, seconds)
            if is_lazy(module):
                caller = _of_a_built_copy(caller, batch)
            examination, verdict = _examine(caller, _choose_rows(batch, pad_id), pad_id, loss)
    return Report(
        findings=tuple(located(f, c, module) for f, c in words.findings(verdict.clues)),
        unknown=tuple(verdict.unknown),
        problems=tuple(examination.problems),
        language=language,
        model=type(module).__name__,
        seen=_seen(examination),
        attention=_recorded(examination),
        reasons={code: words.reason(reason) for code, reason in verdict.unknown.items()},
        notes=words.notes(verdict.notes),
        judged=verdict.judged,
        unexamined=words.unexamined(verdict.unexamined),
    )


def _of_a_built_copy(caller: Caller, batch: Batch) -> Caller:
    """The same of a copy that has had its first call, which gave its parameters their sizes."""
    module = copy.deepcopy(caller.module)
    with suppress(CallFailed):  # the examination meets it again, and tells
        Caller(module, ModuleState(module), caller.call, caller.seconds).returned(batch)
    return Caller(module, ModuleState(module), caller.call, caller.seconds)


def _examine(
    caller: Caller, own: Batch, pad_id: int, loss: Loss | None
) -> tuple[Examination, Verdict]:
    """Examines a module as it is; with its gates opened, if nothing gets through to the logits."""
    examination, verdict = _examine_modes(caller, own, pad_id, loss)
    gates = closed(caller.module) if _is_deaf(verdict) else {}
    if gates:
        with opened(list(gates.values())):
            again, second = _examine_modes(caller, own, pad_id, loss)
        if not _is_deaf(second):
            second.notes.append(Reason("gates_opened", {"names": named(gates)}))
            examination, verdict = again, second
    if caller.printed.lines:
        printed = caller.printed
        verdict.notes.append(Reason("printed", {"lines": printed.lines, "first": printed.first}))
    return examination, verdict


def _is_deaf(verdict: Verdict) -> bool:
    """Whether the source, or any token, leaves the logits as they are."""
    reasons = (verdict.unexamined, verdict.unknown.get("memory_ignored"))
    faint = any(reason is not None and reason.name in {"silent", "too_faint"} for reason in reasons)
    return faint or "memory_ignored" in verdict.codes


def _examine_modes(
    caller: Caller, own: Batch, pad_id: int, loss: Loss | None
) -> tuple[Examination, Verdict]:
    """Examines in `eval()`; where the future is seen there, also in `train()`, dropout silenced.

    Some decoders mask in training alone, as they are given the past alone afterwards.
    """
    caller.settle()
    examination = examine(caller, own, pad_id, loss)
    verdict = decide(examination)
    if "future_leak" in verdict.codes:
        still = caller.still
        caller.training = caller.still = True
        caller.settle()
        again = examine(caller, own, pad_id, loss)
        second = decide(again)
        caller.training, caller.still = False, still
        caller.settle()
        if again.shapes is not None and "future_leak" not in {*second.codes, *second.unknown}:
            chance = [c for c in verdict.clues if c.code in OF_EVAL]
            second.clues += [c for c in chance if c.code not in second.codes]
            second.notes.append(Reason("masks_in_train"))
            examination, verdict = again, second
    return examination, verdict


def _require_module(module: object) -> None:
    if not isinstance(module, nn.Module):
        raise TypeError(
            f"module must be a torch.nn.Module, not {type(module).__name__}; a function fits into "
            "a module whose forward calls it"
        )
    if any(p.is_meta for p in [*module.parameters(), *module.buffers()]):
        raise ValueError(
            "the module is on the meta device, where weights have no values: build it on the CPU, "
            'or give it values with module.to_empty(device="cpu") and its initialisation'
        )


def _require_plan(pad_id: object, kind: object, tgt: Tensor | None) -> None:
    if isinstance(pad_id, bool) or not isinstance(pad_id, int):
        raise TypeError(
            f"pad_id must be the id of the padding token, a whole number, not {pad_id!r}; where "
            "there is no padding, name an id that never occurs in your data"
        )
    if kind not in {None, "encoder", "decoder"}:
        raise ValueError(f'kind must be "encoder" or "decoder", not {kind!r}')
    if kind is not None and tgt is not None:
        raise ValueError(f"kind={kind!r} is for one tower alone: give its ids and no tgt")


def _require_ids(name: str, ids: object) -> None:
    if not isinstance(ids, Tensor) or ids.is_floating_point():
        kind = ids.dtype if isinstance(ids, Tensor) else type(ids).__name__
        raise TypeError(f"{name} must be a tensor of token ids (int64), not {kind}")
    if ids.dim() != 2 or 0 in ids.shape:
        raise ValueError(f"{name} must have the shape [batch, length], not {tuple(ids.shape)}")


def _choose_rows(own: Batch, pad_id: int) -> Batch:
    ids = own.tgt if own.src is None else own.src
    order = (ids == pad_id).sum(1).argsort(descending=True, stable=True)[:ROWS]
    return own.rows(distinct(order))


def _seen(examination: Examination) -> tuple[Seen, ...]:
    seen = examination.seen
    if seen is None or not seen.usable:
        return ()
    tables: list[Seen] = []
    positions = _numbers(seen.batch.tgt[0])
    for side, table, ids in (("tgt", seen.tgt, seen.batch.tgt), ("src", seen.src, seen.batch.src)):
        if table is not None and ids is not None:
            signal = table.where(table > seen.noise, 0)
            side = "src" if examination.encoder_only else cast(Literal["src", "tgt"], side)
            tables.append(Seen(side, _numbers(ids[0]), positions, as_list(signal)))
    return tuple(tables)


def _numbers(ids: Tensor) -> tuple[int, ...]:
    return tuple(cast(list[int], ids.tolist()))


def _recorded(examination: Examination) -> tuple[Recorded, ...]:
    if examination.inside is None:
        return ()
    return tuple(
        Recorded(
            attention.place,
            attention.kind,
            attention.layer + 1,
            tuple(as_list(table) for table in attention.used[attention.sentence == 0]),
        )
        for attention in examination.inside.attentions
    )
