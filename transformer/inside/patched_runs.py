"""The runs that `patching` is made of: A's, B's, and A's with one part after the other of B's."""

from collections.abc import Sequence
from typing import Any, cast

import numpy as np
import torch
from torch import Tensor, nn

from ..ask.passes import Part, as_traced, chunks, row_by_row, src_of, tgt_of, without_banned
from ..errors import HeadlightError
from ..model.layers import DecoderLayer, EncoderLayer
from ..model.towers import Tower
from ..recording.hooks import attached, attention_modules
from ..trace.kinds import KINDS, Kind
from ..trace.packing import Weights, read_only
from ..trace.trace import AttentionTrace
from ..translator import Translator

LEAST = 0.05
"""Nats that two answers must lie apart for a share of the way to mean something."""


class PatchedRuns:
    """The runs of A and B, and those of A with a part of B's.

    Args:
        translator: whose model made the trace.
        trace: A.
        donor: B.

    Attributes:
        given: how many tokens of a decoder-only model's are the text itself.
        labels: of B's tokens.

    Raises:
        HeadlightError: B has more tokens, or fewer.
    """

    def __init__(self, translator: Translator, trace: AttentionTrace, donor: str) -> None:
        self._translator, self._trace = translator, trace
        config, ids = translator.config, translator.encode(donor)
        alone = config.decoder_only
        own = len(translator.encode(trace.source)) if alone else len(trace.src_ids) - 1
        check_lengths(len(ids), own)
        self.given = own if alone else 0
        self._src, self._tgt = src_of(translator, trace), tgt_of(translator, trace)
        self._donor_src, self._donor_tgt = self._src, self._tgt.clone()
        device = translator.device
        if alone:
            size = min(own, self._tgt.size(1) - 1)
            self._donor_tgt[0, 1 : 1 + size] = torch.tensor(ids[:size], device=device)
            labels = [translator.tgt_tokenizer.piece(config.bos_id)]
            self.labels = (*labels, *translator.tgt_tokenizer.pieces(ids))
        else:
            self._donor_src = torch.tensor([[*ids, config.eos_id]], device=device)
            self.labels = tuple(translator.tokenizer.pieces([*ids, config.eos_id]))

    def answers(self) -> dict[int, int]:
        """The ids of what B says, by the step, where A says something else and is moved by B."""
        with torch.inference_mode(), as_traced(self._translator, self._trace):
            model = self._translator.model
            ours, theirs = (
                without_banned(self._translator, model.decode(tgt, model.encode(src))[0])
                for src, tgt in ((self._src, self._tgt), (self._donor_src, self._donor_tgt))
            )
        own = self._trace.tgt_ids
        likeliest = cast(list[int], theirs.argmax(-1).tolist())
        steps: dict[int, int] = {}
        for t in range(self.given, len(own)):
            a, b = (row[t, own[t]] - row[t, likeliest[t]] for row in (ours, theirs))
            if likeliest[t] != own[t] and abs(float(b - a)) >= LEAST:
                steps[t] = likeliest[t]
        return steps

    def maps(self, at: int, answers: tuple[int, int]) -> dict[str, Any]:
        """The differences and the maps of `Patching`; after it, these runs end at its step.

        Args:
            at: the step.
            answers: ids of what A and B say there.
        """
        self._tgt, self._donor_tgt = self._tgt[:, : at + 1], self._donor_tgt[:, : at + 1]
        heads, sublayers, positions = self._heads(), self._sublayers(), self._positions()
        groups = [*heads.values(), *sublayers.values(), *positions.values()]
        places = [place for group in groups for layer in group for place in layer]
        outputs: dict[nn.Module, Tensor] = {}

        def keep(module: nn.Module, _args: object, output: Tensor) -> None:
            outputs[module] = output

        with attached((module, keep) for module in {module for module, _ in places}):
            [theirs] = self._differences(self._donor_src, self._donor_tgt, answers, 1)
        [ours] = self._differences(self._src, self._tgt, answers, 1)
        moved: list[float] = []
        for rows in chunks(self._translator, len(places), 64):
            part = [places[row] for row in rows]
            with row_by_row(part, outputs):
                moved += self._differences(self._src, self._tgt, answers, len(part))
        shares = iter((np.array(moved) - ours) / (theirs - ours))

        def shaped(group: Sequence[Sequence[Part]]) -> Weights:
            return read_only(np.array([[next(shares) for _ in layer] for layer in group]))

        return {
            "difference": ours,
            "donor_difference": theirs,
            "heads": {kind: shaped(group) for kind, group in heads.items()},
            "sublayers": {tower: shaped(group) for tower, group in sublayers.items()},
            "positions": {tower: shaped(group) for tower, group in positions.items()},
        }

    def _differences(
        self, src: Tensor, tgt: Tensor, answers: tuple[int, int], rows: int
    ) -> list[float]:
        """How much likelier A's token is than B's at the last position, nats, a row each."""
        model = self._translator.model
        state = model.states(tgt.expand(rows, -1), model.encode(src.expand(rows, -1)))[:, -1:]
        logits = model.decoder.output(state)[:, 0].double()
        return (logits[:, answers[0]] - logits[:, answers[1]]).tolist()

    def _heads(self) -> dict[Kind, list[list[Part]]]:
        parts: dict[Kind, list[list[Part]]] = {}
        for (kind, _), module in attention_modules(self._translator.model).items():
            heads: list[Part] = [(module.attended, (head,)) for head in range(module.num_heads)]
            parts.setdefault(kind, []).append(heads)
        return {kind: parts[kind] for kind in KINDS if kind in parts}

    def _sublayers(self) -> dict[Tower, list[list[Part]]]:
        names = ("self_attention", "cross_attention", "feed_forward")
        return {
            tower: [
                [(getattr(layer, n), (slice(None),)) for n in names if hasattr(layer, n)]
                for layer in layers
            ]
            for tower, layers in self._layers().items()
        }

    def _positions(self) -> dict[Tower, list[list[Part]]]:
        sizes: dict[Tower, int] = {"encoder": self._src.size(1), "decoder": self._tgt.size(1)}
        return {
            tower: [[(layer.output, (p,)) for p in range(sizes[tower])] for layer in layers]
            for tower, layers in self._layers().items()
        }

    def _layers(self) -> dict[Tower, Sequence[EncoderLayer | DecoderLayer]]:
        towers = self._translator.model.towers()
        return {name: tower.layers for name, tower in towers.items()}


def check_lengths(other: int, own: int) -> None:
    """Refuses to patch from a sentence of so many tokens into one of another length.

    Raises:
        HeadlightError: naming both.
    """
    if other != own:
        raise HeadlightError(
            "other_length",
            f"The other sentence has {other} tokens, and this one {own}: a part has its place, so "
            "both need as many.",
            length=other,
            limit=own,
        )
