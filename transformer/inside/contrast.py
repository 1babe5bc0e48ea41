"""Two candidates' logits apart: what the values of each word's tokens say for one of them.

The difference of two log-probabilities is that of the two logits, since the softmax divides both by
the same sum; and that is linear in the decoder's last state y: (w_a − w_b)·y + b_a − b_b.
"""

from collections.abc import Sequence
from contextlib import AbstractContextManager

import torch
from torch import Tensor, nn

from ..ask.passes import as_traced, decoder_logits, row_by_row, src_of, tgt_of
from ..model.attention import MultiHeadAttention
from ..model.layers import DecoderLayer
from ..model.layers import Residual as Connection
from ..model.module import HookPoint
from ..trace.kinds import Kind
from ..trace.packing import Weights, read_only
from ..trace.trace import AttentionTrace
from ..trace.words import Word
from ..translator import Translator
from .decomposition import transformed_values
from .residual import SUBLAYERS

Pair = tuple[int, int]


def without_values(
    translator: Translator, trace: AttentionTrace, words: Sequence[Word], step: int, pair: Pair
) -> Weights:
    """The change of a step's difference of logits with a word's values 0 in one layer's attention.

    Args:
        translator: whose model made the trace.
        trace: whatever was changed in it stays changed.
        words: indices of each one's tokens, as in `LeaveOneOut.pieces`.
        step: from 0.
        pair: ids of two tokens: the first's logit − the second's.
    Returns:
        float32 [layer, word]: in cross-attention; of a decoder-only model, in self-attention.
    """
    src, tgt_in = src_of(translator, trace), tgt_of(translator, trace)
    layers: list[Tensor] = []
    with torch.inference_mode(), as_traced(translator, trace):
        model, alone = translator.model, translator.config.decoder_only
        memory = model.encode(src)

        def difference(rows: int) -> Tensor:
            many = memory.expand(rows, -1, -1)
            logits = decoder_logits(translator, tgt_in.expand(rows, -1), many)[:, step]
            return logits[:, pair[0]] - logits[:, pair[1]]

        whole = difference(1)
        for layer in model.decoder.layers:
            with zeroed(_reading(layer, alone).value, words):
                layers.append(difference(len(words)) - whole)
    return read_only(torch.stack(layers).cpu().numpy())


def direct(translator: Translator, trace: AttentionTrace, step: int, pair: Pair) -> Weights:
    """What each token's values add to a step's difference of logits, straight to the output.

    The vectors α W_O v whose lengths `value_norms` measures, followed through the residual stream:
    each LayerNorm on the way is linear once its standard deviation is given. What later sublayers
    make of them is left out (Elhage et al. 2021, "A Mathematical Framework for Transformer
    Circuits", direct paths).

    Args:
        translator: whose model made the trace.
        trace: whatever was changed in it stays changed.
        step: from 0.
        pair: ids of two tokens: the first's logit − the second's.
    Returns:
        float32 [layer, head, token]: of cross-attention; of a decoder-only model, self-attention.
    """
    sites = ("weights", "value", "output", *SUBLAYERS)
    recording = translator.replay(trace.source, trace.tgt_ids, trace.interventions, sites)
    decoder, alone = translator.model.decoder, not trace.src
    kind: Kind = "decoder_self" if alone else "cross"
    reads = "after_self_attention" if alone else "after_cross_attention"
    layers: list[Tensor] = []
    with torch.inference_mode():
        weight = decoder.output.weight
        toward = weight[pair[0]] - weight[pair[1]]
        if isinstance(decoder.norm, nn.LayerNorm):
            last = recording.at("decoder", "output")[-1][0, step]
            toward = _before_norm(decoder.norm, last, toward)
        for index in reversed(range(len(decoder.layers))):
            layer = decoder.layers[index]
            weights, value = (recording.at(kind, site)[index][0] for site in ("weights", "value"))
            for site in reversed(SUBLAYERS):
                if not (totals := recording.at("decoder", site)):
                    continue  # a decoder alone has no cross-attention
                residual: Connection = getattr(layer, f"{site.removeprefix('after_')}_residual")
                if not residual.pre_norm:
                    toward = _before_norm(residual.norm, totals[index][0, step], toward)
                if site == reads:
                    along = transformed_values(_reading(layer, alone), value) @ toward
                    layers.append(weights[:, step] * along)  # [head, token]
    return read_only(torch.stack(layers[::-1]).cpu().numpy())


def _before_norm(norm: nn.LayerNorm, total: Tensor, toward: Tensor) -> Tensor:
    """The direction in front of a LayerNorm that is this one behind it, its deviation given."""
    scaled = toward * norm.weight
    deviation = (total.var(-1, correction=0) + norm.eps).sqrt()
    return (scaled - scaled.mean()) / deviation


def _reading(layer: DecoderLayer, alone: bool) -> MultiHeadAttention:
    """The attention that reads the source; of a decoder-only model, its own text."""
    return layer.self_attention if alone else layer.cross_attention


def zeroed(value: HookPoint, words: Sequence[Word]) -> AbstractContextManager[None]:
    """While the block runs, row i of a batch finds the values of word i's tokens to be 0."""
    return row_by_row([(value, (slice(None), list(word))) for word in words])
