"""Length first, heads beside the batch, bmm: the style of large sequence toolkits."""

# pyright: basic, reportIndexIssue=false, reportOptionalCall=false, reportCallIssue=false
# pyright: reportArgumentType=false, reportGeneralTypeIssues=false, reportAttributeAccessIssue=false
import math

import torch
import torch.nn.functional as F
from torch import nn

KIND = "encoder-decoder"
OPTIONS = {"": {}, " post-norm": {"pre": False}}


class Attention(nn.Module):
    def __init__(self, dim, heads):
        super().__init__()
        self.heads, self.head_dim = heads, dim // heads
        self.scaling = self.head_dim**-0.5
        # BUG scale_missing: self.scaling = 1.0
        # BUG scale_inverted: self.scaling = self.head_dim**0.5
        # BUG scale_wrong: self.scaling = dim**-0.5
        self.q_proj, self.k_proj = nn.Linear(dim, dim), nn.Linear(dim, dim)
        self.v_proj, self.out_proj = nn.Linear(dim, dim), nn.Linear(dim, dim)

    def shape(self, x, length, bsz):
        return x.contiguous().view(length, bsz * self.heads, self.head_dim).transpose(0, 1)
        # BUG heads_mixed: return x.contiguous().view(bsz * self.heads, length, self.head_dim)

    def forward(self, query, key, pads=None, mask=None):
        n, bsz, dim = query.size()
        m = key.size(0)
        q = self.q_proj(query) * self.scaling
        k, v = self.k_proj(key), self.v_proj(key)
        # BUG value_from_key: k, v = self.k_proj(key), self.k_proj(key)
        # BUG key_from_query: k, v = self.q_proj(key), self.v_proj(key)
        q, k, v = self.shape(q, n, bsz), self.shape(k, m, bsz), self.shape(v, m, bsz)
        scores = torch.bmm(q, k.transpose(1, 2))
        if mask is not None:
            scores = scores + mask.unsqueeze(0)
            # BUG future_leak: pass
            # BUG mask_inverted: scores = scores - mask.unsqueeze(0).nan_to_num(neginf=-1e9)
            # BUG mask_value_too_small: scores = scores + mask.unsqueeze(0).exp()
        if pads is not None:
            scores = scores.view(bsz, self.heads, n, m)
            scores = scores.masked_fill(pads.unsqueeze(1).unsqueeze(2), float("-inf"))
            # BUG nan_on_padded_row: pads = pads[:, None] | pads[:, :, None] if n == m else pads[:, None]; scores = scores.masked_fill(pads[:, None], float("-inf"))
            # BUG padding_attended: pass
            # BUG mask_inverted: scores = scores.masked_fill(~pads.unsqueeze(1).unsqueeze(2), -1e4)
            scores = scores.view(bsz * self.heads, n, m)
        weights = F.softmax(scores.float(), dim=-1).type_as(scores)
        # BUG softmax_axis: weights = F.softmax(scores, dim=0)
        # BUG softmax_axis: weights = F.softmax(scores, dim=1)
        x = torch.bmm(F.dropout(weights, 0.1, training=self.training), v)
        # BUG dropout_in_eval: x = torch.bmm(F.dropout(weights, 0.1), v)
        x = x.transpose(0, 1).contiguous().view(n, bsz, dim)
        # BUG heads_mixed: x = x.contiguous().view(n, bsz, dim)
        return self.out_proj(x), weights.view(bsz, self.heads, n, m).mean(1)
        # BUG output_projection_missing: return x, None


