"""States of a guest's layers: what each says, read as the last, and what is put into them."""

from typing import TYPE_CHECKING, Any, cast

import numpy as np
import torch
from torch import Tensor, nn

from ..ask.passes import CELLS, check_step, row_by_row
from ..errors import GuestError, HeadlightError
from ..trace.kinds import Kind
from ..trace.packing import Weights, read_only
from ..trace.trace import AttentionTrace
from .guest_passes import Scored, logits_of, scored
from .lens import Lens
from .patched_runs import check_lengths
from .patching import Patching

if TYPE_CHECKING:
    from ..guests.hugging_face.guest import HuggingFaceModel
    from ..guests.hugging_face.towers import Tower


def states(guest: "HuggingFaceModel", trace: AttentionTrace, tower: "Tower") -> Tensor:
    """What every layer of a tower hands on in the pass of a trace, [layer, token, d_model]."""
    from ..guests.hugging_face.calling import forward
    from ..guests.hugging_face.towers import layers_of, states_kept

    layers = layers_of(guest.model, guest.learnt, tower)
    with guest.changed(trace.interventions), states_kept(layers) as outputs:
        forward(guest.model, guest.arguments(trace))
    return torch.cat([outputs[layer] for layer in layers])


def lens(guest: "HuggingFaceModel", trace: AttentionTrace) -> Lens:
    """What every layer of a guest would say if it were the last: see `lens.lens`.

    Each state stands in the place of what the last layer hands on; what comes behind it (a norm,
    scaling, the output projection) is the model's own.
    """
    from ..guests.hugging_face.towers import layers_of, states_replaced

    one = scored(guest, trace)
    tower: Tower = "encoder" if guest.form == "encoder" else "decoder"
    layers = layers_of(guest.model, guest.learnt, tower)
    by_layer = states(guest, trace, tower)
    each: list[Tensor] = []
    for state in by_layer:

        def put(output: Tensor, state: Tensor = state) -> None:
            output[0] = state

        with guest.changed(trace.interventions), states_replaced({layers[-1]: put}):
            each.append(logits_of(guest, one)[0])
    probabilities = torch.stack(each).softmax(-1)
    best = probabilities.max(-1)
    ids = torch.tensor(one.ids, device=probabilities.device)
    emitted = probabilities.gather(-1, ids.expand(len(by_layer), -1)[..., None])
    rank = 1 + (probabilities > emitted).sum(-1)
    likeliest = best.indices.cpu().numpy()
    return Lens(
        tgt_in=one.reads,
        tgt_out=one.says,
        tokens=tuple(guest.texts.labels(layer).shown for layer in likeliest.tolist()),
        ids=likeliest,
        probability=read_only(best.values.cpu().numpy()),
        emitted=read_only(emitted[..., 0].cpu().numpy()),
        rank=rank.cpu().numpy(),
    )


def patching(
    guest: "HuggingFaceModel", trace: AttentionTrace, donor: str, step: int | None = None
) -> Patching:
    """Puts every head and position of another text into a guest's run: see `patching.patching`.

    Sublayers are not among them: which modules they are differs by family. Of a pair, the other
    text takes the first one's place.

    Raises:
        HeadlightError: the other text has another length, says the same, or there is no such step.
    """
    runs = _Runs(guest, trace, donor)
    others = runs.answers()
    if step is not None and guest.form != "encoder":
        check_step(trace, step)
    at = next(iter(others), None) if step is None else step
    if at is None or at not in others:
        raise HeadlightError(
            "same_answer", "Of both sentences the model says the same there: choose others."
        )
    heads, positions, ours, theirs = runs.maps(at, others[at])
    label = guest.texts.labels
    given = trace.prefix_length
    return Patching(
        source=trace.source,
        donor=donor,
        step=at,
        answer=runs.one.says[at],
        donor_answer=label([others[at]]).shown[0],
        steps=tuple(others),
        donor_answers=label([*others.values()]).shown,
        difference=ours,
        donor_difference=theirs,
        src=trace.src or trace.tgt_in[: given + 1],
        donor_src=label(runs.donor.arguments["input_ids"]).shown[: len(trace.src) or given + 1],
        tgt_in=trace.tgt_in[: at + 1],
        heads=heads,
        sublayers={},
        positions=cast(Any, positions),
    )


