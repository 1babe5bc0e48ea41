"""Attention within windows: in blocks of the sentence, or along the diagonals of the scores."""

# pyright: basic, reportIndexIssue=false, reportCallIssue=false, reportArgumentType=false, reportOptionalOperand=false
# pyright: reportAttributeAccessIssue=false
import math

import torch
import torch.nn.functional as F
from torch import nn

KIND = "decoder"
OPTIONS = {" in blocks": {"way": "blocks"}, " along diagonals": {"way": "diagonals"}, " by a mask": {"way": "mask"}}
WINDOW = 4


class Attention(nn.Module):
    def __init__(self, dim, way, heads=4):
        super().__init__()
        self.way, self.heads = way, heads
        self.qkv, self.out = nn.Linear(dim, 3 * dim), nn.Linear(dim, dim)
        # BUG output_projection_missing [ along diagonals]: self.qkv, self.out = nn.Linear(dim, 3 * dim), nn.Identity()

    def forward(self, x):
        b, n, d = x.shape
        q, k, v = (z.view(b, n, self.heads, -1).transpose(1, 2) for z in self.qkv(x).chunk(3, -1))
        q = q / math.sqrt(q.size(-1))
        y = getattr(self, self.way)(q, k, v, n)
        return self.out(y.transpose(1, 2).reshape(b, n, d))

    def mask(self, q, k, v, n):
        place = torch.arange(n)
        far = place[:, None] - place
        hidden = (far < 0) | (far > WINDOW)
        # BUG future_leak [ by a mask]: hidden = far > WINDOW
        # BUG causal_off_by_one [ by a mask]: hidden = (far < -1) | (far > WINDOW)
        return (q @ k.mT).masked_fill(hidden, -torch.inf).softmax(-1) @ v

    def blocks(self, q, k, v, n):
        more = -n % WINDOW
        q, k, v = (F.pad(z, (0, 0, 0, more)) for z in (q, k, v))
        place = torch.arange(n + more).view(-1, WINDOW)
        q = q.unflatten(2, (-1, WINDOW))
        k, v = (self.look_around(z.unflatten(2, (-1, WINDOW)), 0.0) for z in (k, v))
        there = self.look_around(place[None, None, ..., None], -1)[0, 0, ..., 0]
        scores = q @ k.mT
        hidden = (there[:, None, :] > place[:, :, None]) | (there[:, None, :] < 0)
        # BUG future_leak [ in blocks]: hidden = (there[:, None, :] < 0).expand(-1, WINDOW, -1)
        scores = scores.masked_fill(hidden, -torch.finfo(scores.dtype).max)
        return (scores.softmax(-1) @ v).flatten(2, 3)[:, :, :n]

    def look_around(self, z, fill):
        before = F.pad(z, (0, 0, 0, 0, 1, 0), value=fill)[:, :, :-1]
        return torch.cat([before, z], 3)

    def diagonals(self, q, k, v, n):
        keys, values = (F.pad(z, (0, 0, WINDOW, 0)).unfold(2, n, 1) for z in (k, v))  # [b, h, window, d, n]
        scores = torch.einsum("bhnd,bhwdn->bhnw", q, keys)
        early = torch.arange(WINDOW + 1) + torch.arange(n)[:, None] < WINDOW
        scores = scores.masked_fill(early, -torch.inf)
        return torch.einsum("bhnw,bhwdn->bhnd", scores.softmax(-1), values)


class Model(nn.Module):
    def __init__(self, vocab, way, dim=16):
        super().__init__()
        self.words, self.places = nn.Embedding(vocab, dim), nn.Embedding(32, dim)
        self.attentions = nn.ModuleList(Attention(dim, way) for _ in range(2))
        # BUG shared_layers [ by a mask]: self.attentions = nn.ModuleList([Attention(dim, way)] * 2)
        self.networks = nn.ModuleList(nn.Sequential(nn.Linear(dim, 32), nn.SiLU(), nn.Linear(32, dim)) for _ in range(2))
        self.norms = nn.ModuleList(nn.LayerNorm(dim) for _ in range(5))
        self.head = nn.Linear(dim, vocab)

    def forward(self, ids):
        x = self.words(ids) + self.places(torch.arange(ids.size(1)))
        for i, (attend, network) in enumerate(zip(self.attentions, self.networks, strict=True)):
            x = x + attend(self.norms[2 * i](x))
            # BUG residual_missing [ in blocks]: x = attend(self.norms[2 * i](x))
            x = x + network(self.norms[2 * i + 1](x))
            # BUG norm_missing [ by a mask]: x = x + network(x)
            # BUG norm_missing [ in blocks]: x = x + network(x)
        return self.head(self.norms[4](x))


def build(**options):
    return Model(23, **options)
