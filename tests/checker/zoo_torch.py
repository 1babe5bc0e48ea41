"""Style three: an encoder-decoder on nn.MultiheadAttention and F.scaled_dot_product_attention."""

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
    "padding_inverted",
    "float_mask_added",
    "padding_attended",
    "cross_mask_wrong",
    "mask_value_too_small",
    "mask_value_five",
    "nan_on_padded_row",
    "heads_mixed",
    "heads_mixed_out",
    "scale_missing",
    "scale_inverted",
    "batch_leak",
    "batch_attention",
    "no_positions",
    "no_positions_tgt",
    "positions_not_reset",
    "embedding_scale",
    "shared_layers",
    "equal_copies",
    "value_from_key",
    "output_projection_missing",
    "cross_reads_target",
    "cross_values_from_target",
    "memory_ignored",
    "memory_not_passed",
    "source_not_memory",
    "residual_missing",
    "residual_missing_ffn",
    "norm_missing",
    "norm_missing_final",
    "dropout_in_eval",
    "weights_after_dropout",
}
FUSED = {
    "heads_mixed",
    "heads_mixed_out",
    "scale_missing",
    "scale_inverted",
    "value_from_key",
    "output_projection_missing",
    "dropout_in_eval",
    "nan_on_padded_row",
}


class Fused(nn.Module):
    """Around F.scaled_dot_product_attention; `mask` is bool, True = may attend, or is added."""

    def __init__(self, width, heads, bug, drop):
        super().__init__()
        self.heads, self.bug, self.drop = heads, bug, drop
        self.q, self.kv = nn.Linear(width, width), nn.Linear(width, 2 * width)
        self.o = nn.Linear(width, width)

    def forward(self, x, memory, mask):
        bug, heads = self.bug, self.heads
        b, n, width = x.shape
        k, v = self.kv(memory).chunk(2, -1)
        if bug == "value_from_key":
            v = k

        def split(z):
            if bug == "heads_mixed":
                return z.reshape(b, heads, z.size(1), -1)
            return z.unflatten(-1, (heads, -1)).transpose(1, 2)

        q, k, v = split(self.q(x)), split(k), split(v)
        scale = {"scale_missing": 1.0, "scale_inverted": math.sqrt(width // heads)}.get(bug)
        drop = self.drop if self.training or bug == "dropout_in_eval" else 0.0
        if bug == "nan_on_padded_row":
            scores = q @ k.mT / math.sqrt(width // heads)
            out = scores.masked_fill(~mask, -torch.inf).softmax(-1) @ v
        else:
            out = F.scaled_dot_product_attention(q, k, v, mask, drop, scale=scale)
        out = out.reshape(b, n, width) if bug == "heads_mixed_out" else out.mT.mT.transpose(1, 2)
        out = out.reshape(b, n, width)
        return out if bug == "output_projection_missing" else self.o(out)


class Attend(nn.Module):
    """nn.MultiheadAttention, or `Fused` where it leaves no room for the bug."""

    def __init__(self, width, heads, bug, drop):
        super().__init__()
        self.bug = bug
        if bug in FUSED:
            self.fused = Fused(width, heads, bug, drop)
        else:
            first = bug != "batch_attention"
            self.mha = nn.MultiheadAttention(width, heads, dropout=drop, batch_first=first)

    def forward(self, x, memory, values, mask, hidden):
        if self.bug in FUSED:
            keep = None if hidden is None else ~hidden[:, None, None, :]
            if mask is not None:
                keep = ~mask if keep is None else keep & ~mask
            if self.bug == "nan_on_padded_row" and hidden is not None and x is memory:
                keep = keep & ~hidden[:, None, :, None]
            return self.fused(x, memory, keep)
        if self.bug == "batch_attention":
            mask, hidden = None, None
        wanted = self.bug == "weights_after_dropout"
        out, weights = self.mha(x, memory, values, hidden, wanted, mask)
        if wanted:
            self.weights = weights  # for pictures
        return out


class Layer(nn.Module):
    def __init__(self, width, heads, bug, drop, pre, cross):
        super().__init__()
        self.bug, self.pre = bug, pre
        self.norms = nn.ModuleList([nn.LayerNorm(width) for _ in range(3)])
        self.attend = Attend(width, heads, bug, drop)
        self.cross = Attend(width, heads, bug, drop) if cross else None
        self.mlp = nn.Sequential(
            nn.Linear(width, 32), nn.ReLU(), nn.Dropout(drop), nn.Linear(32, width)
        )
        self.drop = nn.Dropout(drop)

    def around(self, x, index, sublayer, residual=True, normed=True):
        norm = self.norms[index] if normed else nn.Identity()
        if self.pre:
            return residual * x + self.drop(sublayer(norm(x))) if residual else sublayer(norm(x))
        out = self.drop(sublayer(x))
        return norm(x + out) if residual else norm(out)

    def forward(self, x, mask, hidden, memory=None, memory_hidden=None):
        bug = self.bug
        has = self.cross is None or bug != "norm_missing"
        x = self.around(
            x, 0, lambda y: self.attend(y, y, y, mask, hidden), bug != "residual_missing", has
        )
        if self.cross is not None and memory is not None:
            if bug == "cross_reads_target":
                x = self.around(x, 1, lambda y: self.cross(y, y, y, None, None))
            elif bug == "cross_values_from_target":
                x = self.around(x, 1, lambda y: self.cross(y, memory, y, None, memory_hidden))
            elif bug == "memory_ignored":
                x = self.around(
                    x, 1, lambda y: 0 * self.cross(y, memory, memory, None, memory_hidden)
                )
            else:
                other = mask if bug == "cross_mask_wrong" else None
                memory_hidden = None if bug == "cross_mask_wrong" else memory_hidden
                x = self.around(x, 1, lambda y: self.cross(y, memory, memory, other, memory_hidden))
        return self.around(x, 2, self.mlp, bug != "residual_missing_ffn")


class Modern(nn.Module):
    """An encoder-decoder of library parts, post-norm unless `pre`."""

    def __init__(self, bug="", pre=False, drop=0.1, width=16, heads=4, vocab=23, layers=2):
        super().__init__()
        self.bug, self.pre, self.start = bug, pre, 0
        self.src_emb, self.tgt_emb = nn.Embedding(vocab, width), nn.Embedding(vocab, width)
        if bug == "embedding_scale":
            nn.init.normal_(self.src_emb.weight, std=0.02)
            nn.init.normal_(self.tgt_emb.weight, std=0.02)
        rate = 10000.0 ** (-torch.arange(0, width, 2) / width)
        angle = torch.arange(64)[:, None] * rate
        waves = torch.stack((angle.sin(), angle.cos()), -1).flatten(1)
        self.waves = nn.Parameter(waves, requires_grad=False)

        def stack(cross):
            blocks = [Layer(width, heads, bug, drop, pre, cross) for _ in range(layers)]
            if bug == "shared_layers":
                blocks = [blocks[0]] * layers
            if bug == "equal_copies":
                for layer in blocks:
                    layer.load_state_dict(blocks[0].state_dict())
            return nn.ModuleList(blocks)

        self.encoder, self.decoder = stack(False), stack(True)
        self.final = nn.ModuleList([nn.LayerNorm(width) for _ in range(2)])
        self.head = nn.Linear(width, vocab)

    def embed(self, table, ids, bug):
        x = table(ids)
        if bug == "no_positions":
            return x
        if bug == "batch_leak":
            return x + self.waves[: len(ids), None]
        start = self.start
        if bug == "positions_not_reset":
            self.start = (start + ids.size(1)) % 40
        return x + self.waves[start : start + ids.size(1)]

    def forward(self, src: Tensor, tgt: Tensor) -> Tensor:
        bug, n = self.bug, tgt.size(1)
        src_hidden = src == 0
        shift = {"causal_off_by_one": 2, "causal_own_hidden": 0}.get(bug, 1)
        mask = torch.ones(n, n, dtype=torch.bool).triu(shift)
        if bug == "causal_own_hidden":
            mask[0, 0] = False
        if bug == "mask_inverted":
            mask = ~mask
            mask[-1, -1] = False
        elif bug == "future_leak":
            mask = None
        elif bug == "float_mask_added":
            mask = torch.tril(torch.ones(n, n))
        elif bug in {"mask_value_too_small", "mask_value_five"}:
            mask = mask * (-1e-9 if bug == "mask_value_too_small" else -5.0)
        if bug == "padding_inverted":
            src_hidden = ~src_hidden
        hidden = None if bug == "padding_attended" else src_hidden
        x = raw = self.embed(self.src_emb, src, bug)
        for layer in self.encoder:
            x = layer(x, None, hidden)
        if self.pre and bug != "norm_missing_final":
            x = self.final[0](x)
        memory = {"memory_not_passed": None, "source_not_memory": raw}.get(bug, x)
        y = self.embed(self.tgt_emb, tgt, "no_positions" if bug == "no_positions_tgt" else bug)
        for layer in self.decoder:
            y = layer(y, mask, None, memory, hidden)
        if self.pre and bug != "norm_missing_final":
            y = self.final[1](y)
        return self.head(y)
