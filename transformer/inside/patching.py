"""What a part of the model carries: one part's output from another sentence, and the answer moves.

Activation patching: run sentence A, but put into it what one head, sublayer or position computed
while the model read sentence B.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, cast

import numpy as np
import torch
from torch import Tensor, nn

from ..errors import HeadlightError
from ..recording.hooks import LayerSite, attached, attention_modules
from ..recording.kinds import KINDS, Kind
from ..recording.packing import Weights, read_only
from ..recording.trace import AttentionTrace
from ..translator import Translator
from .analysis import Result, analysis
from .options import Perhaps, Text, WholeNumber
from .passes import as_traced, check_step, chunks, src_of, tgt_of, without_banned

if TYPE_CHECKING:
    from plotly.graph_objects import Figure

Tower = Literal["encoder", "decoder"]
Index = tuple[int | slice, ...]

MOST_CHARACTERS = 2_000

LEAST = 0.05
"""Nats that two answers must lie apart for a share of the way to mean something."""


@dataclass(frozen=True, kw_only=True, eq=False)
class Patching(Result):
    """How far each part of B, put into A's run, moves A's answer toward B's.

    Every number is (d − d_A) / (d_B − d_A), d being ln p(A's token) − ln p(B's token) at the step:
    0 is A's own answer, 1 is B's; beyond 1, or below 0, is possible. Both decoders have read A's
    tokens, so that what differs is the source (of a decoder-only model, its text).

    Attributes:
        source, donor: the two texts.
        step: from 0.
        answer, donor_answer: labels of what A and B say there.
        steps: those at which B, having read the same, says something else: any of them can be
            asked about.
        donor_answers: labels of what it says there.
        difference, donor_difference: d_A and d_B, nats.
        src, donor_src: labels of the tokens that were read; of a decoder-only model `tgt_in`.
        tgt_in: labels of what the decoder had read, up to the step.
        heads: by kind, float32 [layer, head]: the head's output at every position.
        sublayers: by tower, float32 [layer, sublayer]: all that a sublayer adds; in the encoder
            self-attention, feed-forward, in the decoder self-attention, cross-attention (if it has
            one), feed-forward.
        positions: by tower, float32 [layer, position]: what a layer hands on at one position.

    It shows that a part is enough to carry a difference, here, between these two sentences; not
    that no other part carries it, too, nor what it means. What a later part would have put right
    is put right (backup heads).

    Source: Vig et al. 2020 (causal mediation); Meng et al. 2022, "Locating and Editing Factual
    Associations in GPT"; Wang et al. 2022, "Interpretability in the Wild" (the measure).
    """

    source: str
    donor: str
    step: int
    answer: str
    donor_answer: str
    steps: tuple[int, ...]
    donor_answers: tuple[str, ...]
    difference: float
    donor_difference: float
    src: tuple[str, ...]
    donor_src: tuple[str, ...]
    tgt_in: tuple[str, ...]
    heads: Mapping[Kind, Weights]
    sublayers: Mapping[Tower, Weights]
    positions: Mapping[Tower, Weights]

    def figure(self) -> "Figure":
        """A map layers × heads for each kind, on one diverging scale."""
        from ..show.maps import head_maps

        title = f"How far each head of “{self.donor}” moves {self.answer} to {self.donor_answer}"
        return head_maps(dict(self.heads), title, "share of the way")


def _passes(trace: AttentionTrace) -> int:
    """Heads, positions and sublayers."""
    heads = sum(weights.shape[0] * weights.shape[1] for _, weights in trace.present())
    layers = sum(weights.shape[0] for _, weights in trace.present())
    return heads + 2 * layers + layers * max(len(trace.src), len(trace.tgt_in))


@analysis(_passes, donor=Text(MOST_CHARACTERS), step=Perhaps(WholeNumber()))
def patching(
    translator: Translator, trace: AttentionTrace, donor: str, step: int | None = None
) -> Patching:
    """Puts every head, sublayer and position of another sentence into a trace's run, in turn.

    Args:
        translator: whose model made the trace.
        trace: A; whatever was changed in it stays changed, in B too.
        donor: B, as many tokens long: `swaps` offers some.
        step: from 0; by default the first at which B, having read the same, says something else.
    Raises:
        HeadlightError: B has another length, says the same everywhere, or there is no such step.
    """
    if step is not None:
        check_step(trace, step)
    run = _Run(translator, trace, donor)
    others = run.answers()
    at = next(iter(others), None) if step is None else step
    if at is None or at not in others:
        raise HeadlightError(
            "same_answer", "Of both sentences the model says the same there: choose others."
        )
    label = translator.tgt_tokenizer.piece
    with torch.inference_mode(), as_traced(translator, trace):
        maps = run.maps(at, (trace.tgt_ids[at], others[at]))
    return Patching(
        source=trace.source,
        donor=donor,
        step=at,
        answer=label(trace.tgt_ids[at]),
        donor_answer=label(others[at]),
        steps=tuple(others),
        donor_answers=tuple(map(label, others.values())),
        difference=maps.ends[0],
        donor_difference=maps.ends[1],
        src=trace.src or trace.tgt_in[: run.given + 1],
        donor_src=run.labels,
        tgt_in=trace.tgt_in[: at + 1],
        heads=maps.heads,
        sublayers=maps.sublayers,
        positions=maps.positions,
    )


@dataclass(frozen=True)
class _Maps:
    ends: tuple[float, float]
    heads: dict[Kind, Weights]
    sublayers: dict[Tower, Weights]
    positions: dict[Tower, Weights]


@dataclass(frozen=True)
class _Place:
    """A part: of a module's output [batch, …], what `index` picks of a row."""

    module: nn.Module
    index: Index


