"""How much of each emitted token came from each source token, and how much from what was written.

ALTI+ (Ferrando, Gállego, Alastruey, Escolano and Costa-jussà 2022, "Towards Opening the Black Box
of Neural Machine Translation"): every attention block is taken apart into what each token adds; a
part counts by how much nearer, in L1, it brings the block's output; and layers are multiplied.
Feed-forward networks, which mix no tokens, are left out, as in the paper.
"""

from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from ..ask.analysis import Result, analysis
from ..show.maps import Figure, token_map
from ..show.matrix import steps
from ..trace.packing import Weights, read_only
from ..trace.trace import AttentionTrace
from ..translator import Translator
from .decomposition import Block, blocks_of


@dataclass(frozen=True, kw_only=True, eq=False)
class Contributions(Result):
    """What each decoder row's last state is made of; a row of both matrices together sums to 1.

    Attributes:
        src, tgt_in, tgt_out: labels, as in the trace.
        source: float32 [tgt, src], shares: from each token of the source; None for a decoder-only
            model.
        prefix: float32 [tgt, tgt], shares: from each token that the decoder has read; 0 above the
            diagonal.
        encoder: float32 [src, src], shares: what each of the encoder's outputs is made of; each row
            sums to 1. None for a decoder-only model.

    Source: Ferrando et al. 2022 (ALTI+). For a pre-norm model the same without the LayerNorm, which
    there stands before the block (Ferrando et al. 2023, "Explaining How Transformers Use Context to
    Build Predictions").
    """

    schema = """
    src: text [src]
    tgt_in: text [tgt]
    tgt_out: text [tgt]
    source: float32? [tgt, src] share
    prefix: float32 [tgt, tgt] share
    encoder: float32? [src, src] share
    """

    src: tuple[str, ...]
    tgt_in: tuple[str, ...]
    tgt_out: tuple[str, ...]
    source: Weights | None
    prefix: Weights
    encoder: Weights | None

    @property
    def from_source(self) -> Weights:
        """float32 [tgt]: each step's share from the source; the rest is from what was written."""
        total = np.zeros(len(self.tgt_in)) if self.source is None else self.source.sum(-1)
        return read_only(total)

    def figure(self) -> Figure:
        """A matrix target × source and prefix, side by side."""
        parts = [part for part in (self.source, self.prefix) if part is not None]
        columns = (*(() if self.source is None else self.src), *self.tgt_in)
        title = "Contributions (ALTI+): source, then what was written"
        return token_map(
            np.concatenate(parts, 1), steps(self.tgt_in, self.tgt_out), columns, title, "share"
        )


@analysis(
    needs=("states",),
    ours_alone="taking an attention's sum apart needs norms that only our own models tell",
)
def contributions(translator: Translator, trace: AttentionTrace) -> Contributions:
    """Where each emitted token came from, through all layers."""
    with torch.inference_mode():
        blocks = blocks_of(translator, trace)
        num_src, num_tgt = len(trace.src), len(trace.tgt_in)
        encoder = torch.eye(num_src, dtype=torch.float64)
        for block in blocks["encoder_self"]:
            encoder = _self_attention(block) @ encoder
        source = torch.zeros(num_tgt, num_src, dtype=torch.float64)
        prefix = torch.eye(num_tgt, dtype=torch.float64)
        for layer, block in enumerate(blocks["decoder_self"]):
            own = _self_attention(block)
            source, prefix = own @ source, own @ prefix
            if blocks["cross"]:
                memory, stream = _cross_attention(blocks["cross"][layer])
                source = memory @ encoder + stream * source
                prefix = stream * prefix
    alone = not trace.src
    return Contributions(
        src=trace.src,
        tgt_in=trace.tgt_in,
        tgt_out=trace.tgt_out,
        source=None if alone else read_only(source.numpy()),
        prefix=read_only(prefix.numpy()),
        encoder=None if alone else read_only(encoder.numpy()),
    )


def _self_attention(block: Block) -> Tensor:
    """Shares of each query in each key, [query, key]; the residual stream is the token's own."""
    added, stream = block.parts()
    added[range(len(added)), range(len(added))] += stream
    return _shares(block, added)


def _cross_attention(block: Block) -> tuple[Tensor, Tensor]:
    """Shares of each query in the encoder's outputs, [query, key], and in its own, [query, 1]."""
    added, stream = block.parts()
    shares = _shares(block, torch.cat((added, stream[:, None]), 1))
    return shares[:, :-1], shares[:, -1:]


def _shares(block: Block, parts: Tensor) -> Tensor:
    """How much each of the parts [query, part, d_model] makes of the output: rows that sum to 1.

    A part's share is what the output's length loses without it, if anything: ‖y‖ − ‖y − part‖.
    """
    output = block.output()
    left = (output[:, None] - block.through_norm(parts)).abs().sum(-1)
    gained = (output.abs().sum(-1, keepdim=True) - left).clamp(min=0).double()
    total = gained.sum(-1, keepdim=True)
    # Where no part brings the output nearer, none has a greater share than another.
    return torch.where(total > 0, gained / total, 1 / parts.size(1)).cpu()
