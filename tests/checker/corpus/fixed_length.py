"""Sentences are filled up to a fixed length inside the model."""

# pyright: basic, reportIndexIssue=false, reportOptionalCall=false, reportCallIssue=false
# pyright: reportArgumentType=false, reportGeneralTypeIssues=false, reportAttributeAccessIssue=false
import torch
import torch.nn.functional as F
from torch import nn

KIND = "encoder-decoder"
OPTIONS = {"": {}, " twice as long": {"block": 24}}
PAD = 0


class Attention(nn.Module):
    def __init__(self, d, h):
        super().__init__()
        self.h, self.q, self.kv, self.o = h, nn.Linear(d, d), nn.Linear(d, 2 * d), nn.Linear(d, d)

    def forward(self, x, y, keep):
        b, n, d = x.shape
        k, v = self.kv(y).chunk(2, -1)
        # BUG value_from_key: k, _ = self.kv(y).chunk(2, -1); v = k
        q, k, v = (z.reshape(b, -1, self.h, d // self.h).permute(0, 2, 1, 3) for z in (self.q(x), k, v))
        # BUG heads_mixed: q, k, v = (z.reshape(b, self.h, -1, d // self.h) for z in (self.q(x), k, v))
        att = torch.einsum("bhid,bhjd->bhij", q, k) / (d // self.h) ** 0.5
        # BUG scale_missing: att = torch.einsum("bhid,bhjd->bhij", q, k)
        # BUG scale_inverted: att = torch.einsum("bhid,bhjd->bhij", q, k) * (d // self.h) ** 0.5
        att = torch.where(keep, att, torch.tensor(-1e30)).softmax(-1)
        # BUG mask_value_too_small: att = torch.where(keep, att, torch.tensor(-3.0)).softmax(-1)
        # BUG mask_inverted: att = torch.where(keep, torch.tensor(-1e30), att).softmax(-1)
        # BUG softmax_axis: att = torch.where(keep, att, torch.tensor(-1e30)).softmax(-2)
        # BUG mask_after_softmax: att = att.softmax(-1) * keep
        return self.o(torch.einsum("bhij,bhjd->bhid", att, v).permute(0, 2, 1, 3).reshape(b, n, d))
        # BUG output_projection_missing: return torch.einsum("bhij,bhjd->bhid", att, v).permute(0, 2, 1, 3).reshape(b, n, d)


class Layer(nn.Module):
    def __init__(self, d, h, cross):
        super().__init__()
        self.one, self.two = Attention(d, h), Attention(d, h) if cross else None
        self.norms = nn.ModuleList([nn.LayerNorm(d) for _ in range(3 if cross else 2)])
        self.ff = nn.Sequential(nn.Linear(d, 2 * d), nn.LeakyReLU(), nn.Linear(2 * d, d))
        # BUG activation_missing: self.ff = nn.Sequential(nn.Linear(d, 2 * d), nn.Linear(2 * d, d))

    def forward(self, x, keep, memory=None, memory_keep=None):
        y = self.norms[0](x)
        x = x + self.one(y, y, keep)
        # BUG residual_missing: x = self.one(y, y, keep)
        # BUG residual_from_norm: x = y + self.one(y, y, keep)
        if self.two is not None:
            x = x + self.two(self.norms[1](x), memory, memory_keep)
            # BUG memory_ignored: pass
            # BUG cross_reads_target: x = x + self.two(self.norms[1](x), self.norms[1](x), keep)
            # BUG cross_mask_wrong: x = x + self.two(self.norms[1](x), memory, keep)
        return x + self.ff(self.norms[-1](x))
        # BUG norm_missing: return x + self.ff(x)


class Model(nn.Module):
    def __init__(self, d=16, h=4, block=12):
        super().__init__()
        self.block, self.src, self.tgt = block, nn.Embedding(23, d), nn.Embedding(23, d)
        self.places = nn.Parameter(torch.randn(block, d))
        self.encoder = nn.ModuleList([Layer(d, h, False) for _ in range(2)])
        # BUG shared_layers: self.encoder = nn.ModuleList([Layer(d, h, False)] * 2)
        self.decoder = nn.ModuleList([Layer(d, h, True) for _ in range(2)])
        self.ends, self.out = nn.ModuleList([nn.LayerNorm(d) for _ in range(2)]), nn.Linear(d, 23)

    def forward(self, src, tgt):
        n = tgt.size(1)
        src = F.pad(src, (0, self.block - src.size(1)), value=PAD)
        tgt = F.pad(tgt, (0, self.block - n), value=PAD)
        seen = (src != PAD)[:, None, None]
        # BUG padding_attended: seen = torch.ones_like(src).bool()[:, None, None]
        causal = torch.ones(self.block, self.block).tril().bool()
        # BUG causal_off_by_one: causal = torch.ones(self.block, self.block).tril(1).bool()
        # BUG future_leak: causal = torch.ones(self.block, self.block).bool()
        x, y = self.src(src) + self.places, self.tgt(tgt) + self.places
        # BUG no_positions: x, y = self.src(src), self.tgt(tgt)
        # BUG positions_twice: x, y = self.src(src) + self.places + self.places, self.tgt(tgt) + self.places + self.places
        # BUG batch_leak: x, y = self.src(src) + self.places, self.tgt(tgt) + self.places; x = x + x.mean(0)
        for layer in self.encoder:
            x = layer(x, seen)
            # BUG causal_in_encoder: x = layer(x, seen & torch.ones(self.block, self.block).tril().bool())
            # BUG layers_not_run: x = self.encoder[1](x, seen)
        for layer in self.decoder:
            y = layer(y, causal, self.ends[0](x), seen)
        return self.out(self.ends[1](y))[:, :n]


def loss(model, src, tgt):
    logits = model(src, tgt)[:, :-1]
    # BUG target_shift_wrong: logits = model(src, tgt)[:, 1:]; return F.cross_entropy(logits.mT, tgt[:, :-1], ignore_index=PAD)
    return F.cross_entropy(logits.mT, tgt[:, 1:], ignore_index=PAD)
    # BUG pad_in_loss: return F.cross_entropy(logits.mT, tgt[:, 1:])
    # BUG target_not_shifted: return F.cross_entropy(logits.mT, tgt[:, :-1], ignore_index=PAD)
    # BUG softmax_before_cross_entropy: return F.cross_entropy(logits.softmax(-1).mT, tgt[:, 1:], ignore_index=PAD)
    # BUG logits_reshaped: return F.cross_entropy(logits.reshape(len(src), 23, -1), tgt[:, 1:], ignore_index=PAD)


def build(**options):
    return Model(**options)
