"""Decoders of one loop whose block does one thing otherwise: where norms stand, what is joined, what gates."""

# pyright: basic, reportIndexIssue=false, reportCallIssue=false, reportArgumentType=false, reportOptionalOperand=false
# pyright: reportAttributeAccessIssue=false
import math

import torch
import torch.nn.functional as F
from torch import nn
from torch.nn.utils.parametrizations import weight_norm

KIND = "decoder"
NAMES = (
    *("parallel, one norm", "parallel, two norms", "sandwich norms", "deep norm", "layer scale"),
    *("normed inside", "peri norms", "adapters", "low-rank updates", "normed weights", "skips"),
    *("values of the first layer", "hyper-connections", "depths mixed", "macaron", "cosine scores"),
    *("capped scores", "squared activations", "gated heads", "talking heads", "two softmaxes"),
    *("registers", "window", "slopes", "one key for all heads", "turned at a quarter"),
    "depths attended",
)
OPTIONS = {f" {name}": {"does": name} for name in NAMES}


class LowRank(nn.Module):
    def __init__(self, dim, wide, rank=2):
        super().__init__()
        self.frozen = nn.Linear(dim, wide)
        self.down, self.up = nn.Parameter(torch.randn(rank, dim) / 4), nn.Parameter(torch.zeros(wide, rank))

    def forward(self, x):
        return self.frozen(x) + (x @ self.down.T @ self.up.T) * 2.0


