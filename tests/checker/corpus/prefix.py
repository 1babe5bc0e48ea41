"""Source and target in one row: every word may look at the whole source, and at the target before it."""

# pyright: basic, reportIndexIssue=false, reportOptionalCall=false, reportCallIssue=false
# pyright: reportArgumentType=false, reportGeneralTypeIssues=false, reportAttributeAccessIssue=false
import torch
import torch.nn.functional as F
from torch import nn

KIND = "encoder-decoder"
OPTIONS = {"": {}, " positions restart": {"restart": True}}


class Block(nn.Module):
    def __init__(self, d, h):
        super().__init__()
        self.h, self.qkv, self.o = h, nn.Linear(d, 3 * d), nn.Linear(d, d)
        self.up, self.down = nn.Linear(d, 3 * d), nn.Linear(3 * d, d)
        self.one, self.two = nn.LayerNorm(d), nn.LayerNorm(d)

    def forward(self, x, keep):
        q, k, v = self.qkv(self.one(x)).unflatten(-1, (3, self.h, -1)).permute(2, 0, 3, 1, 4)
        # BUG value_from_key: q, k, _ = self.qkv(self.one(x)).unflatten(-1, (3, self.h, -1)).permute(2, 0, 3, 1, 4); v = k
        # BUG norm_missing: q, k, v = self.qkv(x).unflatten(-1, (3, self.h, -1)).permute(2, 0, 3, 1, 4)
        z = F.scaled_dot_product_attention(q, k, v, attn_mask=keep)
        # BUG scale_wrong: z = F.scaled_dot_product_attention(q, k, v, attn_mask=keep, scale=1 / q.size(-1))
        x = x + self.o(z.transpose(1, 2).flatten(2))
        # BUG output_projection_missing: x = x + z.transpose(1, 2).flatten(2)
        # BUG heads_mixed: x = x + self.o(z.reshape(x.shape))
        # BUG residual_missing: x = self.o(z.transpose(1, 2).flatten(2))
        return x + self.down(F.gelu(self.up(self.two(x))))
        # BUG activation_missing: return x + self.down(self.up(self.two(x)))


class Model(nn.Module):
    def __init__(self, restart=False, d=16, h=4, n=2):
        super().__init__()
        self.restart = restart
        self.words, self.places, self.sides = nn.Embedding(23, d), nn.Embedding(64, d), nn.Embedding(2, d)
        self.blocks = nn.ModuleList([Block(d, h) for _ in range(n)])
        # BUG shared_layers: self.blocks = nn.ModuleList([Block(d, h)] * n)
        self.norm, self.head = nn.LayerNorm(d), nn.Linear(d, 23)

    def forward(self, src, tgt):
        s, t = src.size(1), tgt.size(1)
        ids, side = torch.cat((src, tgt), 1), torch.cat((torch.zeros(s), torch.ones(t))).long()
        real = torch.cat((src != 0, torch.ones_like(tgt).bool()), 1)
        # BUG padding_attended: real = torch.ones_like(ids).bool()
        places = torch.cat((torch.arange(s), torch.arange(t))) if self.restart else real.cumsum(1) - 1
        # BUG padding_attended: places = torch.arange(s + t)
        x = self.words(ids) + self.places(places) + self.sides(side)
        # BUG no_positions: x = self.words(ids) + self.sides(side)
        at = torch.arange(s + t)
        keep = (at[None] <= at[:, None]) | (at[None] < s)
        # BUG causal_off_by_one: keep = (at[None] <= at[:, None] + (at[:, None] >= s)) | (at[None] < s)
        # BUG future_leak: keep = (at[:, None] >= s) | (at[None] < s)
        keep = keep & real[:, None, None]
        for block in self.blocks:
            x = block(x, keep)
            # BUG layers_not_run: x = block(x, keep); break
            # BUG batch_leak: x = block(x, keep) + x.mean(0)
        return self.head(self.norm(x[:, s:]))
        # BUG norm_missing: return self.head(x[:, s:])


def loss(model, src, tgt):
    logits = model(src, tgt)[:, :-1]
    return F.cross_entropy(logits.mT, tgt[:, 1:], ignore_index=0)
    # BUG target_not_shifted: return F.cross_entropy(logits.mT, tgt[:, :-1], ignore_index=0)
    # BUG softmax_before_cross_entropy: return F.cross_entropy(logits.softmax(-1).mT, tgt[:, 1:], ignore_index=0)


def build(**options):
    return Model(**options)
