"""Views by named axes, as with einops; one matrix for keys and values; slopes; RMS norms after."""

# pyright: basic, reportIndexIssue=false, reportOptionalCall=false, reportCallIssue=false
# pyright: reportArgumentType=false, reportGeneralTypeIssues=false, reportAttributeAccessIssue=false
# pyright: reportOptionalIterable=false, reportOperatorIssue=false
import torch
import torch.nn.functional as F
from torch import nn

KIND = "decoder"
OPTIONS = {"": {}, " slopes": {"slopes": True}, " one key head": {"groups": 1}}


def rearrange(x, pattern, **sizes):
    left, right = (side.split() for side in pattern.split("->"))
    flat, shape, at = [], [], 0
    text = " ".join(left)
    tokens = text.replace("(", " ( ").replace(")", " ) ").split()
    group = None
    for token in tokens:
        if token == "(":
            group = []
        elif token == ")":
            product = 1
            for name in group:
                product *= sizes.get(name, 1)
            shape += [sizes.get(name, x.shape[at] // product) for name in group]
            flat += group
            at, group = at + 1, None
        elif group is not None:
            group.append(token)
        else:
            flat.append(token)
            shape.append(x.shape[at])
            at += 1
    x = x.reshape(shape)
    out, order, group = [], [], None
    for token in " ".join(right).replace("(", " ( ").replace(")", " ) ").split():
        if token == "(":
            group = 1
        elif token == ")":
            out.append(group)
            group = None
        else:
            order.append(flat.index(token))
            size = x.shape[order[-1]]
            if group is None:
                out.append(size)
            else:
                group *= size
    return x.permute(order).reshape(out)


class Norm(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.g = nn.Parameter(torch.ones(dim))

    def forward(self, x):
        return F.normalize(x, dim=-1) * self.g * x.shape[-1] ** 0.5


class Attend(nn.Module):
    def __init__(self, dim, heads, groups, slopes):
        super().__init__()
        self.heads, self.groups, self.part = heads, groups, dim // heads
        self.to_q = nn.Linear(dim, dim, bias=False)
        self.to_kv = nn.Linear(dim, 2 * groups * self.part, bias=False)
        self.to_out = nn.Linear(dim, dim, bias=False)
        self.norm, self.drop, self.slopes = Norm(dim), nn.Dropout(0.1), slopes

    def forward(self, x):
        n = x.shape[1]
        x = self.norm(x)
        # BUG norm_missing: pass
        q = rearrange(self.to_q(x), "b n (h d) -> b h n d", h=self.heads)
        # BUG heads_mixed: q = rearrange(self.to_q(x), "b n (d h) -> b n h d", h=self.heads).reshape(len(x), self.heads, n, -1)
        k, v = rearrange(self.to_kv(x), "b n (two g d) -> two b g n d", two=2, g=self.groups)
        # BUG value_from_key: k, _ = rearrange(self.to_kv(x), "b n (two g d) -> two b g n d", two=2, g=self.groups); v = k
        k, v = (t.repeat_interleave(self.heads // self.groups, 1) for t in (k, v))
        sim = torch.einsum("b h i d, b h j d -> b h i j", q * self.part**-0.5, k)
        # BUG scale_inverted: sim = torch.einsum("b h i d, b h j d -> b h i j", q * self.part**0.5, k)
        # BUG scale_wrong: sim = torch.einsum("b h i d, b h j d -> b h i j", q * self.part**-0.5, k * self.part**-0.5)
        if self.slopes:
            far = torch.arange(n)[None, :] - torch.arange(n)[:, None]
            sim = sim + far.clamp(max=0) * (2.0 ** -torch.arange(1, self.heads + 1))[:, None, None]
            # BUG no_positions [ slopes]: pass
        hide = torch.ones((n, n), dtype=torch.bool).triu(1)
        # BUG causal_off_by_one: hide = torch.ones((n, n), dtype=torch.bool).triu(0).fill_diagonal_(True); hide[0, 0] = False
        sim = sim.masked_fill(hide, -torch.finfo(sim.dtype).max)
        # BUG mask_value_too_small: sim = sim.masked_fill(hide, torch.finfo(sim.dtype).tiny)
        attn = self.drop(sim.softmax(dim=-1))
        out = torch.einsum("b h i j, b h j d -> b h i d", attn, v)
        return self.to_out(rearrange(out, "b h n d -> b n (h d)"))
        # BUG heads_mixed: return self.to_out(out.reshape(len(x), n, -1))
        # BUG output_projection_missing: return rearrange(out, "b h n d -> b n (h d)")


class GEGLU(nn.Module):
    def forward(self, x):
        x, gate = x.chunk(2, dim=-1)
        return F.gelu(gate) * x
        # BUG activation_missing: return gate + x


class Model(nn.Module):
    def __init__(self, slopes=False, groups=2, dim=16, heads=4, depth=2):
        super().__init__()
        self.token_emb, self.slopes = nn.Embedding(23, dim), slopes
        self.pos_emb = nn.Embedding(32, dim)
        self.layers = nn.ModuleList([])
        for _ in range(depth):
            ff = nn.Sequential(Norm(dim), nn.Linear(dim, 48), GEGLU(), nn.Linear(24, dim))
            self.layers.append(nn.ModuleList([Attend(dim, heads, groups, slopes), ff]))
        self.to_logits = nn.Sequential(Norm(dim), nn.Linear(dim, 23, bias=False))

    def forward(self, x):
        x = self.token_emb(x)
        if not self.slopes:
            x = x + rearrange(self.pos_emb(torch.arange(x.shape[1])), "n d -> 1 n d".replace("1 ", ""))
        for attend, ff in self.layers:
            x = attend(x) + x
            x = ff(x) + x
            # BUG residual_missing: x = ff(x)
        return self.to_logits(x)


def loss(model, x):
    inp, target = x[:, :-1], x[:, 1:]
    # BUG target_not_shifted: inp, target = x[:, 1:], x[:, 1:]
    logits = model(inp)
    return F.cross_entropy(rearrange(logits, "b n c -> b c n"), target, ignore_index=0)
    # BUG softmax_before_cross_entropy: return F.cross_entropy(rearrange(logits.softmax(-1), "b n c -> b c n"), target, ignore_index=0)
    # BUG logits_reshaped: return F.cross_entropy(logits.reshape(len(x), -1, target.shape[1]), target, ignore_index=0)


def build(**options):
    return Model(**options)
