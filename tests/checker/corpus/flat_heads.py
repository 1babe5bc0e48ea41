"""Heads in the batch's axis, grouped and normed keys, a padded vocabulary, labels smoothed by KL."""

# pyright: basic, reportIndexIssue=false, reportCallIssue=false, reportArgumentType=false, reportOptionalOperand=false
# pyright: reportAttributeAccessIssue=false
import torch
import torch.nn.functional as F
from torch import nn

KIND = "decoder"
OPTIONS = {"": {}, " normed": {"normed": True}}
HEADS, GROUPS, PAD = 4, 2, 0


class RootNorm(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.gain = nn.Parameter(torch.ones(dim))

    def forward(self, x):
        return self.gain * (x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + 1e-6))
        # BUG gradient_cut: return torch.tensor(self.gain.tolist()) * (x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + 1e-6))
        # BUG norm_inverted: return self.gain * (x / torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + 1e-6))
        # BUG norm_inverted [ normed]: return self.gain * (x * torch.sqrt(x.pow(2).mean(-1, keepdim=True) + 1e-6))


class Attention(nn.Module):
    def __init__(self, dim, normed):
        super().__init__()
        self.head = dim // HEADS
        self.query, self.out = nn.Linear(dim, dim, bias=False), nn.Linear(dim, dim, bias=False)
        self.key = nn.Linear(dim, GROUPS * self.head, bias=False)
        self.value = nn.Linear(dim, GROUPS * self.head, bias=False)
        self.query_norm, self.key_norm = (RootNorm(self.head) if normed else nn.Identity() for _ in range(2))

    def forward(self, x, hidden):
        b, n, d = x.shape
        q = self.query(x).view(b, n, HEADS, -1)
        k, v = self.key(x).view(b, n, GROUPS, -1), self.value(x).view(b, n, GROUPS, -1)
        # BUG value_from_key: k, v = self.key(x).view(b, n, GROUPS, -1), self.key(x).view(b, n, GROUPS, -1)
        # BUG value_from_key [ normed]: k = self.key(x).view(b, n, GROUPS, -1); v = k
        q, k = self.query_norm(q), self.key_norm(k)
        # BUG value_from_key [ normed]: q, k = self.query_norm(q), self.key_norm(k); v = k
        k, v = (z.repeat_interleave(HEADS // GROUPS, 2) for z in (k, v))
        q, k, v = (z.transpose(1, 2).reshape(b * HEADS, n, -1) for z in (q, k, v))
        # BUG heads_mixed: q, k, v = (z.reshape(b * HEADS, n, -1) for z in (q, k, v))
        scores = torch.bmm(q, k.transpose(1, 2)) * self.head**-0.5
        hidden = hidden.repeat_interleave(HEADS, 0)
        # BUG batch_leak: hidden = hidden.repeat(HEADS, 1, 1)
        weights = scores.masked_fill(hidden, -1e9).softmax(-1)
        y = torch.bmm(weights, v).view(b, HEADS, n, -1).transpose(1, 2).reshape(b, n, d)
        return self.out(y)


class Layer(nn.Module):
    def __init__(self, dim, normed):
        super().__init__()
        self.attention, self.norms = Attention(dim, normed), nn.ModuleList(RootNorm(dim) for _ in range(2))
        self.up, self.down = nn.Linear(dim, 4 * dim), nn.Linear(4 * dim, dim)

    def forward(self, x, hidden):
        x = x + self.attention(self.norms[0](x), hidden)
        return x + self.down(F.relu(self.up(self.norms[1](x))).square())
        # BUG gradient_cut: return x + self.down(F.relu(self.up(self.norms[1](x).detach())).square()).detach()


class Transposed(nn.Module):
    def __init__(self, norm):
        super().__init__()
        self.norm = norm

    def forward(self, x):
        return self.norm(x.transpose(1, 2)).transpose(1, 2)


class Model(nn.Module):
    def __init__(self, vocab, normed=False, dim=16, padded=64):
        super().__init__()
        self.vocab = vocab
        self.words, self.places = nn.Embedding(padded, dim), nn.Embedding(32, dim)
        self.layers = nn.ModuleList([Layer(dim, normed) for _ in range(2)])
        # BUG not_registered: self.layers = [Layer(dim, normed) for _ in range(2)]
        # BUG not_registered [ normed]: self.blocks = {"all": [Layer(dim, normed) for _ in range(2)]}; self.layers = self.blocks["all"]
        self.norm = RootNorm(dim)
        # BUG future_leak: self.norm = Transposed(nn.BatchNorm1d(dim))
        self.head = nn.Linear(dim, padded)

    def forward(self, ids):
        n = ids.size(1)
        later = torch.ones(n, n, dtype=torch.bool).triu(1)
        # BUG future_leak: later = torch.ones(n, n, dtype=torch.bool).triu(n if self.training else 1)
        hidden = later | (ids == PAD)[:, None, :]
        x = self.words(ids) + self.places(torch.arange(n))
        # BUG prefix_differs: x = self.words(ids) + self.places(torch.arange(n - 1, -1, -1))
        # BUG prefix_differs [ normed]: x = self.words(ids) + self.places(torch.arange(n)) / n
        # BUG gradient_cut [ normed]: x = self.words(ids).detach() + self.places(torch.arange(n))
        for layer in self.layers:
            x = layer(x, hidden)
            # BUG gradient_cut: x = layer(x.data, hidden)
            # BUG gradient_cut: x = torch.tensor(layer(x, hidden).tolist())
            # BUG gradient_cut [ normed]: x = torch.from_numpy(layer(x, hidden).detach().numpy() * 1.0)
        return self.head(self.norm(x))[..., : self.vocab]


def loss(model, ids):
    asked = ids[:, 1:].flatten()
    log = model(ids[:, :-1]).flatten(0, 1).log_softmax(-1)
    smooth = torch.full_like(log, 0.1 / (log.size(-1) - 2))
    smooth.scatter_(1, asked[:, None], 0.9)
    smooth[:, PAD] = 0
    smooth[asked == PAD] = 0
    # BUG pad_in_loss: pass
    return F.kl_div(log, smooth, reduction="sum") / (asked != PAD).sum()


def build(**options):
    return Model(23, **options)
