"""Heads as modules of a list, einsum over letters, and batch second: three ways to write one encoder-decoder."""

# pyright: basic, reportIndexIssue=false, reportCallIssue=false, reportArgumentType=false, reportOptionalOperand=false
# pyright: reportAttributeAccessIssue=false, reportOptionalMemberAccess=false, reportOptionalCall=false, reportGeneralTypeIssues=false
import math

import torch
import torch.nn.functional as F
from torch import einsum, nn

KIND = "encoder-decoder"
OPTIONS = {
    "": {"style": "list"},
    " narrow heads": {"style": "list", "part": 3},
    " letters": {"style": "letters"},
    " batch second": {"style": "second"},
    " letters, before": {"style": "letters", "pre": True},
    " batch second, before": {"style": "second", "pre": True},
}


class Head(nn.Module):
    def __init__(self, dim, part):
        super().__init__()
        self.q, self.k, self.v = (nn.Linear(dim, part, bias=False) for _ in range(3))

    def forward(self, x, memory, hidden):
        q, k, v = self.q(x), self.k(memory), self.v(memory)
        # BUG value_from_key: q, k, v = self.q(x), self.k(memory), self.k(memory)
        # BUG key_from_query [ narrow heads]: q, k, v = self.q(x), self.q(memory), self.v(memory)
        scores = q @ k.mT * k.size(-1) ** -0.5
        # BUG scale_missing: scores = q @ k.mT
        # BUG scale_inverted [ narrow heads]: scores = q @ k.mT * k.size(-1) ** 0.5
        # BUG scale_wrong [ narrow heads]: scores = q @ k.mT * x.size(-1) ** -0.5
        weights = scores.masked_fill(hidden, float("-inf")).softmax(-1)
        # BUG mask_value_too_small: weights = scores.masked_fill(hidden, 1e-9).softmax(-1)
        # BUG softmax_axis: weights = scores.masked_fill(hidden, -1e9).softmax(1)
        # BUG mask_after_softmax [ narrow heads]: weights = scores.softmax(-1).masked_fill(hidden, 0.0)
        return F.dropout(weights, 0.1, self.training) @ v
        # BUG dropout_in_eval: return F.dropout(weights, 0.1) @ v


class Several(nn.Module):
    def __init__(self, dim, heads, part):
        super().__init__()
        self.heads = nn.ModuleList(Head(dim, part) for _ in range(heads))
        # BUG not_registered: self.heads = [Head(dim, part) for _ in range(heads)]
        self.out = nn.Linear(heads * part, dim)

    def forward(self, x, memory, hidden):
        return self.out(torch.cat([head(x, memory, hidden) for head in self.heads], -1))
        # BUG output_projection_missing: return torch.cat([head(x, memory, hidden) for head in self.heads], -1)


class Letters(nn.Module):
    def __init__(self, dim, heads, part):
        super().__init__()
        self.wq, self.wk, self.wv = (nn.Parameter(torch.randn(heads, dim, part) / dim**0.5) for _ in range(3))
        self.wo = nn.Parameter(torch.randn(heads, part, dim) / dim**0.5)

    def forward(self, x, memory, hidden):
        q = einsum("bid,hde->bhie", x, self.wq) / math.sqrt(self.wq.size(-1))
        # BUG scale_missing [ letters]: q = einsum("bid,hde->bhie", x, self.wq)
        # BUG scale_wrong [ letters]: q = einsum("bid,hde->bhie", x, self.wq) / self.wq.size(-1)
        k = einsum("bjd,hde->bhje", memory, self.wk)
        # BUG key_from_query [ letters]: k = einsum("bjd,hde->bhje", memory, self.wq)
        v = einsum("bjd,hde->bhje", memory, self.wv)
        # BUG value_from_key [ letters, before]: v = einsum("bjd,hde->bhje", memory, self.wk)
        scores = einsum("bhie,bhje->bhij", q, k) + hidden[:, None] * -1e9
        # BUG mask_inverted [ letters]: scores = einsum("bhie,bhje->bhij", q, k) + ~hidden[:, None] * -1e9
        # BUG mask_value_too_small [ letters]: scores = einsum("bhie,bhje->bhij", q, k) + hidden[:, None] * -1e-9
        weights = torch.softmax(scores, dim=-1)
        # BUG softmax_axis [ letters]: weights = torch.softmax(scores, dim=-2)
        # BUG softmax_axis [ letters, before]: weights = torch.softmax(scores, dim=1)
        return einsum("bhij,bhje,hed->bid", weights, v, self.wo)


