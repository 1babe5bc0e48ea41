"""Positions between words alone: a bias by distance in buckets, or vectors by distance in the keys."""

# pyright: basic, reportIndexIssue=false, reportOptionalCall=false, reportCallIssue=false
# pyright: reportArgumentType=false, reportGeneralTypeIssues=false, reportAttributeAccessIssue=false
import math

import torch
import torch.nn.functional as F
from torch import nn

KIND = "encoder-decoder"
OPTIONS = {"": {}, " vectors in the keys": {"vectors": True}, " vectors in keys and values": {"vectors": True, "in_values": True}}


def buckets(far, both_ways, count=8, longest=16):
    numbers = torch.zeros_like(far)
    if both_ways:
        count //= 2
        numbers, far = (far > 0).long() * count, far.abs()
    else:
        far = -far.clamp(max=0)
    exact = count // 2
    large = exact + (torch.log(far.float().clamp(min=1) / exact) / math.log(longest / exact) * (count - exact)).long()
    return numbers + torch.where(far < exact, far, large.clamp(max=count - 1))


class Attention(nn.Module):
    def __init__(self, d, h, vectors, in_values, both_ways, far):
        super().__init__()
        self.h, self.part, self.both_ways, self.far = h, d // h, both_ways, far
        self.q, self.k, self.v, self.o = (nn.Linear(d, d, bias=False) for _ in range(4))
        self.bias = nn.Embedding(8, h) if far and not vectors else None
        self.near = nn.Embedding(9, self.part) if far and vectors else None
        self.near_values = nn.Embedding(9, self.part) if far and vectors and in_values else None

    def forward(self, x, y, mask):
        q, k, v = (
            w(z).view(len(z), -1, self.h, self.part).transpose(1, 2)
            # BUG heads_mixed: w(z).view(len(z), self.h, -1, self.part)
            for w, z in ((self.q, x), (self.k, y), (self.v, y))
            # BUG value_from_key: for w, z in ((self.q, x), (self.k, y), (self.k, y))
        )
        scores = q @ k.mT
        far = torch.arange(y.size(1))[None] - torch.arange(x.size(1))[:, None]
        if self.near is not None:
            r = self.near(far.clamp(-4, 4) + 4)
            scores = scores + torch.einsum("bhid,ijd->bhij", q, r)
            # BUG no_positions [ vectors in the keys]: pass
        scores = scores / math.sqrt(self.part)
        # BUG scale_missing: pass
        # BUG scale_wrong [ vectors in the keys]: scores = scores / self.part
        # BUG scale_inverted: scores = scores * math.sqrt(self.part)
        if self.bias is not None:
            scores = scores + self.bias(buckets(far, self.both_ways)).permute(2, 0, 1)
            # BUG no_positions: pass
        scores = scores.masked_fill(~mask, float("-inf"))
        # BUG mask_value_too_small: scores = scores.masked_fill(~mask, -2.0)
        # BUG mask_inverted: scores = scores.masked_fill(mask, -1e9)
        w = scores.softmax(-1)
        # BUG softmax_axis: w = scores.softmax(1)
        # BUG mask_after_softmax: w = (q @ k.mT / math.sqrt(self.part) + (self.bias(buckets(far, self.both_ways)).permute(2, 0, 1) if self.bias else 0)).softmax(-1) * mask
        out = w @ v
        if self.near_values is not None:
            out = out + torch.einsum("bhij,ijd->bhid", w, self.near_values(far.clamp(-4, 4) + 4))
        return self.o(out.transpose(1, 2).flatten(2))
        # BUG output_projection_missing [ vectors in keys and values]: return out.transpose(1, 2).flatten(2)
        # BUG heads_mixed [ vectors in keys and values]: return self.o(out.reshape(x.shape))


class Layer(nn.Module):
    def __init__(self, d, h, vectors, in_values, cross):
        super().__init__()
        self.own = Attention(d, h, vectors, in_values, not cross, True)
        self.other = Attention(d, h, vectors, in_values, True, False) if cross else None
        self.wi, self.wo = nn.Linear(d, 2 * d, bias=False), nn.Linear(2 * d, d, bias=False)
        self.norms = nn.ModuleList([nn.RMSNorm(d) for _ in range(3 if cross else 2)])

    def forward(self, x, mask, memory=None, memory_mask=None):
        y = self.norms[0](x)
        x = x + self.own(y, y, mask)
        # BUG residual_missing: x = self.own(y, y, mask)
        # BUG residual_from_norm: x = y + self.own(y, y, mask)
        if memory is not None:
            x = x + self.other(self.norms[1](x), memory, memory_mask)
            # BUG cross_reads_target: x = x + self.other(self.norms[1](x), self.norms[1](x), mask)
            # BUG memory_ignored: x = x + self.other(self.norms[1](x), memory * 0, memory_mask)
        return x + self.wo(self.wi(self.norms[-1](x)).relu())
        # BUG activation_missing: return x + self.wo(self.wi(self.norms[-1](x)))
        # BUG norm_missing: return x + self.wo(self.wi(x).relu())


class Model(nn.Module):
    def __init__(self, vectors=False, in_values=False, d=16, h=4, n=2):
        super().__init__()
        self.words = nn.Embedding(23, d)
        self.encoder = nn.ModuleList([Layer(d, h, vectors, in_values, False) for _ in range(n)])
        self.decoder = nn.ModuleList([Layer(d, h, vectors, in_values, True) for _ in range(n)])
        # BUG shared_layers: self.decoder = nn.ModuleList([Layer(d, h, vectors, in_values, True)] * n)
        self.ends = nn.ModuleList([nn.RMSNorm(d), nn.RMSNorm(d)])

    def forward(self, src, tgt):
        keep = (src != 0)[:, None, None]
        # BUG padding_attended: keep = torch.ones(1, 1, 1, src.size(1), dtype=torch.bool)
        causal = torch.ones(tgt.size(1), tgt.size(1), dtype=torch.bool).tril()
        # BUG causal_off_by_one: causal = torch.ones(tgt.size(1), tgt.size(1), dtype=torch.bool).tril(1)
        # BUG future_leak: causal = torch.ones(tgt.size(1), tgt.size(1), dtype=torch.bool)
        x, y = self.words(src), self.words(tgt)
        for layer in self.encoder:
            x = layer(x, keep)
            # BUG layers_not_run: x = self.encoder[0](x, keep)
            # BUG causal_in_encoder: x = layer(x, keep & torch.ones(src.size(1), src.size(1)).tril().bool())
        for layer in self.decoder:
            y = layer(y, causal, self.ends[0](x), keep)
        return F.linear(self.ends[1](y) * self.words.embedding_dim**-0.5, self.words.weight)


def loss(model, src, tgt):
    return F.cross_entropy(model(src, tgt[:, :-1]).mT, tgt[:, 1:], ignore_index=0)


def build(**options):
    return Model(**options)
