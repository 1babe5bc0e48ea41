"""Interventions of a guest, by the same hooks as ours."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

from ...errors import HeadlightError
from ...recording.effects import Hook, Means, Where, attention_hooks
from ...recording.hooks import attached
from ...trace.changes import causal_mask_of
from ...trace.interventions import Intervention
from ...trace.kinds import KINDS
from .learning import Learnt
from .points import watch_under_way

OURS_ALONE = {
    "residual": "what a layer adds is not known of other libraries' models",
    "scale": "what divides the scores is not known of other libraries' models",
    "positions": "where positions enter is not known of other libraries' models",
    "mixed": "how heads are cut is not known of other libraries' models",
}


@dataclass(frozen=True)
class Sizes:
    """How large a guest is, as far as one kind of attention goes: see `kinds.Sizes`."""

    decoder_only: bool
    num_encoder_layers: int
    num_decoder_layers: int
    num_heads: int


def check_change(change: Intervention, learnt: Learnt, src_length: int, name: str) -> None:
    """Refuses what this guest cannot have.

    Raises:
        HeadlightError: naming what there is, or why it cannot be done.
    """
    if why := OURS_ALONE.get(change.effect):
        raise _refused(change, f"cannot be done to {name}: {why}")
    within = learnt.ordinals is None
    if change.effect in ("causal", "inverted"):
        if "decoder_self" not in learnt.heads:
            raise _refused(change, f"cannot be done to {name}: it has no causal mask")
        if not within:
            raise _refused(
                change,
                f"cannot be done to {name}: its attention lies outside transformers' interface, "
                "where nobody hands in a mask",
            )
    if change.effect == "mean" and not within:
        raise _refused(
            change,
            f"cannot be done to {name}: its attention lies outside transformers' interface, where "
            "what a head hands on is not seen",
        )
    if change.kind is None:
        return
    heads = learnt.heads.get(change.kind)
    if not heads:
        raise _refused(change, f"is outside this model, which has {', '.join(learnt.heads)} alone")
    depth = {kind: len(learnt.heads.get(kind, ())) for kind in KINDS}
    sizes = Sizes(
        learnt.form == "decoder",
        depth["encoder_self"],
        depth["decoder_self"],
        max(heads) if change.layer is None else heads[min(change.layer, len(heads) - 1)],
    )
    change.check(sizes, src_length)


@contextmanager
def changed(
    learnt: Learnt, changes: Sequence[Intervention], means: Means | None = None
) -> Iterator[None]:
    """Changes what a guest's heads attend to, in this thread, while the block runs.

    Args:
        learnt: what its attention is.
        changes: checked before.
        means: by kind [layer, head, d_head], mean outputs for the heads that are to have them.
    """
    every = [points for places in learnt.layout.values() for points in places]
    hooks: list[Hook] = [
        hook
        for change in changes
        for points in every
        if change.kind in (None, points.kind) and change.layer in (None, points.layer)
        for hook in attention_hooks(points, (points.kind, points.layer), change, _place, means)
    ]
    hooks.sort(key=lambda hook: hook.turn)
    watch = watch_under_way()
    assert watch is not None
    watch.causal = causal_mask_of(changes)
    with attached([(it.module, it.run) for it in reversed(hooks)], prepend=True):
        yield


def _place() -> Where | None:
    watch = watch_under_way()
    return None if watch is None else Where(slice(None), watch.first)


def _refused(change: Intervention, why: str) -> HeadlightError:
    return HeadlightError("bad_intervention", f"{change} {why}", intervention=str(change))
