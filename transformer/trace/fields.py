"""The fields of a trace, and what follows from them alone."""

from collections.abc import Mapping
from dataclasses import dataclass

from .candidates import Candidate, Glosses
from .changes import causal_mask_of
from .guest import Cells, Guest, Layers, may_attend
from .head_names import RepresentativeHead
from .interventions import Intervention
from .kinds import KINDS, ByKind, Kind, key_tokens, masked, query_tokens
from .packing import Weights
from .sampling import Sampling, StopReason


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class TraceFields(ByKind[Weights]):
    """One decode: its tokens, what it nearly said, and every attention weight it was made of.

    Row t of the decoder reads `tgt_in[t]` and emits `tgt_out[t]`.

    Attributes:
        model: name of the checkpoint.
        source: the text as typed.
        read_as: the text that was cut into tokens, if it is another than was typed; else None.
        translation: the text that `tgt_out` spells.
        src: labels of the encoder's input, ending in `</s>`; empty for a decoder-only model.
        tgt_in: labels of the decoder's input, starting with `<s>`.
        tgt_out: labels of the emitted tokens, as many as `tgt_in`; "" where nobody knows.
        src_ids: token ids of `src`.
        tgt_ids: token ids of `tgt_out`.
        prefix_length: how many of `tgt_out` were forced rather than chosen.
        candidates: per step, the likeliest tokens, best first, and after them the emitted token if
            it is none of them.
        stop_reason: "eos" | "max_steps" | "max_length"; None if nobody knows.
        interventions: what was changed in the model, if anything.
        sampling: how tokens were drawn; None for greedy decoding.
        checkpoint: the short hash of the checkpoint's files; empty if nobody knows.
        heads: of each kind, the representative one, as the checkpoint names it, else as the
            translator found it in the trace.
        glosses: of the tokens of `src` and `tgt_out`; None of a model without a lexicon.
        guest: what is told besides of a model that is not one of ours; None of ours.
        encoder_self: float32 [layer, head, src, src], or None for a decoder-only model.
        decoder_self: float32 [layer, head, tgt, tgt]; exactly 0 above the diagonal, unless an
            intervention took the causal mask away; below it, if one inverted the mask.
        cross: float32 [layer, head, tgt, src], or None for a decoder-only model.

    The arrays are read-only. Each row sums to 1, but for heads, or rows of them, that an
    intervention switched off: theirs are 0. A guest's rows may be masked throughout, or give a
    share to a sink, which `guest` tells; its kinds may be without one array (see `layers`), its
    tokens without ids or candidates.
    """

    model: str
    source: str
    translation: str
    src: tuple[str, ...]
    tgt_in: tuple[str, ...]
    tgt_out: tuple[str, ...]
    src_ids: tuple[int, ...]
    tgt_ids: tuple[int, ...]
    prefix_length: int
    candidates: tuple[tuple[Candidate, ...], ...]
    stop_reason: StopReason | None
    interventions: tuple[Intervention, ...]
    sampling: Sampling | None
    checkpoint: str
    heads: Mapping[Kind, RepresentativeHead]
    glosses: Glosses | None
    read_as: str | None = None
    guest: Guest | None = None
    decoder_self: Weights

    def arrays(self) -> dict[Kind, Weights]:
        """The kinds that are one array each, [layer, head, query, key]: all, but in some guests."""
        ragged = () if self.guest is None else self.guest.ragged
        return {k: it for k in KINDS if k not in ragged and (it := self.of(k)) is not None}

    def layers(self, kind: Kind) -> Layers | None:
        """By layer, the weights of one kind, [head, query, key]; None for a kind that is not there.

        A layer without attention, or one that was left out, is None.
        """
        if self.guest is not None and kind in self.guest.ragged:
            return self.guest.ragged[kind]
        weights = self.of(kind)
        return None if weights is None else tuple(weights)

    def allowed(self, kind: Kind, layer: int = 0) -> Cells:
        """Which cells a layer's rows may attend to, [query, key]; that is not a weight above 0."""
        size = len(query_tokens(self, kind)), len(key_tokens(self, kind))
        mask = None if self.guest is None else self.guest.mask_of(kind, layer)
        if mask is None:
            return ~masked(kind, *size, causal_mask_of(self.interventions))
        return may_attend(mask, *size)
