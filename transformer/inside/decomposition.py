"""An attention block taken apart: what each token it attends to adds to the sum that it hands on.

With F[i, j] = Σ_h α^h_ij (W_O^h v^h_j), the block's sum is Σ_j F[i, j] + b_O + x_i: a part for
every token, the output's bias, and the residual stream x_i.
"""

from dataclasses import dataclass

import torch
from torch import Tensor

from ..model.attention import MultiHeadAttention
from ..model.layers import Residual
from ..recording.hooks import Recording
from ..recording.layers import block_of, layers_of
from ..trace.kinds import KINDS, Kind
from ..trace.trace import AttentionTrace
from ..translator import Translator


def transformed_values(attention: MultiHeadAttention, value: Tensor) -> Tensor:
    """What each head would add to the residual stream if it attended to one token alone.

    Args:
        attention: the module whose values these are.
        value: [head, key, d_head].
    Returns:
        W_O^h v^h_j, [head, key, d_model].
    """
    num_heads, _, d_head = value.shape
    output = attention.output.weight.view(-1, num_heads, d_head)  # [d_model, head, d_head]
    return torch.einsum("hkd,mhd->hkm", value, output)


@dataclass(frozen=True, eq=False)
class Block:
    """One attention block in one pass over a trace.

    Attributes:
        attention: its module.
        residual: the connection around it, with its LayerNorm.
        weights: [head, query, key].
        value: [head, key, d_head].
        total: [query, d_model], the sum with the residual stream, before a post-norm.
    """

    attention: MultiHeadAttention
    residual: Residual
    weights: Tensor
    value: Tensor
    total: Tensor

    def parts(self) -> tuple[Tensor, Tensor]:
        """F, [query, key, d_model], and the residual stream, [query, d_model]."""
        values = transformed_values(self.attention, self.value)
        added = torch.einsum("hqk,hkm->qkm", self.weights, values)
        return added, self.total - added.sum(1) - self.attention.output.bias

    def through_norm(self, parts: Tensor) -> Tensor:
        """What is left of parts of the sum, [query, ..., d_model], behind a post-norm.

        LayerNorm is linear once the sum's standard deviation is given: (u − mean(u)) / σ · γ. A
        pre-norm block hands the sum on as it is.
        """
        if self.residual.pre_norm:
            return parts
        norm = self.residual.norm
        variance = self.total.var(-1, correction=0, keepdim=True)
        deviation = (variance + norm.eps).sqrt().view(-1, *[1] * (parts.dim() - 1))
        return (parts - parts.mean(-1, keepdim=True)) / deviation * norm.weight

    def output(self) -> Tensor:
        """What the block hands on, [query, d_model]."""
        return self.total if self.residual.pre_norm else self.residual.norm(self.total)


def blocks_of(translator: Translator, trace: AttentionTrace) -> dict[Kind, list[Block]]:
    """The attention blocks of each kind, layer by layer, in one pass over the trace's tokens."""
    sites = ("weights", "value", "after_self_attention", "after_cross_attention")
    recording = translator.replay(trace.source, trace.tgt_ids, trace.interventions, sites)
    return {kind: _blocks(translator, recording, kind) for kind in KINDS}


def _blocks(translator: Translator, recording: Recording, kind: Kind) -> list[Block]:
    after = "after_cross_attention" if kind == "cross" else "after_self_attention"
    totals = recording.at("encoder" if kind == "encoder_self" else "decoder", after)
    values, weights = recording.at(kind, "value"), recording.at(kind, "weights")
    layers = layers_of(translator.model, kind)
    blocks: list[Block] = []
    for layer, total, value, weight in zip(layers, totals, values, weights, strict=bool(layers)):
        attention, residual, _ = block_of(layer, kind)
        blocks.append(Block(attention, residual, weight[0], value[0], total[0]))
    return blocks
