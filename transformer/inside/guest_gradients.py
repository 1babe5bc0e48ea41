"""Gradients of a guest at its embedded words, and how long what its heads move is."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor

from ..ask.passes import check_step
from ..errors import HeadlightError
from ..trace.kinds import Kind
from ..trace.packing import Weights, read_only
from ..trace.trace import AttentionTrace
from ..trace.words import Word, word_texts
from .gradients import INTERVALS, READINGS, TOKENS, Gradients, integrate, rows_by_word
from .guest_passes import Scored, refuse_unseen_values, scored, words_and_pieces
from .value_norms import ValueNorms

if TYPE_CHECKING:
    from ..guests.hugging_face.guest import HuggingFaceModel

WORST_GAP = 0.5
"""The gap, as a share of the way, up to which integrated gradients are told."""

Array = npt.NDArray[np.float64]


def gradients(
    guest: "HuggingFaceModel", trace: AttentionTrace, step: int, token: int | None = None
) -> Gradients:
    """Input × gradient and integrated gradients of a guest's words: see `gradients.gradients`.

    Integrated gradients are left out where the way from no words has no slopes that add up to it.
    Of an encoder, a step is one of its hidden tokens, counted from 0.

    Raises:
        HeadlightError: there is no such step.
    """
    one = scored(guest, trace)
    if guest.form == "encoder":
        if not 0 <= step < len(one.ids):
            raise HeadlightError(
                "bad_step", f"there is no step {step}: they count from 0 to {len(one.ids) - 1}"
            )
    else:
        check_step(trace, step)
    words, pieces = words_and_pieces(trace)
    last = len(trace.src) if trace.src else step + 1
    fixed = set(one.rows) if guest.form == "encoder" else set[int]()
    indices = [at for at, it in enumerate(pieces) if it[-1] < last and not fixed & {*it}]
    words, pieces = tuple(words[at] for at in indices), tuple(pieces[at] for at in indices)
    path = _Path(guest, trace, one, step, token, pieces)
    values, slopes = path.at(np.linspace(0, 1, INTERVALS + 1))
    summed, gap = integrate(values, slopes)
    # RMSNorm has no slope at a zero vector: the way from there says nothing.
    readings = READINGS if abs(gap) < WORST_GAP else READINGS[:1]
    rows = read_only(np.stack((slopes[-1], summed))[: len(readings)])
    size = len(trace.src)
    prefix = path.prefix if size else pieces
    texts = word_texts(trace.tgt_in, prefix) if size else words
    return Gradients(
        step=step,
        emitted=one.says[step],
        other=None if token is None else guest.texts.labels([token]).shown[0],
        readings=readings,
        source_words=words if size else (),
        source_pieces=pieces if size else (),
        prefix_words=texts,
        prefix_pieces=prefix,
        source=rows_by_word(rows[:, :size], pieces if size else ()),
        prefix=rows_by_word(rows[:, size:], prefix),
        value=float(values[-1]),
        baseline=float(values[0]),
        gap=gap,
    )


class _Path:
    """The path from a guest's text without its words to the text."""

    def __init__(
        self,
        guest: "HuggingFaceModel",
        trace: AttentionTrace,
        one: Scored,
        step: int,
        token: int | None,
        pieces: Sequence[Word],
    ) -> None:
        from ..guests.hugging_face.calling import forward
        from ..guests.hugging_face.towers import embeddings_replaced

        self._guest, self._trace, self._step = guest, trace, step
        self._ids = one.ids[step], token
        self._row = one.rows[step]
        self._arguments = dict(one.arguments)
        name = "decoder_input_ids" if "decoder_input_ids" in one.arguments else "input_ids"
        if guest.form != "encoder":
            self._arguments[name] = one.arguments[name][: step + 1]
        with guest.changed(trace.interventions), embeddings_replaced(guest.model, []) as seen:
            forward(guest.model, self._arguments)
        words = trace.guest.words.get("tgt") if trace.guest is not None else None
        labels = (words or [0] * len(trace.tgt_in))[: step + 1]
        numbers = [it for it in dict.fromkeys(labels) if it is not None]
        groups = [[at for at, it in enumerate(labels) if it == n and at] for n in numbers]
        # What a decoder starts with is no word.
        self.prefix: tuple[Word, ...] = tuple(tuple(it) for it in groups if it)
        movable: list[Sequence[Word]] = [pieces, self.prefix]
        self._sides: list[tuple[Tensor, Tensor]] = []
        for vectors, words in zip(seen, movable, strict=False):
            moves = torch.zeros(vectors.size(1), 1, device=vectors.device, dtype=vectors.dtype)
            moves[[at for word in words for at in word]] = 1
            self._sides.append((vectors, moves))

    def at(self, points: Array) -> tuple[Array, Array]:
        """The value [point], and the slope along the path [point, token], source then prefix."""
        size = max(1, TOKENS // sum(vectors.size(1) for vectors, _ in self._sides))
        parts = [self._some(points[i : i + size]) for i in range(0, len(points), size)]
        values, slopes = zip(*parts, strict=True)
        return np.concatenate(values), np.concatenate(slopes)

    def _some(self, points: Array) -> tuple[Array, Array]:
        from ..guests.hugging_face.calling import forward, token_logits
        from ..guests.hugging_face.towers import embeddings_replaced

        model, entered = self._guest.model, list[Tensor]()
        for vectors, moves in self._sides:
            scale = torch.from_numpy(points).to(vectors)[:, None, None]
            entered.append((vectors * (1 - moves * (1 - scale))).requires_grad_())
        with (
            torch.enable_grad(),
            self._guest.changed(self._trace.interventions),
            embeddings_replaced(model, entered),
        ):
            output = forward(model, self._arguments, rows=len(points), gradients=True)
            value = self._value(token_logits(output)[:, self._row].float())
            slopes = torch.autograd.grad(value.sum(), entered)
        along = [
            (slope * vectors * moves).sum(-1)
            for slope, (vectors, moves) in zip(slopes, self._sides, strict=True)
        ]
        parts = torch.cat(along, 1).double().cpu().numpy()
        return value.detach().double().cpu().numpy(), parts

    def _value(self, logits: Tensor) -> Tensor:
        emitted, other = self._ids
        if other is None:
            return logits.log_softmax(-1)[:, emitted]
        return logits[:, emitted] - logits[:, other]


def value_norms(guest: "HuggingFaceModel", trace: AttentionTrace) -> ValueNorms:
    """A guest's weights times the lengths of what they carry: see `value_norms.value_norms`.

    Raises:
        HeadlightError: its values, or where they are projected, are not known.
    """
    from ..guests.hugging_face.towers import output_weights

    refuse_unseen_values(guest)
    recording = guest.record(trace, ("value",))
    norms: dict[Kind, dict[int, Weights]] = {}
    for module, places in guest.learnt.layout.items():
        for points in places:
            layers = trace.layers(points.kind)
            weights = None if layers is None else layers[points.layer]
            if weights is None:
                continue
            value = recording.of_layer(points.kind, "value", points.layer)[0]
            heads = len(weights)
            value = value.repeat_interleave(heads // value.size(0), 0)
            output = output_weights(guest.model, module, heads * value.size(-1))
            split = output.view(output.size(0), heads, -1)
            moved = torch.einsum("hkd,mhd->hkm", value, split)
            lengths = moved.float().square().sum(-1).sqrt().cpu().numpy()
            norms.setdefault(points.kind, {})[points.layer] = weights * lengths[:, None]
    stacked = {
        kind: read_only(np.stack([layers[at] for at in sorted(layers)]))
        for kind, layers in norms.items()
    }
    return ValueNorms(
        trace=trace,
        encoder_self=stacked.get("encoder_self"),
        decoder_self=stacked.get("decoder_self"),  # pyright: ignore[reportArgumentType]
        cross=stacked.get("cross"),
    )
