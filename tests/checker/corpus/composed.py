"""Decoders put together of parts that are usual by now: caps, gates, sinks, values of the first layer."""

# pyright: basic, reportIndexIssue=false, reportCallIssue=false, reportArgumentType=false, reportOptionalOperand=false
# pyright: reportAttributeAccessIssue=false, reportOptionalMemberAccess=false
import torch
import torch.nn.functional as F
from torch import nn

KIND = "decoder"
OPTIONS = {
    "": {"parts": "positions"},
    " mixed values": {"parts": "rotary normed squared first capped"},
    " side by side": {"parts": "part parallel"},
    " sandwich": {"parts": "positions sandwich soft"},
    " slopes": {"parts": "slopes gated"},
    " distances": {"parts": "distances squared"},
    " sink": {"parts": "rotary sink window gated"},
    " one more": {"parts": "rotary more"},
    " head gates": {"parts": "rotary opened"},
    " unit keys": {"parts": "rotary unit gated"},
    " norms behind": {"parts": "rotary behind gated normed"},
    " small steps": {"parts": "rotary small"},
    " smeared": {"parts": "rotary smeared first"},
    " neighbours": {"parts": "positions near"},
    " begins at 0": {"parts": "rotary zeros"},
    " gated norms": {"parts": "rotary shares"},
}
HEADS, GROUPS = 4, 2


