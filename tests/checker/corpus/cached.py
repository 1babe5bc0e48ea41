"""A decoder with a cache of keys and values: in one pass, token by token, after a learned prefix."""

# pyright: basic, reportIndexIssue=false, reportOptionalCall=false, reportCallIssue=false
# pyright: reportArgumentType=false, reportGeneralTypeIssues=false, reportAttributeAccessIssue=false
import torch
import torch.nn.functional as F
from torch import nn

KIND = "decoder"
OPTIONS = {"": {}, " step by step": {"steps": True}, " learned prefix": {"prefix": 3}}


class Attention(nn.Module):
    def __init__(self, size, heads, prefix):
        super().__init__()
        self.heads, self.head = heads, size // heads
        self.c_attn, self.c_proj = nn.Linear(size, 3 * size), nn.Linear(size, size)
        self.prefix = nn.Parameter(torch.randn(2, heads, prefix, self.head)) if prefix else None

    def forward(self, x, past):
        q, k, v = self.c_attn(x).split(x.size(-1), dim=2)
        # BUG value_from_key: q, k, v = self.c_attn(x).split(x.size(-1), dim=2); v = k
        # BUG key_from_query: q, k, v = self.c_attn(x).split(x.size(-1), dim=2); k = q
        q, k, v = (z.unflatten(-1, (self.heads, -1)).transpose(1, 2) for z in (q, k, v))
        # BUG heads_mixed: q, k, v = (z.reshape(len(z), self.heads, -1, self.head) for z in (q, k, v))
        if past is None and self.prefix is not None:
            past = self.prefix.unsqueeze(1).expand(-1, len(x), -1, -1, -1)
        if past is not None:
            k, v = torch.cat((past[0], k), dim=-2), torch.cat((past[1], v), dim=-2)
        present = torch.stack((k, v))
        w = torch.matmul(q, k.transpose(-1, -2)) / self.head**0.5
        # BUG scale_missing: w = torch.matmul(q, k.transpose(-1, -2))
        # BUG scale_wrong [ step by step]: w = torch.matmul(q, k.transpose(-1, -2)) / self.head
        # BUG scale_inverted [ learned prefix]: w = torch.matmul(q, k.transpose(-1, -2)) * self.head**0.5
        nd, ns = w.size(-2), w.size(-1)
        b = torch.ones(ns, ns).tril()[ns - nd : ns]
        # BUG future_leak: b = torch.ones(nd, ns)
        # BUG causal_off_by_one: b = torch.ones(ns, ns).tril(1)[ns - nd : ns]
        # BUG mask_inverted: b = torch.ones(ns, ns).triu(1)[ns - nd : ns]
        w = w * b - 1e4 * (1 - b)
        # BUG mask_value_too_small: w = w * b - 1e-4 * (1 - b)
        w = w.softmax(-1)
        # BUG softmax_axis: w = w.softmax(-2)
        # BUG dropout_in_eval [ step by step]: w = F.dropout(w.softmax(-1), 0.2)
        a = torch.matmul(w, v).transpose(1, 2).flatten(2)
        return self.c_proj(a), present
        # BUG output_projection_missing: return a, present
        # BUG output_projection_missing [ step by step]: return a, present


class Block(nn.Module):
    def __init__(self, size, heads, prefix):
        super().__init__()
        self.ln_1, self.ln_2 = nn.LayerNorm(size), nn.LayerNorm(size)
        self.attn = Attention(size, heads, prefix)
        self.c_fc, self.c_out = nn.Linear(size, 4 * size), nn.Linear(4 * size, size)

    def forward(self, x, past):
        a, present = self.attn(self.ln_1(x), past)
        x = x + a
        # BUG residual_missing: x = a
        # BUG residual_missing [ step by step]: x = a
        # BUG residual_from_norm [ learned prefix]: x = self.ln_1(x) + a
        return x + self.c_out(F.gelu(self.c_fc(self.ln_2(x)))), present
        # BUG activation_missing: return x + self.c_out(self.c_fc(self.ln_2(x))), present
        # BUG norm_missing [ step by step]: return x + self.c_out(F.gelu(self.c_fc(x))), present


class Model(nn.Module):
    def __init__(self, steps=False, prefix=0, size=16, heads=4, n=2):
        super().__init__()
        self.steps = steps
        self.wte, self.wpe = nn.Embedding(23, size), nn.Embedding(40, size)
        self.h = nn.ModuleList([Block(size, heads, prefix) for _ in range(n)])
        # BUG shared_layers: self.h = nn.ModuleList([Block(size, heads, prefix)] * n)
        self.ln_f, self.kept = nn.LayerNorm(size), None

    def forward(self, ids, past=None):
        begin = 0 if past is None else past[0].size(-2)
        # BUG positions_not_reset: begin = 0 if self.kept is None else self.kept
        # BUG no_positions [ step by step]: begin = 0
        x = self.wte(ids) + self.wpe(torch.arange(begin, begin + ids.size(1)))
        # BUG no_positions: x = self.wte(ids)
        # BUG positions_twice: x = self.wte(ids) + self.wpe.weight[: ids.size(1)] + self.wpe.weight[: ids.size(1)]
        presents = []
        for block, old in zip(self.h, past or [None] * len(self.h), strict=True):
            x, present = block(x, old)
            presents.append(present)
        self.kept = begin + ids.size(1)
        return self.ln_f(x) @ self.wte.weight.T, presents


def call(model, ids):
    if not model.steps:
        return model(ids)[0]
    past, rows = None, []
    # BUG positions_not_reset [ step by step]: past, rows = getattr(model, "kept_past", None), []
    for at in range(ids.size(1)):
        logits, past = model(ids[:, at : at + 1], past)
        rows.append(logits)
    model.kept_past = past
    return torch.cat(rows, dim=1)


def loss(model, ids):
    logits = model(ids[:, :-1])[0]
    return F.cross_entropy(logits.transpose(1, 2), ids[:, 1:], ignore_index=0)


def build(**options):
    return Model(**options)
