"""A textbook's encoder with segments, lengths and a masked-language head."""

# pyright: basic, reportIndexIssue=false, reportOptionalCall=false, reportCallIssue=false
# pyright: reportArgumentType=false, reportGeneralTypeIssues=false, reportAttributeAccessIssue=false
import math

import torch
from torch import nn

KIND = "encoder"
OPTIONS = {"": {}, " deeper": {"num_blks": 3}}


def sequence_mask(X, valid_len, value=0.0):
    keep = torch.arange(X.size(1), dtype=torch.float32)[None, :] < valid_len[:, None]
    X[~keep] = value
    return X


def masked_softmax(X, valid_lens):
    shape = X.shape
    valid_lens = torch.repeat_interleave(valid_lens, shape[1]) if valid_lens.dim() == 1 else valid_lens.reshape(-1)
    X = sequence_mask(X.reshape(-1, shape[-1]), valid_lens, value=-1e6)
    # BUG mask_value_too_small: X = sequence_mask(X.reshape(-1, shape[-1]), valid_lens, value=0)
    # BUG padding_attended: pass
    # BUG mask_after_softmax: return sequence_mask(nn.functional.softmax(X, dim=-1).reshape(-1, shape[-1]), valid_lens).reshape(shape)
    return nn.functional.softmax(X.reshape(shape), dim=-1)


def transpose_qkv(X, heads):
    X = X.reshape(*X.shape[:2], heads, -1).permute(0, 2, 1, 3)
    # BUG heads_mixed: X = X.reshape(X.shape[0], heads, X.shape[1], -1)
    return X.reshape(-1, *X.shape[2:])


class Attn(nn.Module):
    def __init__(self, hid, heads):
        super().__init__()
        self.heads = heads
        self.W_q, self.W_k, self.W_v, self.W_o = (nn.LazyLinear(hid, bias=True) for _ in range(4))

    def forward(self, q, k, v, lens):
        q, k, v = (transpose_qkv(w(z), self.heads) for w, z in ((self.W_q, q), (self.W_k, k), (self.W_v, v)))
        # BUG value_from_key: q, k, v = (transpose_qkv(w(z), self.heads) for w, z in ((self.W_q, q), (self.W_k, k), (self.W_k, v)))
        lens = torch.repeat_interleave(lens, self.heads, dim=0)
        w = masked_softmax(torch.bmm(q, k.transpose(1, 2)) / math.sqrt(q.shape[-1]), lens)
        # BUG scale_inverted: w = masked_softmax(torch.bmm(q, k.transpose(1, 2)) * math.sqrt(q.shape[-1]), lens)
        out = torch.bmm(w, v)
        out = out.reshape(-1, self.heads, *out.shape[1:]).permute(0, 2, 1, 3)
        return self.W_o(out.reshape(*out.shape[:2], -1))


class Blk(nn.Module):
    def __init__(self, hid, heads, ffn):
        super().__init__()
        self.attention, self.ln1, self.ln2 = Attn(hid, heads), nn.LayerNorm(hid), nn.LayerNorm(hid)
        self.dense1, self.dense2 = nn.LazyLinear(ffn), nn.LazyLinear(hid)

    def forward(self, X, lens):
        Y = self.ln1(self.attention(X, X, X, lens) + X)
        # BUG residual_missing: Y = self.ln1(self.attention(X, X, X, lens))
        return self.ln2(self.dense2(nn.functional.relu(self.dense1(Y))) + Y)
        # BUG norm_missing: return self.dense2(nn.functional.relu(self.dense1(Y))) + Y


class Model(nn.Module):
    def __init__(self, vocab=23, hid=16, ffn=24, heads=4, num_blks=2):
        super().__init__()
        self.token_embedding, self.segment_embedding = nn.Embedding(vocab, hid), nn.Embedding(2, hid)
        self.blks = nn.Sequential()
        for i in range(num_blks):
            self.blks.add_module(f"{i}", Blk(hid, heads, ffn))
        self.pos_embedding = nn.Parameter(torch.randn(1, 30, hid))
        self.mlm = nn.Sequential(nn.LazyLinear(hid), nn.ReLU(), nn.LayerNorm(hid), nn.LazyLinear(vocab))

    def forward(self, tokens):
        segments, lens = torch.zeros_like(tokens), (tokens != 0).sum(1)
        X = self.token_embedding(tokens) + self.segment_embedding(segments)
        X = X + self.pos_embedding[:, : X.shape[1], :]
        # BUG no_positions: pass
        for blk in self.blks:
            # BUG layers_not_run: for blk in self.blks[:1]:
            X = blk(X, lens)
        return self.mlm(X)


def build(**options):
    model = Model(**options)
    model(torch.ones(1, 4, dtype=torch.long))
    return model
