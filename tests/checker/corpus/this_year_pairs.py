"""Encoder-decoders that do something between the towers, or choose among scores."""

# pyright: basic, reportIndexIssue=false, reportCallIssue=false, reportArgumentType=false, reportOptionalOperand=false
# pyright: reportAttributeAccessIssue=false
import math

import torch
import torch.nn.functional as F
from torch import nn

KIND = "encoder-decoder"
OPTIONS = {
    " convolved memory": {"memory": "convolved"},
    " convolved memory, two attentions": {"memory": "convolved", "twice": True},
    " top scores": {"scores": "top"},
    " second head": {"second": True},
}


class Attention(nn.Module):
    def __init__(self, dim, scores="", num=4):
        super().__init__()
        self.num, self.scores = num, scores
        self.wq, self.wk, self.wv, self.wo = (nn.Linear(dim, dim) for _ in range(4))

    def forward(self, x, memory, hidden):
        q, k, v = (
            w(z).unflatten(-1, (self.num, -1)).transpose(1, 2)
            for w, z in ((self.wq, x), (self.wk, memory), (self.wv, memory))
        )
        scores = q @ k.transpose(-1, -2) / math.sqrt(q.size(-1))
        # BUG scale_missing [ top scores]: scores = q @ k.transpose(-1, -2)
        scores = scores.masked_fill(hidden, -torch.inf)
        # BUG mask_value_too_small [ top scores]: scores = scores.masked_fill(hidden, -1e-9)
        if self.scores == "top":
            least = scores.topk(min(4, scores.size(-1)), -1).values[..., -1:]
            scores = scores.masked_fill(scores < least, -torch.inf)
        return self.wo((scores.softmax(-1) @ v).transpose(1, 2).flatten(2))


class Layer(nn.Module):
    def __init__(self, dim, scores, cross, twice=False):
        super().__init__()
        self.attend, self.cross = Attention(dim, scores), Attention(dim, scores) if cross else None
        self.network = nn.Sequential(nn.Linear(dim, 32), nn.ReLU(), nn.Linear(32, dim))
        self.also = Attention(dim, scores) if twice else None
        self.also_norm = nn.LayerNorm(dim) if twice else None
        self.norms = nn.ModuleList(nn.LayerNorm(dim) for _ in range(3 if cross else 2))

    def forward(self, x, hidden, memory=None, away=None):
        x = self.norms[0](x + self.attend(x, x, hidden))
        # BUG residual_missing [ second head]: x = self.norms[0](self.attend(x, x, hidden))
        if self.also is not None and self.also_norm is not None:
            x = self.also_norm(x + self.also(x, x, hidden))
        if memory is not None and self.cross is not None:
            x = self.norms[2](x + self.cross(x, memory, away))
            # BUG cross_reads_target [ second head]: x = self.norms[2](x + self.cross(x, x, hidden))
        return self.norms[1](x + self.network(x))


class Model(nn.Module):
    def __init__(self, vocab, memory="", scores="", second=False, twice=False, dim=16):
        super().__init__()
        self.src, self.tgt, self.places = nn.Embedding(vocab, dim), nn.Embedding(vocab, dim), nn.Embedding(32, dim)
        self.encoder = nn.ModuleList(Layer(dim, scores, False) for _ in range(2))
        self.decoder = nn.ModuleList(Layer(dim, scores, True, twice) for _ in range(2))
        self.mix = nn.Conv1d(dim, dim, 3, stride=2, padding=1) if memory else None
        self.heads = nn.ModuleDict({"words": nn.Linear(dim, vocab)})
        if second:
            self.heads["next"] = nn.Linear(dim, 2)

    def forward(self, src, tgt):
        away = (src == 0)[:, None, None]
        # BUG padding_attended [ top scores]: away = torch.zeros(len(src), 1, 1, src.size(1), dtype=torch.bool)
        # BUG mask_inverted [ second head]: away = (src != 0)[:, None, None]
        later = torch.ones(tgt.size(1), tgt.size(1), dtype=torch.bool).triu(1)
        # BUG future_leak: later = torch.zeros(tgt.size(1), tgt.size(1), dtype=torch.bool)
        # BUG future_leak [ top scores]: later = torch.zeros(tgt.size(1), tgt.size(1), dtype=torch.bool)
        # BUG causal_off_by_one: later = torch.ones(tgt.size(1), tgt.size(1), dtype=torch.bool).triu(2)
        x = self.src(src) + self.places(torch.arange(src.size(1)))
        for layer in self.encoder:
            x = layer(x, away)
        if self.mix is not None:
            x = x.masked_fill((src == 0)[..., None], 0)
            x = torch.relu(self.mix(x.transpose(1, 2)).transpose(1, 2))
            away = away[..., ::2]
        y = self.tgt(tgt) + self.places(torch.arange(tgt.size(1)))
        for layer in self.decoder:
            y = layer(y, later, x, away)
            # BUG memory_ignored: y = layer(y, later, x * 0, away)
        logits = self.heads["words"](y)
        return (logits, self.heads["next"](y[:, 0])) if "next" in self.heads else logits
        # BUG parameter_unused [ second head]: return logits


def call(model, src, tgt):
    returned = model(src, tgt)
    return returned[0] if isinstance(returned, tuple) else returned


def build(**options):
    return Model(23, **options)
