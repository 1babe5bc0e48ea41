"""How long the residual stream is after every sublayer: where it is written to, and how much."""

from dataclasses import dataclass

import torch

from ..ask.analysis import Result, analysis
from ..model.towers import Tower
from ..recording.hooks import LayerSite
from ..show.maps import Figure, token_map
from ..show.matrix import steps
from ..trace.packing import Weights, read_only
from ..trace.trace import AttentionTrace
from ..translator import Translator

SUBLAYERS: tuple[LayerSite, ...] = (
    "after_self_attention",
    "after_cross_attention",
    "after_feed_forward",
)


@dataclass(frozen=True, kw_only=True, eq=False)
class Residual(Result):
    """Lengths (L2) of each token's vector, x + sublayer(x), before a post-norm's LayerNorm.

    Attributes:
        src, tgt_in, tgt_out: labels, as in the trace.
        encoder_sublayers: names of the encoder's rows, such as "L1 self-attention".
        encoder: float32 [sublayer, src]; None for a decoder-only model.
        decoder_sublayers: names of the decoder's rows.
        decoder: float32 [sublayer, tgt].
    """

    schema = """
    src: text [src]
    tgt_in: text [tgt]
    tgt_out: text [tgt]
    encoder_sublayers: text [encoder_sublayer]
    encoder: float32? [encoder_sublayer, src] length
    decoder_sublayers: text [decoder_sublayer]
    decoder: float32 [decoder_sublayer, tgt] length
    """

    src: tuple[str, ...]
    tgt_in: tuple[str, ...]
    tgt_out: tuple[str, ...]
    encoder_sublayers: tuple[str, ...]
    encoder: Weights | None
    decoder_sublayers: tuple[str, ...]
    decoder: Weights

    def figure(self, tower: Tower = "decoder") -> Figure:
        """A map sublayers × tokens of one tower.

        Raises:
            ValueError: a decoder-only model has no encoder.
        """
        title = f"Length of the residual stream, {tower}"
        if tower == "decoder":
            read, axes = steps(self.tgt_in, self.tgt_out), ("reads → predicts", "after")
            return token_map(self.decoder, self.decoder_sublayers, read, title, "length", axes)
        if self.encoder is None:
            raise ValueError("a decoder-only model has no encoder")
        axes = ("source", "after")
        return token_map(self.encoder, self.encoder_sublayers, self.src, title, "length", axes)


@analysis(
    needs=("states",),
    ours_alone="what enters and leaves a layer's parts is known of our own models alone",
)
def residual(translator: Translator, trace: AttentionTrace) -> Residual:
    """How long each token's vector is after every sublayer of a trace."""
    recording = translator.replay(trace.source, trace.tgt_ids, trace.interventions, SUBLAYERS)

    def of(tower: Tower) -> tuple[tuple[str, ...], Weights | None]:
        by_site = {site: recording.at(tower, site) for site in SUBLAYERS}
        names: list[str] = []
        lengths: list[torch.Tensor] = []
        for layer in range(len(by_site["after_feed_forward"])):
            for site, states in by_site.items():
                if states:
                    title = site.removeprefix("after_").replace("_", "-", 1)
                    names.append(f"L{layer + 1} {title}")
                    lengths.append(states[layer][0].square().sum(-1).sqrt())
        if not lengths:
            return (), None
        return tuple(names), read_only(torch.stack(lengths).cpu().numpy())

    encoder_sublayers, encoder = of("encoder")
    decoder_sublayers, decoder = of("decoder")
    assert decoder is not None
    return Residual(
        src=trace.src,
        tgt_in=trace.tgt_in,
        tgt_out=trace.tgt_out,
        encoder_sublayers=encoder_sublayers,
        encoder=encoder,
        decoder_sublayers=decoder_sublayers,
        decoder=decoder,
    )