class Adapter(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.down, self.up = nn.Linear(dim, 4), nn.Linear(4, dim)

    def forward(self, x):
        return x + self.up(F.gelu(self.down(x)))


def rotate(x, part):
    turned, kept = x[..., :part], x[..., part:]
    half = part // 2
    angle = torch.arange(x.size(-2))[:, None] * 100.0 ** (-torch.arange(half) / half)
    sin, cos = angle.sin(), angle.cos()
    a, b = turned.chunk(2, -1)
    return torch.cat([a * cos - b * sin, b * cos + a * sin, kept], -1)


class Attention(nn.Module):
    def __init__(self, dim, does, heads=4):
        super().__init__()
        self.does, self.heads, self.part = does, heads, dim // heads
        keys = self.part if does == "one key for all heads" else dim
        make = LowRank if does == "low-rank updates" else nn.Linear
        self.q, self.k, self.v, self.o = make(dim, dim), make(dim, keys), make(dim, keys), make(dim, dim)
        if does == "normed weights":
            self.q, self.k, self.v, self.o = (weight_norm(each) for each in (self.q, self.k, self.v, self.o))
        if does == "gated heads":
            self.gate = nn.Linear(dim, dim)
        if does == "talking heads":
            self.before, self.after = nn.Parameter(torch.eye(heads)), nn.Parameter(torch.eye(heads) + 0.1)
        if does == "two softmaxes":
            self.q2, self.k2, self.share = nn.Linear(dim, dim), nn.Linear(dim, dim), nn.Parameter(torch.tensor(0.3))
        if does == "values of the first layer":
            self.mix = nn.Parameter(torch.tensor(0.5))
        if does == "cosine scores":
            self.heat = nn.Parameter(torch.full((heads, 1, 1), math.log(10.0)))

    def split(self, x):
        return x.view(len(x), x.size(1), -1, self.part).transpose(1, 2)
        # BUG heads_mixed [ gated heads]: return x.view(len(x), -1, x.size(1), self.part)
        # BUG heads_mixed [ window]: return x.view(len(x), -1, x.size(1), self.part)

    def forward(self, x, values=None):
        length = x.size(1)
        q, k, v = self.split(self.q(x)), self.split(self.k(x)), self.split(self.v(x))
        # BUG key_from_query [ parallel, one norm]: q, k, v = self.split(self.q(x)), self.split(self.q(x)), self.split(self.v(x))
        # BUG value_from_key [ low-rank updates]: q, k, v = self.split(self.q(x)), self.split(self.k(x)), self.split(self.k(x))
        # BUG value_from_key [ one key for all heads]: q, k, v = self.split(self.q(x)), self.split(self.k(x)), self.split(self.k(x))
        # BUG key_from_query [ capped scores]: q, k, v = self.split(self.q(x)), self.split(self.q(x)), self.split(self.v(x))
        if self.does == "turned at a quarter":
            q, k = rotate(q, 2), rotate(k, 2)
            # BUG no_positions [ turned at a quarter]: pass
        if self.does == "values of the first layer" and values is not None:
            v = torch.lerp(v, values, self.mix)
        later = torch.ones(length, length, dtype=torch.bool).triu(1)
        # BUG future_leak [ talking heads]: later = torch.zeros(length, length, dtype=torch.bool)
        # BUG causal_off_by_one [ two softmaxes]: later = torch.ones(length, length, dtype=torch.bool).triu(2)
        # BUG causal_off_by_one [ sandwich norms]: later = torch.ones(length, length, dtype=torch.bool).triu(0)
        # BUG mask_inverted [ deep norm]: later = torch.ones(length, length, dtype=torch.bool).tril()
        # BUG future_leak [ registers]: later = torch.zeros(length, length, dtype=torch.bool)
        if self.does == "window":
            later = later | torch.ones(length, length, dtype=torch.bool).tril(-4)
            # BUG future_leak [ window]: later = torch.ones(length, length, dtype=torch.bool).tril(-4)
        if self.does == "cosine scores":
            scores = F.normalize(q, dim=-1) @ F.normalize(k, dim=-1).mT * self.heat.clamp(max=4.6).exp()
        else:
            scores = q @ k.mT / math.sqrt(self.part)
            # BUG scale_missing [ parallel, two norms]: scores = q @ k.mT
            # BUG scale_inverted [ peri norms]: scores = q @ k.mT * math.sqrt(self.part)
            # BUG scale_wrong [ macaron]: scores = q @ k.mT / math.sqrt(x.size(-1))
            # BUG scale_missing [ slopes]: scores = q @ k.mT
        if self.does == "capped scores":
            scores = 5.0 * torch.tanh(scores / 5.0)
        if self.does == "slopes":
            far = torch.arange(length)[None] - torch.arange(length)[:, None]
            slopes = 2.0 ** -torch.arange(1, self.heads + 1)[:, None, None]
            scores = scores + far * slopes
            # BUG no_positions [ slopes]: pass
        if self.does == "talking heads":
            scores = torch.einsum("bhij,hg->bgij", scores, self.before)
        scores = scores.masked_fill(later, -torch.inf)
        # BUG mask_value_too_small [ layer scale]: scores = scores.masked_fill(later, -1e-9)
        # BUG mask_value_too_small [ slopes]: scores = scores.masked_fill(later, -4.0)
        weights = scores.softmax(-1)
        # BUG softmax_axis [ hyper-connections]: weights = scores.softmax(-2)
        # BUG softmax_axis [ skips]: weights = scores.softmax(1)
        # BUG mask_after_softmax [ gated heads]: weights = (q @ k.mT / math.sqrt(self.part)).softmax(-1).masked_fill(later, 0)
        # BUG mask_after_softmax [ depths mixed]: weights = (q @ k.mT / math.sqrt(self.part)).softmax(-1) * ~later
        if self.does == "talking heads":
            weights = torch.einsum("bhij,hg->bgij", weights, self.after)
        if self.does == "two softmaxes":
            other = self.split(self.q2(x)) @ self.split(self.k2(x)).mT / math.sqrt(self.part)
            weights = weights - self.share * other.masked_fill(later, -torch.inf).softmax(-1)
        out = (weights @ v).transpose(1, 2).flatten(2)
        # BUG heads_mixed [ cosine scores]: out = (weights @ v).reshape(x.shape)
        if self.does == "gated heads":
            out = out * self.gate(x).sigmoid()
        return self.o(out), v
        # BUG output_projection_missing [ capped scores]: return out, v
        # BUG output_projection_missing [ gated heads]: return out, v


class Network(nn.Module):
    def __init__(self, dim, does):
        super().__init__()
        self.does, self.up, self.down = does, nn.Linear(dim, 2 * dim), nn.Linear(2 * dim, dim)
        self.inner = nn.LayerNorm(2 * dim) if does == "normed inside" else nn.Identity()

    def forward(self, x):
        x = self.up(x)
        x = x.relu().square() if self.does == "squared activations" else F.gelu(x)
        # BUG activation_missing [ parallel, two norms]: x = x
        # BUG activation_missing [ squared activations]: x = x * 2
        return self.down(self.inner(x))


class Block(nn.Module):
    def __init__(self, dim, does):
        super().__init__()
        self.does = does
        self.attention, self.network = Attention(dim, does), Network(dim, does)
        self.one, self.two = nn.LayerNorm(dim), nn.LayerNorm(dim)
        if does in {"sandwich norms", "peri norms"}:
            self.after_one, self.after_two = nn.LayerNorm(dim), nn.LayerNorm(dim)
        if does == "parallel, one norm":
            del self.two
        if does == "layer scale":
            self.size_one, self.size_two = nn.Parameter(torch.full((dim,), 0.1)), nn.Parameter(torch.full((dim,), 0.1))
        if does == "adapters":
            self.adapt_one, self.adapt_two = Adapter(dim), Adapter(dim)
        if does == "macaron":
            self.first, self.first_norm = Network(dim, does), nn.LayerNorm(dim)
        if does == "depths mixed":
            self.router = nn.Linear(dim, 1)

    def forward(self, x, values):
        does, attend = self.does, lambda z: self.attention(z, values)[0]
        if does == "parallel, one norm":
            z = self.one(x)
            return x + attend(z) + self.network(z)
            # BUG residual_missing [ parallel, one norm]: return attend(z) + self.network(z)
            # BUG residual_from_norm [ parallel, one norm]: return z + attend(z) + self.network(z)
        if does == "parallel, two norms":
            return x + attend(self.one(x)) + self.network(self.two(x))
            # BUG norm_missing [ parallel, two norms]: return x + attend(self.one(x)) + self.network(x)
        if does in {"sandwich norms", "peri norms"}:
            x = x + self.after_one(attend(self.one(x)))
            # BUG residual_missing [ sandwich norms]: x = self.after_one(attend(self.one(x)))
            # BUG residual_from_norm [ peri norms]: x = self.one(x); x = x + self.after_one(attend(x))
            return x + self.after_two(self.network(self.two(x)))
        if does == "deep norm":
            x = self.one(x * 1.5 + attend(x))
            # BUG norm_missing [ deep norm]: x = x * 1.5 + attend(x)
            return self.two(x * 1.5 + self.network(x))
            # BUG residual_missing [ deep norm]: return self.two(self.network(x))
        if does == "layer scale":
            x = x + self.size_one * attend(self.one(x))
            return x + self.size_two * self.network(self.two(x))
            # BUG residual_missing [ layer scale]: return self.size_two * self.network(self.two(x))
        if does == "adapters":
            x = x + self.adapt_one(attend(self.one(x)))
            return x + self.adapt_two(self.network(self.two(x)))
            # BUG residual_missing [ adapters]: return self.adapt_two(self.network(self.two(x)))
        if does == "macaron":
            x = x + self.first(self.first_norm(x)) / 2
            x = x + attend(self.one(x))
            # BUG residual_missing [ macaron]: x = attend(self.one(x))
            return x + self.network(self.two(x)) / 2
        x = x + attend(self.one(x))
        # BUG residual_from_norm [ talking heads]: x = self.one(x); x = x + attend(x)
        # BUG residual_missing [ registers]: x = attend(self.one(x))
        return x + self.network(self.two(x))
        # BUG norm_missing [ low-rank updates]: return x + self.network(x)
        # BUG residual_missing [ normed inside]: return self.network(self.two(x))


class Model(nn.Module):
    def __init__(self, vocab, does, dim=16, layers=3):
        super().__init__()
        self.does = does
        self.words = nn.Embedding(vocab, dim)
        self.places = nn.Embedding(32, dim)
        if does in {"slopes", "turned at a quarter"}:
            del self.places
        self.layers = nn.ModuleList([Block(dim, does) for _ in range(layers)])
        # BUG shared_layers [ gated heads]: self.layers = nn.ModuleList([Block(dim, does)] * layers)
        # BUG not_registered [ layer scale]: self.layers = [Block(dim, does) for _ in range(layers)]
        # BUG not_registered [ window]: self.layers = tuple(Block(dim, does) for _ in range(layers))
        self.norm = nn.Identity() if does == "deep norm" else nn.LayerNorm(dim)
        # BUG norm_missing [ window]: self.norm = nn.Identity()
        # BUG norm_missing [ squared activations]: self.norm = nn.Identity()
        self.head = nn.Linear(dim, vocab, bias=False)
        self.head.weight = self.words.weight
        if does == "registers":
            self.registers = nn.Parameter(torch.randn(2, dim))
        if does == "skips":
            self.skip = nn.Parameter(torch.ones(1))
        if does == "hyper-connections":
            self.read = nn.Parameter(torch.randn(layers, 2)), nn.Parameter(torch.randn(layers, 2))
            self.reads = nn.ParameterList(self.read)
        if does == "depths attended":
            self.queries = nn.Parameter(torch.randn(2 * layers + 1, dim) / 4)

    def forward(self, ids):
        x = self.words(ids)
        if hasattr(self, "places"):
            x = x + self.places(torch.arange(ids.size(1)))
            # BUG no_positions [ parallel, one norm]: x = x
            # BUG batch_leak [ parallel, two norms]: x = x + self.places(torch.arange(len(ids)))[:, None]
            # BUG positions_twice [ gated heads]: x = x + self.places(torch.arange(ids.size(1))); x = x + self.places(torch.arange(ids.size(1)))
        if self.does == "registers":
            x = torch.cat([self.registers.expand(len(ids), -1, -1), x], 1)
        begin, values = x, None
        if self.does == "hyper-connections":
            return self.head(self.norm(self.streams(x)))
        if self.does == "depths attended":
            return self.head(self.norm(self.depths(x)))
        for at, layer in enumerate(self.layers):
            # BUG layers_not_run [ capped scores]: for at, layer in enumerate(self.layers[:1]):
            if self.does == "skips" and at == 2:
                x = x + self.skip * begin
            if self.does == "values of the first layer" and at == 0:
                values = layer.attention(layer.one(x))[1]
            if self.does == "depths mixed" and at == 1:
                x = self.some(layer, x)
                continue
            x = layer(x, values)
            # BUG gradient_cut [ squared activations]: x = layer(x.detach(), values)
            # BUG gradient_cut [ layer scale]: x = layer(x, values).data
            # BUG future_leak [ sandwich norms]: x = layer(x, values); x = x + x.mean(1, keepdim=True)
        if self.does == "registers":
            x = x[:, 2:]
        return self.head(self.norm(x))

    def some(self, layer, x):
        """Each token for itself goes through the layer or around it."""
        weight = layer.router(x)
        return torch.where(weight > 0, weight.sigmoid() * (layer(x, None) - x) + x, x)

    def depths(self, x):
        """Each sublayer reads a weighted sum of what all before it made, and is added to nothing."""
        outputs = [x]
        for layer in self.layers:
            outputs.append(layer.attention(layer.one(self.deep(outputs)))[0])
            outputs.append(layer.network(layer.two(self.deep(outputs))))
            # BUG residual_missing [ depths attended]: outputs = [layer.network(layer.two(self.deep(outputs)))]
        return self.deep(outputs)

    def deep(self, outputs):
        states = torch.stack(outputs, -2)
        keys = F.rms_norm(states, states.shape[-1:])
        weights = (keys @ self.queries[len(outputs) - 1]).softmax(-1)
        return (weights[..., None, :] @ states).squeeze(-2)

    def streams(self, x):
        """Two streams; every layer reads a mixture of them and is added to both."""
        streams = torch.stack([x, x])
        for at, layer in enumerate(self.layers):
            read, write = self.reads[0][at].softmax(0), self.reads[1][at]
            mixed = torch.einsum("s,sbnd->bnd", read, streams)
            streams = streams + write[:, None, None, None] * (layer(mixed, None) - mixed)
        return streams.sum(0)


def build(**options):
    return Model(23, **options)