class _Run:
    """Both runs, and those between them."""

    def __init__(self, translator: Translator, trace: AttentionTrace, donor: str) -> None:
        self.translator, self.trace = translator, trace
        config, ids = translator.config, translator.tokenizer.encode(donor)
        alone = config.decoder_only
        own = len(translator.tokenizer.encode(trace.source)) if alone else len(trace.src_ids) - 1
        if len(ids) != own:
            raise HeadlightError(
                "other_length",
                f"The other sentence has {len(ids)} tokens, and this one {own}: a part has its "
                "place, so both need as many.",
                length=len(ids),
                limit=own,
            )
        self.given = own if alone else 0
        self.src, self.tgt = src_of(translator, trace), tgt_of(translator, trace)
        self.donor_src, self.donor_tgt = self.src, self.tgt.clone()
        device = translator.device
        if alone:
            size = min(own, self.tgt.size(1) - 1)
            self.donor_tgt[0, 1 : 1 + size] = torch.tensor(ids[:size], device=device)
            labels = [translator.tgt_tokenizer.piece(config.bos_id)]
            self.labels = (*labels, *translator.tgt_tokenizer.pieces(ids))
        else:
            self.donor_src = torch.tensor([[*ids, config.eos_id]], device=device)
            self.labels = tuple(translator.tokenizer.pieces([*ids, config.eos_id]))

    def answers(self) -> dict[int, int]:
        """The ids of what B says, by the step, where A says something else and is moved by B."""
        with torch.inference_mode(), as_traced(self.translator, self.trace):
            model = self.translator.model
            ours, theirs = (
                without_banned(self.translator, model.decode(tgt, model.encode(src))[0])
                for src, tgt in ((self.src, self.tgt), (self.donor_src, self.donor_tgt))
            )
        own = self.trace.tgt_ids
        said = cast(list[int], theirs.argmax(-1).tolist())
        found: dict[int, int] = {}
        for t in range(self.given, len(own)):
            a, b = (row[t, own[t]] - row[t, said[t]] for row in (ours, theirs))
            if said[t] != own[t] and abs(float(b - a)) >= LEAST:
                found[t] = said[t]
        return found

    def maps(self, at: int, answers: tuple[int, int]) -> _Maps:
        """The share of the way for every part."""
        self.tgt, self.donor_tgt = self.tgt[:, : at + 1], self.donor_tgt[:, : at + 1]
        heads, sublayers, positions = self._heads(), self._sublayers(), self._positions()
        groups = [*heads.values(), *sublayers.values(), *positions.values()]
        places = [place for group in groups for layer in group for place in layer]
        kept: dict[nn.Module, Tensor] = {}
        with attached((module, _keep(kept)) for module in {place.module for place in places}):
            [theirs] = self._differences(self.donor_src, self.donor_tgt, answers, 1)
        [ours] = self._differences(self.src, self.tgt, answers, 1)
        moved: list[float] = []
        for rows in chunks(self.translator, len(places), 64):
            part = [places[row] for row in rows]
            with attached(_patches(part, kept)):
                moved += self._differences(self.src, self.tgt, answers, len(part))
        shares = iter((np.array(moved) - ours) / (theirs - ours))

        def shaped(group: Sequence[Sequence[_Place]]) -> Weights:
            return read_only(np.array([[next(shares) for _ in layer] for layer in group]))

        return _Maps(
            (ours, theirs),
            {kind: shaped(group) for kind, group in heads.items()},
            {tower: shaped(group) for tower, group in sublayers.items()},
            {tower: shaped(group) for tower, group in positions.items()},
        )

    def _differences(
        self, src: Tensor, tgt: Tensor, answers: tuple[int, int], rows: int
    ) -> list[float]:
        """How much likelier A's token is than B's at the last position, nats, a row each."""
        model = self.translator.model
        memory = model.encode(src.expand(rows, -1))
        read = None if model.encoder is None else memory
        state = model.decoder.states(tgt.expand(rows, -1), read)[:, -1:]
        logits = model.decoder.output(state)[:, 0].double()
        return (logits[:, answers[0]] - logits[:, answers[1]]).tolist()

    def _heads(self) -> dict[Kind, list[list[_Place]]]:
        found: dict[Kind, list[list[_Place]]] = {}
        for (kind, _), module in attention_modules(self.translator.model).items():
            heads = [_Place(module.attended, (head,)) for head in range(module.num_heads)]
            found.setdefault(kind, []).append(heads)
        return {kind: found[kind] for kind in KINDS if kind in found}

    def _sublayers(self) -> dict[Tower, list[list[_Place]]]:
        names = ("self_attention", "cross_attention", "feed_forward")
        return {
            tower: [
                [_Place(getattr(layer, n), (slice(None),)) for n in names if hasattr(layer, n)]
                for layer in layers
            ]
            for tower, layers, _ in self._towers()
        }

    def _positions(self) -> dict[Tower, list[list[_Place]]]:
        site: LayerSite = "output"
        return {
            tower: [[_Place(getattr(layer, site), (p,)) for p in range(size)] for layer in layers]
            for tower, layers, size in self._towers()
        }

    def _towers(self) -> Iterator[tuple[Tower, Sequence[nn.Module], int]]:
        model = self.translator.model
        if model.encoder is not None:
            yield "encoder", model.encoder.layers, self.src.size(1)
        yield "decoder", model.decoder.layers, self.tgt.size(1)


def _keep(kept: dict[nn.Module, Tensor]) -> Callable[..., None]:
    def keep(module: nn.Module, _args: object, output: Tensor) -> None:
        kept[module] = output

    return keep


def _patches(
    places: Sequence[_Place], kept: Mapping[nn.Module, Tensor]
) -> Iterator[tuple[nn.Module, Callable[..., Tensor]]]:
    """Row i of a batch gets place i from what was kept."""
    rows: dict[nn.Module, list[tuple[int, Index]]] = {}
    for row, place in enumerate(places):
        rows.setdefault(place.module, []).append((row, place.index))
    for module, indices in rows.items():
        yield module, _patch(indices, kept[module])


def _patch(indices: Sequence[tuple[int, Index]], donor: Tensor) -> Callable[..., Tensor]:
    def patch(_module: object, _args: object, output: Tensor) -> Tensor:
        changed = output.clone()
        for row, index in indices:
            changed[(row, *index)] = donor[(0, *index)]
        return changed

    return patch
