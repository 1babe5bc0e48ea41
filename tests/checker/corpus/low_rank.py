"""Queries, keys and values of low rank, and a part of each head that alone is turned by position."""

# pyright: basic, reportIndexIssue=false, reportOptionalCall=false, reportCallIssue=false
# pyright: reportArgumentType=false, reportGeneralTypeIssues=false, reportAttributeAccessIssue=false
import torch
import torch.nn.functional as F
from torch import nn

KIND = "decoder"
OPTIONS = {"": {}, " normed between": {"normed": True}, " without turning": {"turn": 0}}


def turned(x):
    n, half = x.size(-2), x.size(-1) // 2
    angle = torch.outer(torch.arange(n).float(), 100.0 ** -(torch.arange(half) / half))
    # BUG no_positions: angle = torch.zeros(n, half)
    a, b = x[..., :half], x[..., half:]
    return torch.cat((a * angle.cos() - b * angle.sin(), b * angle.cos() + a * angle.sin()), -1)


class Latent(nn.Module):
    def __init__(self, d, heads, part, turn, normed):
        super().__init__()
        self.heads, self.part, self.turn = heads, part, turn
        norm = nn.RMSNorm if normed else nn.Identity
        self.q_a, self.q_norm, self.q_b = nn.Linear(d, 6, bias=False), norm(6), nn.Linear(6, heads * (part + turn), bias=False)
        self.kv_a, self.kv_norm = nn.Linear(d, 8 + turn, bias=False), norm(8)
        self.kv_b, self.out = nn.Linear(8, heads * 2 * part, bias=False), nn.Linear(heads * part, d, bias=False)

    def forward(self, x):
        b, n, _ = x.shape
        q = self.q_b(self.q_norm(self.q_a(x))).view(b, n, self.heads, -1).transpose(1, 2)
        # BUG heads_mixed: q = self.q_b(self.q_norm(self.q_a(x))).view(b, self.heads, n, -1)
        latent, shared = self.kv_a(x).split((8, self.turn), dim=-1)
        k, v = self.kv_b(self.kv_norm(latent)).view(b, n, self.heads, -1).transpose(1, 2).chunk(2, -1)
        # BUG value_from_key [ without turning]: k, _ = self.kv_b(self.kv_norm(latent)).view(b, n, self.heads, -1).transpose(1, 2).chunk(2, -1); v = k
        if self.turn:
            still, moved = q.split((self.part, self.turn), dim=-1)
            q = torch.cat((still, turned(moved)), -1)
            k = torch.cat((k, turned(shared[:, None]).expand(-1, self.heads, -1, -1)), -1)
        scores = q @ k.mT * q.size(-1) ** -0.5
        # BUG scale_missing: scores = q @ k.mT
        # BUG scale_wrong: scores = q @ k.mT / q.size(-1)
        # BUG scale_inverted: scores = q @ k.mT * q.size(-1) ** 0.5
        scores = scores + torch.full((n, n), float("-inf")).triu(1)
        # BUG future_leak: pass
        # BUG causal_off_by_one: scores = scores + torch.full((n, n), float("-inf")).triu(2)
        # BUG mask_value_too_small: scores = scores + torch.full((n, n), -1.0).triu(1)
        # BUG mask_inverted: scores = scores + torch.full((n, n), float("-inf")).tril(-1)
        w = scores.softmax(-1)
        # BUG softmax_axis: w = scores.softmax(-2)
        return self.out((w @ v).transpose(1, 2).flatten(2))
        # BUG output_projection_missing: return (w @ v).transpose(1, 2).flatten(2)


class Layer(nn.Module):
    def __init__(self, d, heads, part, turn, normed):
        super().__init__()
        self.attention, self.one, self.two = Latent(d, heads, part, turn, normed), nn.RMSNorm(d), nn.RMSNorm(d)
        self.gate, self.up, self.down = nn.Linear(d, 2 * d), nn.Linear(d, 2 * d), nn.Linear(2 * d, d)

    def forward(self, x):
        x = x + self.attention(self.one(x))
        # BUG residual_missing: x = self.attention(self.one(x))
        # BUG residual_from_norm: x = self.one(x); x = x + self.attention(x)
        # BUG norm_missing: x = x + self.attention(x)
        y = self.two(x)
        return x + self.down(F.silu(self.gate(y)) * self.up(y))
        # BUG activation_missing: return x + self.down(self.gate(y) + self.up(y))
        # BUG residual_missing: return self.down(F.silu(self.gate(y)) * self.up(y))


class Model(nn.Module):
    def __init__(self, normed=False, turn=4, d=16, heads=4, part=4, n=2):
        super().__init__()
        self.words, self.places = nn.Embedding(23, d), None if turn else nn.Embedding(32, d)
        self.layers = nn.ModuleList([Layer(d, heads, part, turn, normed) for _ in range(n)])
        # BUG shared_layers: self.layers = nn.ModuleList([Layer(d, heads, part, turn, normed)] * n)
        self.norm, self.head = nn.RMSNorm(d), nn.Linear(d, 23, bias=False)

    def forward(self, ids):
        x = self.words(ids)
        if self.places is not None:
            x = x + self.places(torch.arange(ids.size(1)))
        for layer in self.layers:
            x = layer(x)
            # BUG layers_not_run: x = self.layers[1](x)
            # BUG batch_leak: x = layer(x) + x.mean(0)
        return self.head(self.norm(x))


def loss(model, ids):
    logits, asked = model(ids)[:, :-1], ids[:, 1:]
    return F.cross_entropy(logits.flatten(0, 1), asked.flatten(), ignore_index=0)
    # BUG pad_in_loss: return F.cross_entropy(logits.flatten(0, 1), asked.flatten())


def build(**options):
    return Model(**options)
