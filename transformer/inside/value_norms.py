"""Attention weighed by the vectors that it moves: a large weight on a short vector moves little."""

from dataclasses import dataclass

import torch
from torch import Tensor

from ..ask.analysis import Result, analysis
from ..show.maps import Figure, token_map
from ..show.matrix import row_labels
from ..trace.head_names import head_name
from ..trace.kinds import TITLES, ByKind, Kind, key_tokens
from ..trace.packing import Weights, read_only
from ..trace.trace import AttentionTrace
from ..translator import Translator
from .decomposition import Block, blocks_of, transformed_values


@dataclass(frozen=True, kw_only=True, eq=False)
class ValueNorms(ByKind[Weights], Result):
    """How long a vector each head moves from key to query: ‖α f(x)‖, f(x) = W_O (W_V x + b_V).

    Attributes:
        trace: of which.
        encoder_self, decoder_self, cross: float32 [layer, head, query, key], Euclidean length in
            the residual stream, ≥ 0; None if the model has no such heads.

    Source: Kobayashi et al. 2020, "Attention is Not Only a Weight: Analyzing Transformers with
    Vector Norms".
    """

    schema = """
    encoder_self: float16? [layer, head, src, src] length
    decoder_self: float16 [layer, head, tgt, tgt] length
    cross: float16? [layer, head, tgt, src] length
    """

    packed_as = "float16"

    trace: AttentionTrace
    decoder_self: Weights

    def figure(self, kind: Kind, layer: int, head: int) -> Figure:
        """One head's matrix query × key; layer and head count from 0.

        Raises:
            ValueError: the model has no heads of this kind.
            IndexError: it has no such layer or head.
        """
        norms, trace = self.of(kind), self.trace
        if norms is None:
            raise ValueError(f"{trace.model} has no {kind}: it is decoder-only")
        rows = row_labels(trace, kind)
        title = f"{TITLES[kind]} × value norms, {head_name(layer, head)}"
        return token_map(norms[layer, head], rows, key_tokens(trace, kind), title, "length")


@analysis()
def value_norms(translator: Translator, trace: AttentionTrace) -> ValueNorms:
    """Each head's weights times the lengths of what they carry."""
    with torch.inference_mode():
        norms: dict[Kind, Weights] = {}
        for kind, blocks in blocks_of(translator, trace).items():
            if blocks:
                norms[kind] = read_only(torch.stack([_moved(b) for b in blocks]).cpu().numpy())
    return ValueNorms(
        trace=trace,
        encoder_self=norms.get("encoder_self"),
        decoder_self=norms["decoder_self"],
        cross=norms.get("cross"),
    )


def _moved(block: Block) -> Tensor:
    """Weights times the lengths of values, in one block, [head, query, key]."""
    lengths: Tensor = transformed_values(block.attention, block.value).square().sum(-1).sqrt()
    return block.weights * lengths[:, None]
