"""Decoders whose keys and values are made of one narrow vector a word, with experts that a bias helps to choose."""

# pyright: basic, reportIndexIssue=false, reportCallIssue=false, reportArgumentType=false, reportOptionalOperand=false
# pyright: reportAttributeAccessIssue=false, reportOptionalMemberAccess=false, reportGeneralTypeIssues=false
import math

import torch
import torch.nn.functional as F
from torch import nn

KIND = "decoder"
OPTIONS = {"": {}, " weighed before": {"before": True}, " streams": {"streams": True}}
DIM, HEADS, PLAIN, TURNED, WIDE, NARROW = 32, 4, 8, 4, 8, 12


def turned(x):
    angle = torch.arange(x.size(1))[:, None, None] / 100 ** (torch.arange(0, TURNED, 2) / TURNED)
    pairs = torch.view_as_complex(x.unflatten(-1, (-1, 2))) * torch.polar(torch.ones_like(angle), angle)
    return torch.view_as_real(pairs).flatten(-2)
    # BUG no_positions: return x


class Attention(nn.Module):
    def __init__(self, before):
        super().__init__()
        self.before, self.norm = before, nn.RMSNorm(NARROW)
        self.ask, self.narrow = nn.Linear(DIM, HEADS * (PLAIN + TURNED), bias=False), nn.Linear(DIM, NARROW + TURNED, bias=False)
        self.widen, self.out = nn.Linear(NARROW, HEADS * (PLAIN + WIDE), bias=False), nn.Linear(HEADS * WIDE, DIM, bias=False)
        self.scale = (PLAIN + TURNED) ** -0.5
        # BUG scale_missing: self.scale = 1.0
        # BUG scale_wrong: self.scale = 1 / (PLAIN + TURNED)

    def forward(self, x, mask):
        asked, near = self.ask(x).unflatten(-1, (HEADS, -1)).split([PLAIN, TURNED], -1)
        latent, place = self.narrow(x).split([NARROW, TURNED], -1)
        latent, near, place = self.norm(latent), turned(near), turned(place[:, :, None])
        if self.before:
            to_key, to_value = self.widen.weight.view(HEADS, -1, NARROW).split([PLAIN, WIDE], 1)
            asked = torch.einsum("bqhd,hdc->bqhc", asked, to_key)
            scores = torch.einsum("bqhc,bkc->bhqk", asked, latent) + torch.einsum("bqhr,bkr->bhqk", near, place[:, :, 0])
            weights = (scores * self.scale + mask).softmax(-1)
            # BUG softmax_axis [ weighed before]: weights = (scores * self.scale + mask).softmax(1)
            heads = torch.einsum("bhqc,hdc->bqhd", torch.einsum("bhqk,bkc->bhqc", weights, latent), to_value)
            return self.out(heads.flatten(2))
        key, value = self.widen(latent).unflatten(-1, (HEADS, -1)).split([PLAIN, WIDE], -1)
        # BUG value_from_key: key = value = self.widen(latent).unflatten(-1, (HEADS, -1))[..., :PLAIN]
        asked, key = torch.cat([asked, near], -1), torch.cat([key, place.expand(-1, -1, HEADS, -1)], -1)
        scores = torch.einsum("bqhd,bkhd->bhqk", asked, key) * self.scale + mask
        return self.out(torch.einsum("bhqk,bkhd->bqhd", scores.softmax(-1), value).flatten(2))
        # BUG heads_mixed: return self.out(torch.einsum("bhqk,bkhd->bhqd", scores.softmax(-1), value).reshape(*x.shape[:2], -1))


class Dense(nn.Module):
    def __init__(self):
        super().__init__()
        self.gate, self.up, self.down = nn.Linear(DIM, 24), nn.Linear(DIM, 24), nn.Linear(24, DIM)

    def forward(self, x):
        return self.down(F.silu(self.gate(x)) * self.up(x))


class Experts(nn.Module):
    def __init__(self):
        super().__init__()
        self.route, self.bias = nn.Linear(DIM, 4, bias=False), nn.Parameter(torch.zeros(4))
        self.every, self.shared = nn.ModuleList(Dense() for _ in range(4)), Dense()
        # BUG not_registered: self.every, self.shared = [Dense() for _ in range(4)], Dense()

    def forward(self, x):
        words = x.flatten(0, 1)
        scores = self.route(words).sigmoid()
        chosen = (scores + self.bias).topk(2).indices
        shares, mixture = scores.gather(1, chosen), torch.zeros_like(words)
        for number, expert in enumerate(self.every):
            at, which = torch.where(chosen == number)
            if len(at):
                mixture[at] += expert(words[at]) * shares[at, which, None]
        return (mixture + self.shared(words)).view_as(x)


class Layer(nn.Module):
    def __init__(self, before):
        super().__init__()
        self.attention, self.experts, self.norm1, self.norm2 = Attention(before), Experts(), nn.RMSNorm(DIM), nn.RMSNorm(DIM)

    def forward(self, x, mask):
        x = x + self.attention(self.norm1(x), mask)
        # BUG residual_missing: x = self.attention(self.norm1(x), mask)
        # BUG residual_missing [ weighed before]: x = self.attention(self.norm1(x), mask)
        # BUG norm_missing [ weighed before]: x = x + self.attention(x, mask)
        return x + self.experts(self.norm2(x))


class Model(nn.Module):
    def __init__(self, before=False, streams=False):
        super().__init__()
        self.words, self.layers, self.norm = nn.Embedding(23, DIM), nn.ModuleList(Layer(before) for _ in range(2)), nn.RMSNorm(DIM)
        if streams:
            self.read, self.mix = nn.Parameter(torch.tensor([0.6, 0.4])), nn.Parameter(torch.eye(2) + 0.1)

    def forward(self, ids):
        x, mask = self.words(ids), torch.full((ids.size(1), ids.size(1)), -math.inf).triu(1)
        # BUG causal_off_by_one [ weighed before]: x, mask = self.words(ids), torch.full((ids.size(1), ids.size(1)), -math.inf).triu(2)
        # BUG future_leak [ streams]: x, mask = self.words(ids), torch.zeros(ids.size(1), ids.size(1))
        if hasattr(self, "mix"):
            many = torch.stack([x, x])
            for layer in self.layers:
                read = torch.einsum("k,kbnd->bnd", self.read, many)
                many = torch.einsum("jk,kbnd->jbnd", self.mix, many) + (layer(read, mask) - read)
            return F.linear(self.norm(many.sum(0)), self.words.weight)
        for layer in self.layers:
            x = layer(x, mask)
        return F.linear(self.norm(x), self.words.weight)
        # BUG norm_missing: return F.linear(x, self.words.weight)


def build(**options):
    return Model(**options)