class RootNorm(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.gain = nn.Parameter(torch.ones(dim))

    def forward(self, x):
        return self.gain * x * (x.square().mean(-1, keepdim=True) + 1e-6).rsqrt()
        # BUG norm_inverted: return self.gain * x * (x.square().mean(-1, keepdim=True) + 1e-6).sqrt()


def turned(x, part=1.0):
    length, dim = x.shape[-2], int(x.shape[-1] * part)
    turn, rest = x[..., :dim], x[..., dim:]
    angle = torch.arange(length)[:, None] / 10000 ** (torch.arange(0, dim, 2) / dim)
    even, odd = turn[..., ::2], turn[..., 1::2]
    one, two = even * angle.cos() - odd * angle.sin(), even * angle.sin() + odd * angle.cos()
    return torch.cat([torch.stack([one, two], -1).flatten(-2), rest], -1)


class Attention(nn.Module):
    def __init__(self, dim, parts):
        super().__init__()
        self.parts, self.size = parts, dim // HEADS
        self.query, self.out = nn.Linear(dim, dim), nn.Linear(dim, dim)
        self.key, self.value = (nn.Linear(dim, GROUPS * self.size) for _ in range(2))
        if "normed" in parts:
            self.norms = nn.ModuleList(RootNorm(self.size) for _ in range(2))
        if "sink" in parts:
            self.sink = nn.Parameter(torch.zeros(HEADS))
        if "opened" in parts:
            self.gates = nn.Linear(dim, HEADS)
        if "distances" in parts:
            self.bias = nn.Embedding(8, HEADS)

    def forward(self, x, first):
        batch, length, dim = x.shape
        query = self.query(x).view(batch, length, HEADS, self.size).transpose(1, 2)
        key = self.key(x).view(batch, length, GROUPS, self.size).transpose(1, 2)
        # BUG heads_mixed: key = self.key(x).view(batch, GROUPS, length, self.size)
        value = self.value(x).view(batch, length, GROUPS, self.size).transpose(1, 2)
        # BUG value_from_key: value = key
        # BUG value_from_key [ sandwich]: value = key
        if "normed" in self.parts:
            query, key = self.norms[0](query), self.norms[1](key)
        if "unit" in self.parts:
            query, key = F.normalize(query, dim=-1), F.normalize(key, dim=-1)
        if first is not None:
            value = (value + first) / 2
        if "rotary" in self.parts or "part" in self.parts:
            query, key = (turned(each, 0.5 if "part" in self.parts else 1) for each in (query, key))
        keys, values = (each.repeat_interleave(HEADS // GROUPS, 1) for each in (key, value))
        weights = self.weights(query, keys)
        heads = weights @ values
        if "opened" in self.parts:
            heads = heads * self.gates(x).sigmoid().mT[..., None]
        joined = heads.transpose(1, 2).reshape(batch, length, dim)
        # BUG heads_mixed: joined = heads.reshape(batch, length, dim)
        # BUG heads_mixed [ sink]: joined = heads.reshape(batch, length, dim)
        return self.out(joined), value
        # BUG output_projection_missing: return joined, value
        # BUG output_projection_missing [ norms behind]: return joined, value

    def weights(self, query, key):
        scores = query @ key.mT * (10.0 if "unit" in self.parts else self.size**-0.5)
        # BUG scale_missing: scores = query @ key.mT
        # BUG scale_missing [ sandwich]: scores = query @ key.mT
        # BUG scale_missing [ neighbours]: scores = query @ key.mT
        # BUG scale_missing [ begins at 0]: scores = query @ key.mT
        # BUG scale_inverted [ small steps]: scores = query @ key.mT * self.size**0.5
        # BUG scale_wrong [ distances]: scores = query @ key.mT / self.size
        if "soft" in self.parts:
            scores = 20 * torch.tanh(scores / 20)
        place = torch.arange(scores.size(-1))
        back = place[:, None] - place
        if "slopes" in self.parts:
            scores = scores - 2.0 ** -torch.arange(1, HEADS + 1)[:, None, None] * back.abs()
        if "distances" in self.parts:
            scores = scores + self.bias(back.clamp(0, 7)).permute(2, 0, 1)
        seen = back >= 0
        # BUG causal_off_by_one: seen = back >= -1
        # BUG causal_off_by_one [ sink]: seen = back >= -1
        # BUG future_leak [ begins at 0]: seen = back >= -99
        # BUG future_leak [ norms behind]: seen = back >= -99
        # BUG future_leak [ mixed values]: seen = back >= -99
        # BUG mask_inverted: seen = back < 0
        if "window" in self.parts:
            seen = seen & (back < 3)
        scores = torch.where(seen, scores, torch.finfo(scores.dtype).min)
        # BUG mask_value_too_small [ sandwich]: scores = torch.where(seen, scores, -5.0)
        # BUG mask_value_too_small [ slopes]: scores = torch.where(seen, scores, -5.0)
        if "sink" in self.parts:
            sink = self.sink[:, None, None].expand(*scores.shape[:3], 1)
            return torch.cat([scores, sink], -1).softmax(-1)[..., :-1]
        if "more" in self.parts:
            most = scores.amax(-1, keepdim=True).clamp_min(0)
            large = (scores - most).exp()
            return large / (large.sum(-1, keepdim=True) + (-most).exp())
        return scores.softmax(-1)
        # BUG softmax_axis: return scores.softmax(-2)
        # BUG softmax_axis [ head gates]: return scores.softmax(1)


class Dense(nn.Module):
    def __init__(self, dim, parts):
        super().__init__()
        self.parts = parts
        self.up, self.down = nn.Linear(dim, 2 * dim), nn.Linear(2 * dim, dim)
        if "gated" in parts:
            self.gate = nn.Linear(dim, 2 * dim)

    def forward(self, x):
        if "gated" in self.parts:
            return self.down(F.silu(self.gate(x)) * self.up(x))
        if "squared" in self.parts:
            return self.down(F.relu(self.up(x)).square())
        return self.down(F.gelu(self.up(x)))
        # BUG activation_missing: return self.down(self.up(x))
        # BUG activation_missing [ sandwich]: return self.down(self.up(x))


class Layer(nn.Module):
    def __init__(self, dim, parts):
        super().__init__()
        self.parts = parts
        self.attention, self.dense = Attention(dim, parts), Dense(dim, parts)
        self.norms = nn.ModuleList(RootNorm(dim) for _ in range(4 if "sandwich" in parts else 2))
        if "small" in parts:
            self.steps = nn.ParameterList(torch.full((dim,), 0.1) for _ in range(2))
        if "shares" in parts:
            self.share = nn.Linear(dim, dim)
        if "near" in parts:
            self.near = nn.Conv1d(dim, dim, 3, groups=dim)

    def after(self, x, which):
        if "sandwich" in self.parts:
            x = self.norms[2 + which](x)
        return x * self.steps[which] if "small" in self.parts else x

    def forward(self, x, first):
        if "parallel" in self.parts:
            normed = self.norms[0](x)
            output, value = self.attention(normed, first)
            return x + output + self.dense(normed), value
        if "behind" in self.parts:
            output, value = self.attention(x, first)
            x = x + self.norms[0](output)
            return x + self.norms[1](self.dense(x)), value
        normed = self.norms[0](x)
        if "shares" in self.parts:
            normed = normed * self.share(normed).sigmoid()
        if "near" in self.parts:
            normed = normed + self.near(F.pad(normed.mT, (2, 0))).mT
            # BUG future_leak [ neighbours]: normed = normed + self.near(F.pad(normed.mT, (1, 1))).mT
        output, value = self.attention(normed, first)
        x = x + self.after(output, 0)
        # BUG residual_missing [ gated norms]: x = self.after(output, 0)
        # BUG residual_missing [ neighbours]: x = self.after(output, 0)
        # BUG residual_missing: x = self.after(output, 0)
        # BUG residual_missing [ sink]: x = self.after(output, 0)
        # BUG residual_from_norm: x = normed + self.after(output, 0)
        # BUG residual_from_norm [ sandwich]: x = normed + self.after(output, 0)
        return x + self.after(self.dense(self.norms[1](x)), 1), value
        # BUG residual_missing: return self.after(self.dense(self.norms[1](x)), 1), value
        # BUG residual_missing [ distances]: return self.after(self.dense(self.norms[1](x)), 1), value
        # BUG norm_missing: return x + self.after(self.dense(x), 1), value
        # BUG norm_missing [ one more]: return x + self.after(self.dense(x), 1), value


class Model(nn.Module):
    def __init__(self, vocab, parts, dim=32, layers=3):
        super().__init__()
        self.parts = parts = parts.split()
        self.words = nn.Embedding(vocab, dim)
        if "positions" in parts:
            self.places = nn.Embedding(32, dim)
        self.layers = nn.ModuleList(Layer(dim, parts) for _ in range(layers))
        # BUG shared_layers: self.layers = nn.ModuleList([Layer(dim, parts)] * layers)
        # BUG not_registered: self.layers = [Layer(dim, parts) for _ in range(layers)]
        self.norm, self.head = RootNorm(dim), nn.Linear(dim, vocab)
        # BUG norm_missing [ sink]: self.norm, self.head = nn.Identity(), nn.Linear(dim, vocab)
        if "zeros" in parts:
            for weight in self.head.parameters():
                nn.init.zeros_(weight)

    def forward(self, ids):
        x = self.words(ids)
        if "smeared" in self.parts:
            x = x + 0.1 * F.pad(x, (0, 0, 1, 0))[:, :-1]
        if "positions" in self.parts:
            x = x + self.places(torch.arange(ids.size(1)))
            # BUG prefix_differs: x = x + self.places(torch.arange(ids.size(1)).flip(0))
            # BUG positions_twice: x = x + self.places(torch.arange(ids.size(1))) + self.places(torch.arange(ids.size(1)))
        first, layers = None, self.layers
        # BUG layers_not_run: first, layers = None, self.layers[:1]
        for layer in layers:
            x, value = layer(x, first)
            # BUG gradient_cut: x, value = layer(x.detach(), first)
            # BUG gradient_cut [ sink]: x, value = layer(torch.tensor(x.tolist()), first)
            if "first" in self.parts and first is None:
                first = value
        logits = self.head(self.norm(x))
        # BUG future_leak: logits = self.head(F.layer_norm(x, x.shape[1:]))
        return 15 * torch.tanh(logits / 15) if "capped" in self.parts else logits


def build(**options):
    return Model(23, **options)