class Second(nn.Module):
    def __init__(self, dim, heads, part):
        super().__init__()
        self.heads, self.part = heads, part
        self.q, self.kv, self.out = nn.Linear(dim, heads * part), nn.Linear(dim, 2 * heads * part), nn.Linear(heads * part, dim)

    def forward(self, x, memory, hidden):
        length, batch, _ = x.shape
        q = self.q(x).view(length, batch, self.heads, self.part)
        # BUG heads_mixed [ batch second]: q = self.q(x).view(batch, length, self.heads, self.part).transpose(0, 1)
        k, v = self.kv(memory).view(len(memory), batch, self.heads, 2, self.part).unbind(3)
        # BUG value_from_key [ batch second]: k, v = self.kv(memory).view(len(memory), batch, self.heads, 2, self.part).unbind(3); v = k
        # BUG heads_mixed [ batch second, before]: k, v = self.kv(memory).view(self.heads, batch, len(memory), 2, self.part).transpose(0, 2).unbind(3)
        scores = einsum("ibhe,jbhe->ijbh", q, k) / self.part**0.5
        # BUG scale_missing [ batch second]: scores = einsum("ibhe,jbhe->ijbh", q, k)
        # BUG scale_inverted [ batch second, before]: scores = einsum("ibhe,jbhe->ijbh", q, k) * self.part**0.5
        weights = scores.masked_fill(hidden.permute(1, 2, 0)[..., None], -torch.inf).softmax(1)
        # BUG softmax_axis [ batch second]: weights = scores.masked_fill(hidden.permute(1, 2, 0)[..., None], -1e9).softmax(0)
        # BUG softmax_axis [ batch second, before]: weights = scores.masked_fill(hidden.permute(1, 2, 0)[..., None], -1e9).softmax(-1)
        # BUG mask_value_too_small [ batch second, before]: weights = scores.masked_fill(hidden.permute(1, 2, 0)[..., None], -3.0).softmax(1)
        # BUG mask_after_softmax [ batch second]: weights = scores.softmax(1) * ~hidden.permute(1, 2, 0)[..., None]
        return self.out(einsum("ijbh,jbhe->ibhe", weights, v).flatten(2))
        # BUG output_projection_missing [ batch second]: return einsum("ijbh,jbhe->ibhe", weights, v).flatten(2)
        # BUG heads_mixed [ batch second]: return self.out(einsum("ijbh,jbhe->bhie", weights, v).reshape(length, batch, -1))


MAKERS = {"list": Several, "letters": Letters, "second": Second}


class Layer(nn.Module):
    def __init__(self, dim, make, pre, cross):
        super().__init__()
        self.pre, self.mine, self.theirs = pre, make(), make() if cross else None
        self.one, self.two, self.three = nn.LayerNorm(dim), nn.LayerNorm(dim), nn.LayerNorm(dim) if cross else None
        self.up, self.down = nn.Linear(dim, 4 * dim), nn.Linear(4 * dim, dim)

    def forward(self, x, hidden, memory=None, away=None):
        add = self.before if self.pre else self.behind
        x = add(x, self.one, lambda y: self.mine(y, y, hidden))
        if self.theirs is not None:
            x = add(x, self.three, lambda y: self.theirs(y, memory, away))
            # BUG padding_attended: x = add(x, self.three, lambda y: self.theirs(y, memory, torch.zeros_like(away)))
            # BUG padding_attended [ batch second]: x = add(x, self.three, lambda y: self.theirs(y, memory, torch.zeros_like(away)))
            # BUG cross_reads_target: x = add(x, self.three, lambda y: self.theirs(y, y, hidden))
            # BUG cross_reads_target [ batch second, before]: x = add(x, self.three, lambda y: self.theirs(y, y, hidden))
            # BUG memory_ignored [ letters]: x = add(x, self.three, lambda y: self.theirs(y, torch.zeros_like(memory), away))
            # BUG cross_mask_wrong [ letters]: x = add(x, self.three, lambda y: self.theirs(y, memory, away | torch.ones(y.size(1), memory.size(1)).triu(1).bool()))
        return add(x, self.two, lambda y: self.down(F.silu(self.up(y))))
        # BUG activation_missing: return add(x, self.two, lambda y: self.down(self.up(y)))
        # BUG activation_missing [ batch second, before]: return add(x, self.two, lambda y: self.down(self.up(y)))

    def before(self, x, norm, sublayer):
        return x + sublayer(norm(x))
        # BUG residual_missing [ letters, before]: return sublayer(norm(x))
        # BUG residual_from_norm [ letters, before]: x = norm(x); return x + sublayer(x)
        # BUG residual_from_norm [ batch second, before]: x = norm(x); return x + sublayer(x)
        # BUG norm_missing [ batch second, before]: return x + sublayer(x)

    def behind(self, x, norm, sublayer):
        return norm(x + sublayer(x))
        # BUG residual_missing: return norm(sublayer(x))
        # BUG residual_missing [ letters]: return norm(sublayer(x))
        # BUG norm_missing [ batch second]: return x + sublayer(x)


