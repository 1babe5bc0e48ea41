"""nn.MultiheadAttention inside layers of one's own, batch second or first, post- or pre-norm."""

# pyright: basic, reportIndexIssue=false, reportOptionalCall=false, reportCallIssue=false
# pyright: reportArgumentType=false, reportGeneralTypeIssues=false, reportAttributeAccessIssue=false
import torch
import torch.nn.functional as F
from torch import nn

KIND = "encoder-decoder"
OPTIONS = {"": {}, " batch first": {"bf": True}, " batch first, pre-norm": {"bf": True, "pre": True}}


class Enc(nn.Module):
    def __init__(self, width, bf, pre):
        super().__init__()
        self.mha = nn.MultiheadAttention(width, 2, dropout=0.1, batch_first=bf)
        self.up, self.down, self.pre = nn.Linear(width, 40), nn.Linear(40, width), pre
        self.ln_a, self.ln_f = nn.LayerNorm(width), nn.LayerNorm(width)

    def forward(self, h, pad):
        if self.pre:
            z = self.ln_a(h)
            h = h + self.mha(z, z, z, key_padding_mask=pad, need_weights=False)[0]
            return h + self.down(F.relu(self.up(self.ln_f(h))))
            # BUG residual_from_norm [ batch first, pre-norm]: z = self.ln_f(h); return z + self.down(F.relu(self.up(z)))
        h = self.ln_a(h + self.mha(h, h, h, key_padding_mask=pad, need_weights=False)[0])
        # BUG padding_attended: h = self.ln_a(h + self.mha(h, h, h, need_weights=False)[0])
        # BUG mask_inverted: h = self.ln_a(h + self.mha(h, h, h, key_padding_mask=~pad, need_weights=False)[0])
        # BUG nan_on_padded_row: both = (pad[:, None] | pad[:, :, None]).repeat_interleave(2, 0); h = self.ln_a(h + self.mha(h, h, h, attn_mask=both)[0])
        return self.ln_f(h + self.down(F.relu(self.up(h))))
        # BUG residual_missing: return self.ln_f(self.down(F.relu(self.up(h))))


class Dec(nn.Module):
    def __init__(self, width, bf, pre):
        super().__init__()
        self.own = nn.MultiheadAttention(width, 2, dropout=0.1, batch_first=bf)
        self.other = nn.MultiheadAttention(width, 2, dropout=0.1, batch_first=bf)
        self.up, self.down, self.pre = nn.Linear(width, 40), nn.Linear(40, width), pre
        self.lns = nn.ModuleList([nn.LayerNorm(width) for _ in range(3)])

    def forward(self, h, m, causal, pad):
        if self.pre:
            z = self.lns[0](h)
            h = h + self.own(z, z, z, attn_mask=causal)[0]
            h = h + self.other(self.lns[1](h), m, m, key_padding_mask=pad)[0]
            return h + self.down(F.relu(self.up(self.lns[2](h))))
        h = self.lns[0](h + self.own(h, h, h, attn_mask=causal)[0])
        # BUG future_leak: h = self.lns[0](h + self.own(h, h, h, is_causal=False)[0])
        # BUG mask_inverted: h = self.lns[0](h + self.own(h, h, h, attn_mask=~causal)[0])
        h = self.lns[1](h + self.other(h, m, m, key_padding_mask=pad)[0])
        # BUG cross_reads_target: h = self.lns[1](h + self.other(h, h, h, attn_mask=causal)[0])
        # BUG padding_attended: h = self.lns[1](h + self.other(h, m, m)[0])
        return self.lns[2](h + self.down(F.relu(self.up(h))))
        # BUG norm_missing: return h + self.down(F.relu(self.up(h)))
        # BUG activation_missing: return self.lns[2](h + self.down(self.up(h)))


class Model(nn.Module):
    def __init__(self, bf=False, pre=False, width=20):
        super().__init__()
        self.bf, self.e_in, self.d_in = bf, nn.Embedding(23, width), nn.Embedding(23, width)
        self.p_in = nn.Embedding(50, width)
        self.enc = nn.ModuleList(Enc(width, bf, pre) for _ in range(2))
        self.dec = nn.ModuleList(Dec(width, bf, pre) for _ in range(2))
        self.last = nn.ModuleList(nn.LayerNorm(width) if pre else nn.Identity() for _ in range(2))
        self.vocab = nn.Linear(width, 23)

    def forward(self, src, tgt):
        pad = src.eq(0)
        s, t = (src, tgt) if self.bf else (src.t(), tgt.t())
        axis = 1 if self.bf else 0
        place = lambda i: self.p_in(torch.arange(i.size(axis))).unsqueeze(1 - axis)
        # BUG batch_leak: place = lambda i: self.p_in(torch.arange(i.size(1 - axis))).unsqueeze(axis)
        h = self.e_in(s) + place(s)
        for layer in self.enc:
            h = layer(h, pad)
        m, h = self.last[0](h), self.d_in(t) + place(t)
        # BUG memory_ignored: m, h = self.last[0](h) * 0.0, self.d_in(t) + place(t)
        n = tgt.size(1)
        causal = torch.ones(n, n, dtype=torch.bool).triu(1)
        for layer in self.dec:
            h = layer(h, m, causal, pad)
        h = self.vocab(self.last[1](h))
        return h if self.bf else h.transpose(0, 1)


def loss(model, src, tgt):
    y = tgt[:, 1:]
    scores = model(src, tgt[:, :-1])
    # BUG target_shift_wrong: scores = model(src, tgt[:, :-1])[:, :-1]; y = tgt[:, 2:]
    return F.cross_entropy(scores[y != 0], y[y != 0])
    # BUG pad_in_loss: return F.cross_entropy(scores.flatten(0, 1), y.flatten(), ignore_index=-100)


def build(**options):
    return Model(**options)
