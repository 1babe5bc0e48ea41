"""Which tokens a layer's output rests on: each token's values made zero in turn."""

from dataclasses import dataclass

import torch
from torch import Tensor

from ..ask.analysis import Result, analysis
from ..ask.passes import as_traced, src_of, tgt_of
from ..model.masks import causal_mask
from ..show.maps import Figure, token_map
from ..show.matrix import row_labels
from ..trace.kinds import TITLES, ByKind, Kind, key_tokens
from ..trace.packing import Weights, read_only
from ..trace.trace import AttentionTrace
from ..trace.words import Word
from ..translator import Translator
from .contrast import zeroed


@dataclass(frozen=True, kw_only=True, eq=False)
class ValueZeroing(ByKind[Weights], Result):
    """How far each layer's output turns when a token's values are 0 in that layer's attention.

    Attributes:
        trace: of which.
        encoder_self, decoder_self, cross: float32 [layer, query, key], shares: the cosine distance
            between the layer's outputs with and without the token's values, divided by its sum over
            the keys. None if the model has no such attention.

    Source: Mohebbi et al. 2023, "Quantifying Context Mixing in Transformers".
    """

    schema = """
    encoder_self: float16? [layer, src, src] share
    decoder_self: float16 [layer, tgt, tgt] share
    cross: float16? [layer, tgt, src] share
    """

    packed_as = "float16"

    trace: AttentionTrace
    decoder_self: Weights

    def figure(self, kind: Kind, layer: int) -> Figure:
        """One layer's matrix query × key; layers count from 0.

        Raises:
            ValueError: the model has no attention of this kind.
            IndexError: it has no such layer.
        """
        shares, trace = self.of(kind), self.trace
        if shares is None:
            raise ValueError(f"{trace.model} has no {kind}: it is decoder-only")
        rows = row_labels(trace, kind)
        title = f"Value zeroing, {TITLES[kind]}, layer {layer + 1}"
        return token_map(shares[layer], rows, key_tokens(trace, kind), title, "share")


@analysis(cost="src + 2 * tgt")
def value_zeroing(translator: Translator, trace: AttentionTrace) -> ValueZeroing:
    """Zeroes each token's values in each layer, one token a row of a batch."""
    model, src = translator.model, src_of(translator, trace)
    recording = translator.replay(trace.source, trace.tgt_ids, trace.interventions, ("output",))
    encoder, decoder = recording.at("encoder", "output"), recording.at("decoder", "output")
    distances: dict[Kind, list[Tensor]] = {"encoder_self": [], "decoder_self": [], "cross": []}
    with torch.inference_mode(), as_traced(translator, trace):
        memory = None
        if model.encoder is not None:
            inputs = (model.encoder.embedding(src), *encoder)
            for layer, x, y in zip(model.encoder.layers, inputs, encoder, strict=False):
                with zeroed(layer.self_attention.value, _each(x)):
                    turned = layer(x.expand(x.size(1), -1, -1))
                distances["encoder_self"].append(shares_of(turned, y))
            memory = model.encoder.norm(encoder[-1])
        tgt_in = tgt_of(translator, trace)
        mask = causal_mask(tgt_in.size(1), tgt_in.size(1), tgt_in.device)
        inputs = (model.decoder.embedding(tgt_in), *decoder)
        for layer, x, y in zip(model.decoder.layers, inputs, decoder, strict=False):
            with zeroed(layer.self_attention.value, _each(x)):
                turned = layer(*_rows(x.size(1), x, mask, memory))
            distances["decoder_self"].append(shares_of(turned, y))
            if memory is not None:
                with zeroed(layer.cross_attention.value, _each(memory)):
                    turned = layer(*_rows(memory.size(1), x, mask, memory))
                distances["cross"].append(shares_of(turned, y))
    stacked = {k: read_only(torch.stack(s).cpu().numpy()) for k, s in distances.items() if s}
    return ValueZeroing(
        trace=trace,
        encoder_self=stacked.get("encoder_self"),
        decoder_self=stacked["decoder_self"],
        cross=stacked.get("cross"),
    )


def _each(states: Tensor) -> list[Word]:
    """Every token of [1, token, d_model], by itself."""
    return [(token,) for token in range(states.size(1))]


def _rows(
    size: int, x: Tensor, mask: Tensor, memory: Tensor | None
) -> tuple[Tensor, Tensor, Tensor | None]:
    """One row of a layer's input as many."""
    many = None if memory is None else memory.expand(size, -1, -1)
    return x.expand(size, -1, -1), mask, many


def shares_of(turned: Tensor, output: Tensor, least: float = 1e-12) -> Tensor:
    """How far the outputs [key, query, d_model] turned from [1, query, d_model] → [query, key].

    Args:
        turned: an output for each token that was made zero.
        output: as it is.
        least: what rounding alone may turn it by: 1e-14 in float32, of one pass.
    """
    distance = 1 - torch.cosine_similarity(turned.double(), output.double(), dim=-1)
    distance = torch.where(distance < least, 0, distance).T
    total = distance.sum(-1, keepdim=True)
    # A row that nothing turns rests on no token more than on another.
    return torch.where(total > 0, distance / total, 1 / distance.size(1))
