"""Style two: a decoder-only model in one breath, fused query-key-value, einsum, all inline."""

# pyright: basic, reportIndexIssue=false, reportOptionalCall=false
import math

import torch
import torch.nn.functional as F
from torch import Tensor, nn

BUGS = {
    "future_leak",
    "causal_off_by_one",
    "causal_own_hidden",
    "mask_inverted",
    "mask_inverted_keeps_diagonal",
    "mask_after_softmax",
    "mask_value_too_small",
    "mask_value_five",
    "mask_zero",
    "nan_on_padded_row",
    "softmax_axis",
    "softmax_heads",
    "softmax_batch",
    "heads_mixed",
    "heads_mixed_out",
    "scale_missing",
    "scale_inverted",
    "scale_d_model",
    "batch_leak",
    "batch_attention",
    "no_positions",
    "positions_not_reset",
    "embedding_scale",
    "shared_layers",
    "equal_copies",
    "value_from_key",
    "output_projection_missing",
    "residual_missing",
    "residual_missing_ffn",
    "norm_missing",
    "norm_missing_final",
    "norm_missing_ffn",
    "dropout_in_eval",
    "weights_after_dropout",
}


class Block(nn.Module):
    def __init__(self, width, heads, bug, drop):
        super().__init__()
        self.heads, self.bug, self.drop = heads, bug, drop
        self.ln1, self.ln2 = nn.LayerNorm(width), nn.LayerNorm(width)
        self.qkv = nn.Linear(width, 3 * width, bias=False)
        self.out = nn.Linear(width, width, bias=False)
        self.mlp = nn.Sequential(
            nn.Linear(width, 4 * width), nn.GELU(), nn.Linear(4 * width, width)
        )

    def attend(self, x, ids):
        bug, heads = self.bug, self.heads
        b, t, c = x.shape
        d = c // heads
        q, k, v = self.qkv(x).split(c, dim=2)
        if bug == "value_from_key":
            v = k
        if bug == "heads_mixed":
            q, k, v = (z.reshape(b, heads, t, d).permute(0, 2, 1, 3) for z in (q, k, v))
        else:
            q, k, v = (z.reshape(b, t, heads, d) for z in (q, k, v))
        if bug == "batch_attention":
            q, k, v = (z.transpose(0, 1) for z in (q, k, v))
        scale = {"scale_missing": 1.0, "scale_inverted": d**0.5, "scale_d_model": c**-0.5}
        att = torch.einsum("bihd,bjhd->bhij", q, k) * scale.get(bug, d**-0.5)
        n = att.size(-1)
        shift = {"causal_off_by_one": 1, "causal_own_hidden": -1}.get(bug, 0)
        keep = torch.tril(torch.ones(n, n, dtype=torch.bool), diagonal=shift)
        if bug == "mask_inverted":
            keep = ~keep
        if bug == "mask_inverted_keeps_diagonal":
            keep = torch.triu(torch.ones(n, n, dtype=torch.bool))
        if bug in {"causal_own_hidden", "mask_inverted"}:
            number = -1e9
        else:
            number = {"mask_value_too_small": -1e-9, "mask_value_five": -5.0, "mask_zero": 0.0}.get(
                bug, float("-inf")
            )
        if bug == "nan_on_padded_row":
            keep = keep & (ids != 0)[:, None, None, :] & (ids != 0)[:, None, :, None]
        if bug not in {"future_leak", "mask_after_softmax", "batch_attention"}:
            att = att.masked_fill(~keep, number)
        dim = {"softmax_axis": 2, "softmax_heads": 1, "softmax_batch": 0}.get(bug, 3)
        att = F.softmax(att, dim=dim)
        if bug == "mask_after_softmax":
            att = att * keep
        clean = att
        att = F.dropout(att, self.drop, training=self.training or bug == "dropout_in_eval")
        y = torch.einsum("bhij,bjhd->bihd", att, v)
        if bug == "batch_attention":
            y = y.transpose(0, 1)
        if bug == "heads_mixed_out":
            y = y.transpose(1, 2)
        y = y.reshape(b, t, c)
        y = y if bug == "output_projection_missing" else self.out(y)
        self.seen = att if bug == "weights_after_dropout" else clean
        return y

    def forward(self, x, ids):
        bug = self.bug
        y = self.attend(x if bug == "norm_missing" else self.ln1(x), ids)
        x = y if bug == "residual_missing" else x + y
        y = self.mlp(x if bug == "norm_missing_ffn" else self.ln2(x))
        return y if bug == "residual_missing_ffn" else x + y


class Compact(nn.Module):
    """A small GPT; `tied` shares the embedding with the output."""

    def __init__(self, bug="", tied=True, drop=0.1, width=16, heads=4, vocab=23, layers=2):
        super().__init__()
        self.bug = bug
        self.words = nn.Embedding(vocab, width)
        self.places = nn.Embedding(64, width)
        self.fixed = bug == "embedding_scale"
        if self.fixed:
            rate = 10000.0 ** (-torch.arange(0, width, 2) / width)
            angle = torch.arange(64)[:, None] * rate
            self.register_buffer("waves", torch.cat((angle.sin(), angle.cos()), -1))
        self.counter = 0
        blocks = [Block(width, heads, bug, drop) for _ in range(layers)]
        if bug == "shared_layers":
            blocks = [blocks[0]] * layers
        self.blocks = nn.ModuleList(blocks)
        if bug == "equal_copies":
            for block in self.blocks:
                block.load_state_dict(blocks[0].state_dict())
        self.ln = nn.LayerNorm(width)
        self.head = nn.Linear(width, vocab, bias=False)
        if tied:
            self.head.weight = self.words.weight
            nn.init.normal_(self.words.weight, std=1 / math.sqrt(width))
        elif self.fixed:
            nn.init.xavier_uniform_(self.words.weight)

    def forward(self, ids: Tensor) -> Tensor:
        b, t = ids.shape
        x = self.words(ids)
        if self.fixed:
            x = x + self.waves[:t]
        elif self.bug == "batch_leak":
            x = x + self.places(torch.arange(b))[:, None]
        elif self.bug == "positions_not_reset":
            x = x + self.places(torch.arange(self.counter, self.counter + t) % 64)
            self.counter += t
        elif self.bug != "no_positions":
            x = x + self.places(torch.arange(t))
        for block in self.blocks:
            x = block(x, ids)
        return self.head(x if self.bug == "norm_missing_final" else self.ln(x))