class Model(nn.Module):
    def __init__(self, style, part=4, pre=False, dim=16, heads=4, layers=2, vocab=23):
        super().__init__()
        self.second = style == "second"
        make = lambda: MAKERS[style](dim, heads, part)
        self.src, self.tgt = nn.Embedding(vocab, dim), nn.Embedding(vocab, dim)
        self.places = nn.Parameter(torch.randn(30, dim) / 4)
        self.encoder = nn.ModuleList(Layer(dim, make, pre, False) for _ in range(layers))
        self.decoder = nn.ModuleList(Layer(dim, make, pre, True) for _ in range(layers))
        # BUG shared_layers [ letters]: self.decoder = nn.ModuleList([Layer(dim, make, pre, True)] * layers)
        self.ends = nn.ModuleList(nn.LayerNorm(dim) if pre else nn.Identity() for _ in range(2))
        # BUG norm_missing [ letters, before]: self.ends = nn.ModuleList(nn.Identity() for _ in range(2))
        self.head = nn.Linear(dim, vocab)

    def forward(self, src, tgt):
        away = (src == 0)[:, None, :]
        # BUG padding_attended [ letters]: away = torch.zeros_like(src).bool()[:, None, :]
        # BUG mask_inverted [ batch second]: away = (src != 0)[:, None, :]
        later = torch.ones(tgt.size(1), tgt.size(1)).triu(1).bool()[None]
        # BUG future_leak: later = torch.ones(tgt.size(1), tgt.size(1)).triu(99).bool()[None]
        # BUG future_leak [ letters]: later = torch.ones(tgt.size(1), tgt.size(1)).triu(99).bool()[None]
        # BUG future_leak [ batch second]: later = torch.ones(tgt.size(1), tgt.size(1)).triu(99).bool()[None]
        # BUG causal_off_by_one [ narrow heads]: later = torch.ones(tgt.size(1), tgt.size(1)).triu(2).bool()[None]
        # BUG causal_off_by_one [ batch second, before]: later = torch.ones(tgt.size(1), tgt.size(1)).triu(2).bool()[None]
        x = self.src(src) + self.places[: src.size(1)]
        # BUG no_positions: x = self.src(src)
        # BUG positions_twice [ letters]: x = self.src(src) + self.places[: src.size(1)] + self.places[: src.size(1)]
        y = self.tgt(tgt) + self.places[: tgt.size(1)]
        # BUG no_positions [ batch second]: y = self.tgt(tgt)
        # BUG prefix_differs [ letters]: y = self.tgt(tgt) + self.places[: tgt.size(1)].flip(0)
        if self.second:
            x, y = x.transpose(0, 1), y.transpose(0, 1)
            # BUG batch_leak [ batch second]: x, y = x.transpose(0, 1), y.transpose(0, 1) + y.transpose(0, 1).roll(1, 1)
        for layer in self.encoder:
            x = layer(x, away)
            # BUG causal_in_encoder: x = layer(x, away | torch.ones(src.size(1), src.size(1)).triu(1).bool())
            # BUG layers_not_run [ letters, before]: x = layer(x, away) if layer is self.encoder[0] else x
        x = self.ends[0](x)
        # BUG memory_ignored [ batch second]: x = self.ends[0](x * 0)
        # BUG gradient_cut [ letters]: x = self.ends[0](x).data
        for layer in self.decoder:
            y = layer(y, later, x, away)
        logits = self.head(self.ends[1](y))
        return logits.transpose(0, 1) if self.second else logits


def loss(model, src, tgt):
    logits, wanted = model(src, tgt[:, :-1]), tgt[:, 1:]
    # BUG target_not_shifted: logits, wanted = model(src, tgt), tgt
    kept = wanted != 0
    # BUG pad_in_loss: kept = wanted != -1
    return F.cross_entropy(logits[kept], wanted[kept])
    # BUG softmax_before_cross_entropy: return F.cross_entropy(logits[kept].softmax(-1), wanted[kept])
    # BUG log_softmax_missing: return F.nll_loss(logits[kept], wanted[kept])


def build(**options):
    return Model(**options)
