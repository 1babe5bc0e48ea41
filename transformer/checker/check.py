"""`check`: the one function of this room."""

from typing import Literal, cast

from torch import Tensor, nn

from .batches import Batch
from .calling import Call, Caller
from .examination import Examination, examine
from .inside.shadow import distinct
from .probes.loss import Loss
from .report import Report
from .results import Recorded, Seen
from .state import untouched
from .verdicts import as_list, decide
from .wording import Words

ROWS = 4  # of the user's batch: enough to see padding, cheap for a large model


def check(
    module: nn.Module,
    src: Tensor,
    tgt: Tensor | None = None,
    *,
    pad_id: int = 0,
    call: Call | None = None,
    loss: Loss | None = None,
    language: str = "en",
) -> Report:
    """Examines a Transformer that somebody wrote, by its behaviour, and says what is wrong.

    The module is left exactly as it was found. `check(module, ids)` examines a language model.

    Args:
        module: any `torch.nn.Module`.
        src: int64 [batch, src], padded as in training; for a language model its ids.
        tgt: int64 [batch, tgt], the decoder's input; None for a language model.
        pad_id: the token that fills batches up.
        call: `call(module, src, tgt)` (or `call(module, ids)`) → logits or log-probabilities,
            where the module wants more than that, such as masks.
        loss: `loss(module, src, tgt)` (or `loss(module, ids)`) → the training loss, a scalar,
            where that is to be examined too.
        language: "en" or "zh".
    Returns:
        What was found, what could not be judged, and what was measured.
    Raises:
        TypeError: `src` or `tgt` is not a tensor of whole numbers.
        ValueError: a shape is not [batch, length], or the language is unknown.
    """
    words = Words(language)
    for name, ids in (("src", src), ("tgt", tgt)):
        if ids is not None:
            _require_ids(name, ids)
    if tgt is not None and len(src) != len(tgt):
        raise ValueError(f"src has {len(src)} rows and tgt {len(tgt)}; they must be as many")
    own = _choose_rows(Batch(None, src) if tgt is None else Batch(src, tgt), pad_id)
    with untouched(module) as state:
        module.eval()
        caller = Caller(module, state, call)
        examination, irrelevant = examine(caller, own, pad_id, loss)
        clues, unknown = decide(examination, irrelevant)
    return Report(
        findings=words.findings(clues),
        unknown=unknown,
        problems=tuple(examination.problems),
        language=language,
        model=type(module).__name__,
        seen=_seen(examination),
        attention=_recorded(examination),
    )


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
    found: list[Seen] = []
    positions = _numbers(seen.batch.tgt[0])
    for side, table, ids in (("tgt", seen.tgt, seen.batch.tgt), ("src", seen.src, seen.batch.src)):
        if table is not None and ids is not None:
            shown = table.where(table > seen.noise, 0)
            side = cast(Literal["src", "tgt"], side)
            found.append(Seen(side, _numbers(ids[0]), positions, as_list(shown)))
    return tuple(found)


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
