"""Decoders with what is usual by now: norms in other places, biases from data, experts, sparse scores."""

# pyright: basic, reportIndexIssue=false, reportCallIssue=false, reportArgumentType=false, reportOptionalOperand=false
# pyright: reportAttributeAccessIssue=false
import math

import torch
import torch.nn.functional as F
from torch import nn

KIND = "decoder"
OPTIONS = {
    " heads normed": {"heads": "normed"},
    " heads normed each": {"heads": "each normed"},
    " forgetting": {"scores": "forgetting"},
    " gated keys": {"scores": "gated keys"},
    " top scores": {"scores": "top"},
    " experts": {"network": "experts"},
    " ReZero": {"stack": "rezero"},
    " first norm missing": {"stack": "first normed outside"},
    " embeddings normed": {"stack": "embeddings normed"},
    " network first": {"stack": "post"},
}


class Attention(nn.Module):
    def __init__(self, dim, heads_kind, scores_kind, num=4):
        super().__init__()
        self.num, self.heads_kind, self.scores_kind = num, heads_kind, scores_kind
        self.wq, self.wk, self.wv, self.wo = (nn.Linear(dim, dim, bias=False) for _ in range(4))
        if heads_kind == "normed":
            self.sub_norm = nn.RMSNorm(dim)
        if heads_kind == "each normed":
            self.sub_norm = nn.RMSNorm(dim // num)
        if scores_kind == "forgetting":
            self.gate = nn.Linear(dim, num)
        if scores_kind == "gated keys":
            self.gate, self.lift = nn.Linear(dim, num), nn.Parameter(torch.ones(num))

    def forward(self, x):
        b, n, d = x.shape
        q, k, v = (w(x).view(b, n, self.num, -1).transpose(1, 2) for w in (self.wq, self.wk, self.wv))
        # BUG key_from_query: q, _, v = (w(x).view(b, n, self.num, -1).transpose(1, 2) for w in (self.wq, self.wk, self.wv)); k = q
        # BUG value_from_key [ forgetting]: q, k, _ = (w(x).view(b, n, self.num, -1).transpose(1, 2) for w in (self.wq, self.wk, self.wv)); v = k
        scores = q @ k.transpose(-1, -2) / math.sqrt(q.size(-1))
        # BUG scale_missing [ gated keys]: scores = q @ k.transpose(-1, -2)
        later = torch.ones(n, n, dtype=torch.bool).triu(1)
        # BUG future_leak: later = torch.zeros(n, n, dtype=torch.bool)
        # BUG future_leak [ forgetting]: later = torch.zeros(n, n, dtype=torch.bool)
        # BUG future_leak [ gated keys]: later = torch.zeros(n, n, dtype=torch.bool)
        # BUG causal_off_by_one [ forgetting]: later = torch.ones(n, n, dtype=torch.bool).triu(2)
        # BUG causal_off_by_one [ gated keys]: later = torch.ones(n, n, dtype=torch.bool).triu(2)
        # BUG future_leak [ top scores]: later = torch.zeros(n, n, dtype=torch.bool)
        if self.scores_kind == "forgetting":
            kept = F.logsigmoid(self.gate(x)).cumsum(1).transpose(1, 2)
            bias = (kept[..., :, None] - kept[..., None, :]).masked_fill(later, -torch.inf)
            scores = scores + bias
        elif self.scores_kind == "gated keys":
            bias = torch.exp(self.lift * F.softplus(self.gate(x))).transpose(1, 2)[:, :, None, :].expand(-1, -1, n, -1)
            bias = bias.masked_fill(later, torch.finfo(x.dtype).min)
            scores = scores + bias
        else:
            scores = scores.masked_fill(later, -torch.inf)
        if self.scores_kind == "top":
            least = scores.topk(min(3, n), -1).values[..., -1:]
            scores = scores.masked_fill(scores < least, -torch.inf)
        out = scores.softmax(-1) @ v
        # BUG softmax_axis: out = scores.softmax(1) @ v
        # BUG softmax_axis [ top scores]: out = scores.softmax(1) @ v
        if self.heads_kind == "each normed":
            out = self.sub_norm(out)
        out = out.transpose(1, 2).reshape(b, n, d)
        # BUG heads_mixed [ heads normed each]: out = out.reshape(b, n, d)
        if self.heads_kind == "normed":
            out = self.sub_norm(out)
        return self.wo(out)
        # BUG output_projection_missing: return out
        # BUG output_projection_missing [ heads normed each]: return out


class Experts(nn.Module):
    def __init__(self, dim, num=4, used=2):
        super().__init__()
        self.gate, self.used = nn.Linear(dim, num, bias=False), used
        self.experts = nn.ModuleList([mlp(dim) for _ in range(num)])

    def forward(self, x):
        b, n, d = x.shape
        flat = x.view(-1, d)
        probs, indices = torch.topk(self.gate(flat), self.used)
        probs = probs.softmax(dim=1, dtype=torch.float).to(x.dtype)
        masks = (indices.unsqueeze(-1) == torch.arange(len(self.experts))).permute(2, 0, 1)
        y = torch.zeros_like(flat)
        for mask, expert in zip(masks, self.experts, strict=True):
            token, place = torch.where(mask)
            y[token] += probs[token, place, None] * expert(flat[token])
        return y.view(b, n, d)


def mlp(dim):
    return nn.Sequential(nn.Linear(dim, 2 * dim), nn.GELU(), nn.Linear(2 * dim, dim))
    # BUG activation_missing: return nn.Sequential(nn.Linear(dim, 2 * dim), nn.Linear(2 * dim, dim))
    # BUG activation_missing [ ReZero]: return nn.Sequential(nn.Linear(dim, 2 * dim), nn.Linear(2 * dim, dim))


class Block(nn.Module):
    def __init__(self, dim, heads, scores, network, stack, first):
        super().__init__()
        self.stack = stack
        # A network by name before the attention, as it may stand in a file.
        self.a_network = Experts(dim) if network == "experts" else mlp(dim)
        self.b_attention = Attention(dim, heads, scores)
        rezero = stack == "rezero"
        bare = rezero or (first and stack == "first normed outside")
        self.norm1 = nn.Identity() if bare else nn.LayerNorm(dim)
        self.norm2 = nn.Identity() if rezero else nn.LayerNorm(dim)
        self.gate = nn.Parameter(torch.zeros(1)) if rezero else 1

    def forward(self, x):
        if self.stack == "post":
            x = self.norm1(x + self.b_attention(x))
            # BUG norm_missing [ network first]: x = x + self.b_attention(x)
            # BUG residual_missing [ network first]: x = self.norm1(self.b_attention(x))
            return self.norm2(x + self.a_network(x))
        x = x + self.gate * self.b_attention(self.norm1(x))
        # BUG residual_missing: x = self.gate * self.b_attention(self.norm1(x))
        # BUG residual_missing [ heads normed each]: x = self.gate * self.b_attention(self.norm1(x))
        # BUG residual_from_norm: x = self.norm1(x); x = x + self.gate * self.b_attention(x)
        # BUG residual_from_norm [ experts]: x = self.norm1(x); x = x + self.gate * self.b_attention(x)
        # BUG residual_from_norm [ embeddings normed]: x = self.norm1(x); x = x + self.gate * self.b_attention(x)
        return x + self.gate * self.a_network(self.norm2(x))
        # BUG residual_missing [ experts]: return self.gate * self.a_network(self.norm2(x))
        # BUG residual_from_norm [ experts]: x = self.norm2(x); return x + self.gate * self.a_network(x)
        # BUG residual_from_norm [ first norm missing]: x = self.norm2(x); return x + self.gate * self.a_network(x)
        # BUG norm_missing [ embeddings normed]: return x + self.gate * self.a_network(x)


class Model(nn.Module):
    def __init__(self, vocab, heads="", scores="", network="", stack="", dim=16, layers=2):
        super().__init__()
        self.stack = stack
        self.words, self.places = nn.Embedding(vocab, dim), nn.Embedding(32, dim)
        self.embedding_norm, self.widen = nn.LayerNorm(dim), nn.Linear(dim, dim)
        if stack not in {"embeddings normed", "first normed outside"}:
            del self.embedding_norm
        if stack != "embeddings normed":
            del self.widen
        self.layers = nn.ModuleList([Block(dim, heads, scores, network, stack, i == 0) for i in range(layers)])
        # BUG shared_layers: self.layers = nn.ModuleList([Block(dim, heads, scores, network, stack, False)] * layers)
        self.norm = nn.Identity() if stack in {"post", "rezero"} else nn.LayerNorm(dim)
        # BUG norm_missing: self.norm = nn.Identity()
        # BUG norm_missing [ experts]: self.norm = nn.Identity()
        self.head = nn.Linear(dim, vocab, bias=False)

    def forward(self, ids):
        x = self.words(ids) + self.places(torch.arange(ids.size(1)))
        # BUG no_positions [ heads normed]: x = self.words(ids)
        if self.stack in {"embeddings normed", "first normed outside"}:
            x = self.embedding_norm(x)
        if self.stack == "embeddings normed":
            x = self.widen(x)
        for layer in self.layers:
            x = layer(x)
            # BUG future_leak: x = layer(x); x = x - x.mean(1, keepdim=True)
            # BUG future_leak [ embeddings normed]: x = F.layer_norm(layer(x), x.shape[1:])
            # BUG future_leak [ forgetting]: x = layer(x); x = x + x.flip(1)
        return self.head(self.norm(x))


def build(**options):
    return Model(23, **options)