class Layer(nn.Module):
    def __init__(self, dim, heads, pre, cross):
        super().__init__()
        self.pre = pre
        self.self_attn, self.self_attn_norm = Attention(dim, heads), nn.LayerNorm(dim)
        self.cross_attn = Attention(dim, heads) if cross else None
        self.cross_attn_norm = nn.LayerNorm(dim) if cross else None
        self.fc1, self.fc2 = nn.Linear(dim, 2 * dim), nn.Linear(2 * dim, dim)
        self.final_norm = nn.LayerNorm(dim)

    def around(self, x, norm, sublayer):
        residual = x
        x = sublayer(norm(x) if self.pre else x)
        # BUG residual_from_norm []: x = norm(x); residual = x; x = sublayer(x)
        # BUG norm_missing []: x = sublayer(x)
        x = residual + F.dropout(x, 0.1, training=self.training)
        # BUG residual_missing: pass
        return x if self.pre else norm(x)
        # BUG norm_missing [ post-norm]: return x

    def forward(self, x, pads, mask=None, memory=None, memory_pads=None):
        x = self.around(x, self.self_attn_norm, lambda y: self.self_attn(y, y, pads, mask)[0])
        # BUG batch_leak: x = self.around(x, self.self_attn_norm, lambda y: self.self_attn(y.transpose(0, 1), y.transpose(0, 1))[0].transpose(0, 1))
        if memory is not None:
            cross = self.cross_attn
            x = self.around(x, self.cross_attn_norm, lambda y: cross(y, memory, memory_pads)[0])
            # BUG cross_reads_target: x = self.around(x, self.cross_attn_norm, lambda y: cross(y, y)[0])
            # BUG memory_ignored: x = self.around(x, self.cross_attn_norm, lambda y: cross(y, memory.detach() * 0, memory_pads)[0])
            # BUG padding_attended: x = self.around(x, self.cross_attn_norm, lambda y: cross(y, memory)[0])
        return self.around(x, self.final_norm, lambda y: self.fc2(F.relu(self.fc1(y))))
        # BUG activation_missing: return self.around(x, self.final_norm, lambda y: self.fc2(self.fc1(y)))


class Model(nn.Module):
    def __init__(self, pre=True, dim=16, heads=4, n=2):
        super().__init__()
        self.embed, self.places = nn.Embedding(23, dim, padding_idx=0), nn.Embedding(64, dim)
        self.encoder = nn.ModuleList([Layer(dim, heads, pre, False) for _ in range(n)])
        self.decoder = nn.ModuleList([Layer(dim, heads, pre, True) for _ in range(n)])
        # BUG shared_layers: self.decoder = nn.ModuleList([Layer(dim, heads, pre, True)] * n)
        self.norms = nn.ModuleList([nn.LayerNorm(dim) if pre else nn.Identity() for _ in range(2)])
        # BUG norm_missing []: self.norms = nn.ModuleList([nn.Identity(), nn.Identity()])
        self.scale = math.sqrt(dim)

    def tokens(self, ids):
        x = self.embed(ids) * self.scale + self.places(torch.arange(ids.size(1)))
        # BUG no_positions: x = self.embed(ids) * self.scale
        # BUG batch_leak: x = self.embed(ids) * self.scale + self.places(torch.arange(len(ids)))[:, None]
        # BUG positions_twice: x = self.embed(ids) * self.scale + self.places.weight[:ids.size(1)] + self.places.weight[:ids.size(1)]
        return x.transpose(0, 1)

    def forward(self, src, prev):
        pads, n = src.eq(0), prev.size(1)
        mask = torch.triu(torch.full((n, n), float("-inf")), 1)
        # BUG causal_off_by_one: mask = torch.triu(torch.full((n, n), float("-inf")), 2)
        x = self.tokens(src)
        for layer in self.encoder:
            x = layer(x, pads)
            # BUG causal_in_encoder: x = layer(x, pads, torch.triu(torch.full((len(x), len(x)), float("-inf")), 1))
            # BUG layers_not_run: x = layer(x, pads); break
        memory, x = self.norms[0](x), self.tokens(prev)
        for layer in self.decoder:
            x = layer(x, None, mask, memory, pads)
            # BUG cross_mask_wrong: x = layer(x, None, mask, memory, (torch.arange(src.size(1)) % 2 == 1).expand_as(src))
        return F.linear(self.norms[1](x).transpose(0, 1), self.embed.weight), {"attn": None}


def loss(model, src, tgt):
    logits, _ = model(src, tgt[:, :-1])
    logs = F.log_softmax(logits.float(), dim=-1)
    # BUG log_softmax_missing: logs = logits
    # BUG softmax_before_cross_entropy: logs = F.log_softmax(logits.softmax(-1), dim=-1)
    target = tgt[:, 1:]
    # BUG target_not_shifted: target = tgt[:, :-1]
    # BUG target_shift_wrong: target = tgt.roll(1, 1)[:, :-1]
    nll = -logs.gather(-1, target.unsqueeze(-1)).squeeze(-1)
    # BUG log_softmax_missing: return F.nll_loss(logs.exp().flatten(0, 1), target.flatten(), ignore_index=0)
    keep = target.ne(0)
    # BUG pad_in_loss: keep = target.ge(0)
    return (nll * keep).sum() / keep.sum()


def build(**options):
    return Model(**options)
