"""A guest's text written and recorded: inside its own `generate`, or in one pass afterwards."""

from collections.abc import Collection, Sequence
from typing import Any

from ...errors import GuestError, HeadlightError
from ...recording.effects import Means
from ...trace.changes import is_stepwise
from ...trace.interventions import Intervention
from .calling import forward
from .decoding import Request, Written, best, settings_of, start_of, write
from .families import writes
from .learning import Learnt, probe
from .recording import Rows, recorded, watched

MOST_BYTES = 1_000_000_000

FULL = 4
"""Bytes of a number in full precision."""

ALIKE = {False: 0.01, True: 0.3}
"""How far a probability may be from another pass's, in full precision and in half."""


def written_and_recorded(
    model: Any,
    learnt: Learnt,
    request: Request,
    changes: Sequence[Intervention],
    means: Means | None,
    *,
    top_k: int,
    layers: Collection[int] | None,
) -> tuple[Written, Rows]:
    """What a guest writes, and its attention while it does.

    What was recorded while it decoded is what it computed; where the cache does not grow plainly
    (beams, a window, a static one), or a change lets rows see later ones, one pass over the
    finished text is recorded instead.
    """
    settings = settings_of(model, request)
    if not all(map(is_stepwise, changes)):
        with watched(learnt, changes, means, grows=False):
            written = write(model, request, cached=False, top_k=top_k)
    elif (settings.num_beams or 1) > 1:
        with watched(learnt, changes, means):
            written = write(model, request, top_k=top_k)
    else:
        room = request.max_steps - 1
        with recorded(learnt, changes, means, layers=layers, room=room) as rows:
            written = write(model, request, top_k=top_k)
        if rows.plain:
            return written, rows
    rows, output = passed(model, learnt, request.ids, written.read, changes, means, layers=layers)
    if all(map(is_stepwise, changes)):
        _check_alike(model, written, output)
    return written, rows


def check_writing(model: Any, learnt: Learnt, tokenizer: Any) -> None:
    """Refuses a model that writes two tokens otherwise than it reads them, as questions have it.

    Raises:
        HeadlightError: a candidate's probability is another one.
    """
    if not writes(model, learnt.form):
        return
    ids = tuple(map(int, probe(model)["input_ids"][0]))
    try:
        written = write(model, Request(ids, max_steps=2, tokenizer=tokenizer))
    except HeadlightError:
        return  # what cannot be written is told whoever asks for it
    if model.generation_config.pad_token_id in written.read[written.given :]:
        return  # what stands at padding is read otherwise, but may never be written again
    _check_alike(model, written, forward(model, arguments(learnt, ids, written.read)))


def _check_alike(model: Any, written: Written, output: Any) -> None:
    """Refuses what one pass over the finished text computes otherwise than a model that wrote it.

    Raises:
        HeadlightError: a candidate's probability is another one.
    """
    shares = output.logits[0].float().softmax(-1)
    steps = enumerate(written.candidates)
    off = max(
        (abs(float(shares[at, it]) - p) for at, step in steps for it, p, _ in step), default=0
    )
    if off > ALIKE[next(model.parameters()).element_size() < FULL]:
        raise GuestError(
            f"{type(model).__name__} computes otherwise in one pass over the finished text than "
            f"while it wrote (a probability differs by {off:.2g}), so what it attended to "
            "meanwhile is not known: its positions or its window are not the same in both",
            "guest_undrawn",
            model=type(model).__name__,
        )


def forced_and_recorded(
    model: Any,
    learnt: Learnt,
    request: Request,
    target: Sequence[int],
    changes: Sequence[Intervention],
    means: Means | None,
    *,
    top_k: int,
    layers: Collection[int] | None,
) -> tuple[Written, Rows]:
    """A target that is given, every token of it forced, and the attention of one pass over it."""
    two_towers = learnt.form == "encoder-decoder"
    begun = [start_of(model, request)] if two_towers else list(request.ids)
    if request.forced is not None and target[0] != request.forced:
        begun.append(request.forced)
    tokens = [*begun, *target]
    rows, output = passed(model, learnt, request.ids, tokens[:-1], changes, means, layers=layers)
    logits = None if not top_k or not writes(model, learnt.form) else output.logits[0]
    candidates = tuple(
        () if logits is None else best(logits[at], tokens[at + 1], top_k)
        for at in range(len(tokens) - 1)
    )
    written = Written(tuple(tokens[:-1]), tuple(tokens[1:]), len(tokens) - 1, candidates, (), "eos")
    return written, rows


def read_and_recorded(
    model: Any,
    learnt: Learnt,
    ids: Sequence[int],
    changes: Sequence[Intervention],
    means: Means | None,
    *,
    layers: Collection[int] | None,
) -> tuple[Written, Rows]:
    """What a decoder without a head reads, and its attention in one pass over it."""
    rows, _ = passed(model, learnt, ids, ids, changes, means, layers=layers)
    return Written(tuple(ids), (), len(ids), (), (), "max_steps"), rows


def passed(
    model: Any,
    learnt: Learnt,
    ids: Sequence[int],
    read: Sequence[int],
    changes: Sequence[Intervention],
    means: Means | None,
    *,
    layers: Collection[int] | None = None,
) -> tuple[Rows, Any]:
    """One teacher-forced pass over what a decoder read, recorded, and what it returned."""
    with recorded(learnt, changes, means, layers=layers, grows=False) as rows:
        output = forward(model, arguments(learnt, ids, read))
    return rows, output


def arguments(learnt: Learnt, ids: Sequence[int], read: Sequence[int]) -> dict[str, Sequence[int]]:
    """The ids of a pass, by the argument's name."""
    if learnt.form == "encoder-decoder":
        return {"input_ids": ids, "decoder_input_ids": read}
    return {"input_ids": read if learnt.form == "decoder" else ids}


def refuse_cost(learnt: Learnt, src: int, tgt: int, layers: Collection[int] | None) -> None:
    """Refuses more than a gigabyte of weights before they are computed.

    Args:
        learnt: how many heads there are.
        src: the encoder's tokens.
        tgt: the most that the decoder may read.
        layers: those that are kept; None for all.
    Raises:
        HeadlightError: naming what would fit.
    """
    cells = {"encoder_self": src * src, "decoder_self": tgt * tgt, "cross": tgt * src}
    total = size = 0
    for kind, heads in learnt.heads.items():
        total += 4 * sum(heads) * cells[kind]
        chosen = [n for at, n in enumerate(heads) if layers is None or at in layers]
        size += 4 * sum(chosen) * cells[kind]
    if size <= MOST_BYTES:
        return
    depth = max(map(len, learnt.heads.values()))
    fits = int(depth * MOST_BYTES / total)
    way = f"include_layers= with {fits} of {depth} layers, or " if fits else ""
    tokens = f"{max(src, tgt)} tokens"
    shorter = int(max(src, tgt) * (MOST_BYTES / size) ** 0.5)
    raise HeadlightError(
        "guest_too_long",
        f"The weights of {tokens} take {size / 1e9:.1f} GB, more than 1: {way}at most {shorter} "
        "tokens fit (max_steps= counts, too)",
        tokens=max(src, tgt),
        size=round(size / 1e6),
        most=round(MOST_BYTES / 1e6),
    )