class _Runs:
    """The runs of a trace and of a donor, and those of the trace with a part of the donor's."""

    def __init__(self, guest: "HuggingFaceModel", trace: AttentionTrace, donor: str) -> None:
        self.guest, self.trace, self.one = guest, trace, scored(guest, trace)
        pair = None if trace.guest is None else trace.guest.pair
        ids = guest.texts.read(donor if pair is None else (donor, pair[1])).ids
        own = self.one.arguments["input_ids"]
        if guest.form == "decoder":
            given = trace.prefix_length + 1
            ids = (*ids, *own[given:]) if len(ids) == given else ids
        for it in trace.guest.hidden if trace.guest is not None else ():
            ids = (*ids[: it.at], own[it.at], *ids[it.at + 1 :])
        check_lengths(len(ids), len(own))
        arguments = {**self.one.arguments, "input_ids": ids}
        self.donor = Scored(arguments, self.one.rows, self.one.ids, self.one.reads, self.one.says)

    def answers(self) -> dict[int, int]:
        """The ids of what the donor says, by step, where the trace says something else."""
        with torch.no_grad(), self.guest.changed(self.trace.interventions):
            theirs = [int(it) for it in logits_of(self.guest, self.donor)[0].argmax(-1)]
        start = self.trace.prefix_length
        return {
            at: other
            for at, other in enumerate(theirs)
            if other != self.one.ids[at] and at >= start
        }

    def maps(
        self, at: int, other: int
    ) -> tuple[dict[Kind, Weights], dict[str, Weights], float, float]:
        """Shares [layer, head] and [layer, position] of the way, and both differences, nats."""
        from ..guests.hugging_face.towers import KIND_OF, layers_of, states_kept

        learnt, guest = self.guest.learnt, self.guest
        if learnt.ordinals is not None:
            raise GuestError(
                f"{guest.name} has its attention outside transformers' interface, where what a "
                "head hands on is not seen, so it cannot be put elsewhere",
                "not_offered",
            )
        points = [it for places in learnt.layout.values() for it in places]
        towers: dict[Tower, list[nn.Module]] = {
            tower: layers_of(guest.model, learnt, tower)
            for tower in ("encoder", "decoder")
            if KIND_OF[tower] in learnt.heads
        }
        attended: dict[nn.Module, Tensor] = {}
        every = [layer for layers in towers.values() for layer in layers]

        def keep(module: nn.Module, _args: object, output: Tensor) -> None:
            attended[module] = output.detach()

        from ..recording.hooks import attached

        with torch.no_grad(), guest.changed(self.trace.interventions):
            with attached((it.attended, keep) for it in points), states_kept(every) as outputs:
                [theirs] = self._differences(self.donor, at, other, 1)
            [ours] = self._differences(self.one, at, other, 1)
            heads = {
                (it.kind, it.layer): [
                    (it.attended, (head,)) for head in range(learnt.heads[it.kind][it.layer])
                ]
                for it in points
            }
            moved = {
                place: self._moved(parts, attended, at, other) for place, parts in heads.items()
            }
            sizes = {"encoder": len(self.trace.src), "decoder": len(self.trace.tgt_in)}
            states_moved = {
                tower: [self._positions(it, outputs[it], sizes[tower], at, other) for it in layers]
                for tower, layers in towers.items()
            }
        way = theirs - ours

        def shares(rows: list[list[float]]) -> Weights:
            widest = max(map(len, rows))
            padded = [[*row, *[ours] * (widest - len(row))] for row in rows]
            return read_only((np.array(padded) - ours) / way)

        by_kind: dict[Kind, Weights] = {
            kind: shares([moved.get((kind, layer), []) for layer in range(len(counts))])
            for kind, counts in learnt.heads.items()
        }
        return by_kind, {str(k): shares(rows) for k, rows in states_moved.items()}, ours, theirs

    def _moved(
        self, parts: list[Any], donors: dict[nn.Module, Tensor], at: int, other: int
    ) -> list[float]:
        distances: list[float] = []
        for part in self._chunks(parts):
            with row_by_row(part, donors):
                distances += self._differences(self.one, at, other, len(part))
        return distances

    def _positions(
        self, layer: nn.Module, donor: Tensor, size: int, at: int, other: int
    ) -> list[float]:
        from ..guests.hugging_face.towers import states_replaced

        shares: list[float] = []
        for places in self._chunks(list(range(size))):

            def put(state: Tensor, places: list[int] = places) -> None:
                for row, place in enumerate(places):
                    state[row, place] = donor[0, place]

            with states_replaced({layer: put}):
                shares += self._differences(self.one, at, other, len(places))
        return shares

    def _chunks(self, items: list[Any]) -> list[list[Any]]:
        vocab = int(self.guest.model.config.get_text_config().vocab_size)
        size = max(1, CELLS // (vocab * len(self.one.rows)))
        return [items[start : start + size] for start in range(0, len(items), size)]

    def _differences(self, one: Scored, at: int, other: int, rows: int) -> list[float]:
        """How much likelier the trace's token is than the donor's, nats, a row each."""
        logits = logits_of(self.guest, one, rows)[:, at].double()
        return [float(it) for it in logits[:, self.one.ids[at]] - logits[:, other]]
