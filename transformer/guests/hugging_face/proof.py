"""The proof that what is drawn of a guest is what it computes, made when it is loaded."""

from dataclasses import dataclass
from math import inf, isfinite
from typing import Any

import numpy as np
from torch import Tensor

from ...errors import GuestError
from ...trace.guest import TOLERANCE, Precision
from ...trace.interventions import Intervention
from ...trace.kinds import KINDS, Kind
from .calling import call
from .learning import Learnt, probe
from .recording import recorded, watched

EXACT: dict[Precision, float] = {"float32": 3e-6, "float16": 2e-3, "bfloat16": 2e-2}
"""How far weights may be from eager's, by what the model computes in."""

MOST = 1.01
"""Above it stands no weight."""

ALIKE: dict[Precision, float] = {"float32": 1e-2, "float16": 0.1, "bfloat16": 0.3}
"""How far outputs may be from those of the model's own attention, as a share of the largest."""

OUTPUTS: dict[Kind, tuple[str, ...]] = {
    "encoder_self": ("encoder_attentions", "attentions"),
    "decoder_self": ("decoder_attentions", "attentions"),
    "cross": ("cross_attentions",),
}


@dataclass(frozen=True)
class Proof:
    """What was found on one short text.

    Attributes:
        eager: the largest difference to what the model's own eager attention returns
            (`output_attentions=True`); None where it returns none.
        sums: how far a row, with its sink, is from 1 at most.
        moved: by how much the outputs move at most where one head is switched off.
    """

    eager: float | None
    sums: float
    moved: float

    def __str__(self) -> str:
        own = "the model returns none to compare with"
        if self.eager is not None:
            own = f"they are the model's own to {self.eager:.1e}"
        return (
            f"Weights are recorded as the model computes: {own}, rows sum to 1 within "
            f"{self.sums:.1e}, and a head that is switched off moves the outputs by "
            f"{self.moved:.1e}."
        )


def prove(model: Any, learnt: Learnt, own: Any, returned: Any, dtype: Precision) -> Proof:
    """Compares what is recorded with what the model returns, and switches a head off.

    Args:
        model: held.
        learnt: what its attention is.
        own: what the probe returned before the model was held.
        returned: what the probe returned with `output_attentions=True` under eager attention.
        dtype: what it computes in.
    Raises:
        HeadlightError: what would be drawn is not what the model computes.
    """
    name = type(model).__name__
    with recorded(learnt) as rows:
        plain = outputs_of(call(model, probe(model)))
    _check_alike(name, outputs_of(own), plain, dtype)
    worst, sums = None, 0.0
    for kind in KINDS:
        numbers = [number for number, heads in enumerate(learnt.heads.get(kind, ())) if heads]
        taken = [rows.taken((kind, number), kind == "decoder_self") for number in numbers]
        seen = [it for it in taken if it is not None]
        for one in seen:
            total = one.weights.sum(-1) + (0 if one.sink is None else one.sink)
            if not np.isfinite(total).all():
                raise not_finite(name, dtype)
            sums = max(sums, float(np.abs(total - 1).max()))
        theirs = _returned(returned, kind)
        if theirs is not None and len(theirs) == len(learnt.heads.get(kind, ())):
            theirs = [theirs[number] for number in numbers]  # MiniMax's others attend linearly
        if theirs is None or len(theirs) != len(seen):
            continue
        for one, own in zip(seen, theirs, strict=True):
            array = own[0].float()
            if array.shape != one.weights.shape:
                continue
            if array.min() < 0 or array.max() > MOST:
                # SqueezeBERT returns scores.
                array = array.softmax(-1)
            worst = max(worst or 0.0, float(np.abs(array.cpu().numpy() - one.weights).max()))
    moved = max(_moved(model, learnt, kind, plain) for kind in learnt.heads)
    if sums > TOLERANCE[dtype]:
        raise _undrawn(name, f"its rows of weights are off 1 by {sums:.2g}")
    if worst is not None and worst > EXACT[dtype]:
        raise _undrawn(
            name,
            f"what was recorded differs by {worst:.2g} from the weights that its own eager "
            "attention returns",
        )
    if not isfinite(moved):
        raise not_finite(name, dtype)
    if not moved:
        raise _undrawn(name, "switching a head off changes nothing that it computes")
    return Proof(worst, sums, moved)


def not_finite(name: str, dtype: str) -> GuestError:
    """The refusal of a model whose weights are damaged, or overflow in what it computes in."""
    why = f"{name} computes numbers in {dtype} that are not finite: its weights are damaged, or too"
    # What bfloat16 has no room for, float32 has none for, either.
    narrow = dtype == "float16"
    return GuestError(
        f'{why} large for that. Try dtype="float32"' if narrow else f"{why} large",
        "guest_overflows" if narrow else "guest_not_finite",
        model=name,
        dtype=dtype,
    )


def _undrawn(name: str, why: str) -> GuestError:
    return GuestError(f"{name} cannot be drawn: {why}", "guest_undrawn", model=name)


def outputs_of(returned: Any) -> Tensor:
    """Logits, or what a model without them hands on: [batch, token, …]."""
    for name in ("logits", "last_hidden_state", "prediction_logits", "pooler_output"):
        output = getattr(returned, name, None)
        if isinstance(output, Tensor):
            return output.detach().float()
    tensors = [it for it in returned.values() if isinstance(it, Tensor)]
    return tensors[0].detach().float()


def _check_alike(name: str, own: Tensor, recorded: Tensor, dtype: Precision) -> None:
    """Refuses a model whose fused attention masks otherwise than its eager one."""
    # A vocabulary's tokens that are never written may be at minus infinity.
    written = own != -inf
    off = float((own - recorded)[written].abs().max())
    largest = float(own[written].abs().max())
    if not isfinite(off):
        raise not_finite(name, dtype)
    if off > ALIKE[dtype] * largest:
        raise _undrawn(
            name,
            f"with its own attention (fused, which shows no weights) its outputs differ by "
            f"{off:.2g} from those of its eager attention, of {largest:.2g} at most. Load it with "
            'attn_implementation="eager" and hand it in to see the latter',
        )


def _moved(model: Any, learnt: Learnt, kind: Kind, plain: Tensor) -> float:
    layer = next(number for number, heads in enumerate(learnt.heads[kind]) if heads)
    with watched(learnt, [Intervention(kind, layer, 0, "zero")], grows=False):
        changed = outputs_of(call(model, probe(model)))
    return float((changed - plain)[plain != -inf].abs().max())


def _returned(returned: Any, kind: Kind) -> list[Tensor] | None:
    for name in OUTPUTS[kind]:
        by_layer = getattr(returned, name, None)
        if by_layer:
            tensors: list[Any] = [it for it in by_layer if it is not None]
            return [it for it in tensors if isinstance(it, Tensor) and it.ndim == 4]
    return None
