"""As annotated line by line: masks come from outside, hidden states go out, a generator follows."""

# pyright: basic, reportIndexIssue=false, reportOptionalCall=false, reportCallIssue=false
# pyright: reportArgumentType=false, reportGeneralTypeIssues=false, reportAttributeAccessIssue=false
import math

import torch
import torch.nn.functional as F
from torch import nn

KIND = "encoder-decoder"
OPTIONS = {"": {}}


class Norm(nn.Module):
    def __init__(self, features, eps=1e-6):
        super().__init__()
        self.gain = nn.Parameter(torch.ones(features))
        self.bias = nn.Parameter(torch.zeros(features))
        self.eps = eps

    def forward(self, x):
        mean, std = x.mean(-1, keepdim=True), x.std(-1, keepdim=True)
        return self.gain * (x - mean) / (std + self.eps) + self.bias


class Around(nn.Module):
    def __init__(self, size, dropout):
        super().__init__()
        self.norm, self.dropout = Norm(size), nn.Dropout(dropout)

    def forward(self, x, sublayer):
        return x + self.dropout(sublayer(self.norm(x)))
        # BUG residual_missing: return self.dropout(sublayer(self.norm(x)))
        # BUG norm_missing: return x + self.dropout(sublayer(x))
        # BUG residual_from_norm: y = self.norm(x); return y + self.dropout(sublayer(y))
        # BUG dropout_in_eval: return x + F.dropout(sublayer(self.norm(x)), 0.1)


def attention(query, key, value, mask=None, dropout=None):
    d_k = query.size(-1)
    scores = torch.matmul(query, key.transpose(-2, -1)) / math.sqrt(d_k)
    # BUG scale_missing: scores = torch.matmul(query, key.transpose(-2, -1))
    # BUG scale_inverted: scores = query @ key.transpose(-2, -1) * math.sqrt(d_k)
    # BUG scale_wrong: scores = query @ key.transpose(-2, -1) / d_k
    if mask is not None:
        scores = scores.masked_fill(mask == 0, -1e9)
        # BUG mask_value_too_small: scores = scores.masked_fill(mask == 0, -1e-9)
        # BUG mask_value_too_small: scores = scores * mask
        # BUG mask_inverted: scores = scores.masked_fill(mask == 1, -1e9)
    weights = scores.softmax(dim=-1)
    # BUG softmax_axis: weights = scores.softmax(dim=-2)
    # BUG softmax_axis: weights = scores.softmax(dim=1)
    # BUG mask_after_softmax: weights = (query @ key.mT / math.sqrt(d_k)).softmax(-1).masked_fill(mask == 0, 0)
    kept = weights
    if dropout is not None:
        kept = dropout(kept)
        # BUG weights_after_dropout: kept = weights = dropout(kept)
    return torch.matmul(kept, value), weights


class MultiHead(nn.Module):
    def __init__(self, h, d_model, dropout=0.1):
        super().__init__()
        self.d_k, self.h = d_model // h, h
        self.linears = nn.ModuleList([nn.Linear(d_model, d_model) for _ in range(4)])
        self.attn, self.dropout = None, nn.Dropout(dropout)

    def forward(self, query, key, value, mask=None):
        if mask is not None:
            mask = mask.unsqueeze(1)
        n = query.size(0)
        q, k, v = [
            lin(x).view(n, -1, self.h, self.d_k).transpose(1, 2)
            # BUG heads_mixed: lin(x).view(n, self.h, -1, self.d_k)
            for lin, x in zip(self.linears, (query, key, value), strict=False)
            # BUG value_from_key: for lin, x in zip([*self.linears[:2], self.linears[1]], (query, key, value))
            # BUG key_from_query: for lin, x in zip([self.linears[i] for i in (0, 0, 2)], (query, key, value))
        ]
        x, self.attn = attention(q, k, v, mask=mask, dropout=self.dropout)
        x = x.transpose(1, 2).contiguous().view(n, -1, self.h * self.d_k)
        # BUG heads_mixed: x = x.contiguous().view(n, -1, self.h * self.d_k)
        return self.linears[-1](x)
        # BUG output_projection_missing: return x


class FeedForward(nn.Module):
    def __init__(self, d_model, d_ff, dropout=0.1):
        super().__init__()
        self.w_1, self.w_2 = nn.Linear(d_model, d_ff), nn.Linear(d_ff, d_model)
        self.dropout = nn.Dropout(dropout)

    def forward(self, x):
        return self.w_2(self.dropout(self.w_1(x).relu()))
        # BUG activation_missing: return self.w_2(self.dropout(self.w_1(x)))


class EncoderLayer(nn.Module):
    def __init__(self, size, h, d_ff, dropout):
        super().__init__()
        self.self_attn, self.feed_forward = MultiHead(h, size), FeedForward(size, d_ff)
        self.sublayer = nn.ModuleList([Around(size, dropout) for _ in range(2)])

    def forward(self, x, mask):
        x = self.sublayer[0](x, lambda x: self.self_attn(x, x, x, mask))
        # BUG padding_attended: x = self.sublayer[0](x, lambda x: self.self_attn(x, x, x, None))
        # BUG batch_leak: x = self.sublayer[0](x - x.mean(0), lambda x: self.self_attn(x, x, x, mask))
        return self.sublayer[1](x, self.feed_forward)


class DecoderLayer(nn.Module):
    def __init__(self, size, h, d_ff, dropout):
        super().__init__()
        self.self_attn, self.src_attn = MultiHead(h, size), MultiHead(h, size)
        self.feed_forward = FeedForward(size, d_ff)
        self.sublayer = nn.ModuleList([Around(size, dropout) for _ in range(3)])

    def forward(self, x, memory, src_mask, tgt_mask):
        m = memory
        # BUG memory_ignored: m = memory * 0
        x = self.sublayer[0](x, lambda x: self.self_attn(x, x, x, tgt_mask))
        # BUG future_leak: x = self.sublayer[0](x, lambda x: self.self_attn(x, x, x))
        x = self.sublayer[1](x, lambda x: self.src_attn(x, m, m, src_mask))
        # BUG cross_reads_target: x = self.sublayer[1](x, lambda x: self.src_attn(x, x, x))
        # BUG cross_mask_wrong: x = self.sublayer[1](x, lambda x: self.src_attn(x, m, m, tgt_mask))
        # BUG padding_attended: x = self.sublayer[1](x, lambda x: self.src_attn(x, m, m))
        # BUG memory_ignored: pass
        return self.sublayer[2](x, self.feed_forward)


class Stack(nn.Module):
    def __init__(self, make, count, size):
        super().__init__()
        self.layers, self.norm = nn.ModuleList([make() for _ in range(count)]), Norm(size)
        # BUG shared_layers: self.layers, self.norm = nn.ModuleList([make()] * count), Norm(size)

    def forward(self, x, *rest):
        for layer in self.layers:
            # BUG layers_not_run: for layer in self.layers[:1]:
            x = layer(x, *rest)
        return self.norm(x)
        # BUG norm_missing: return x


class Positions(nn.Module):
    def __init__(self, d_model, dropout, longest=64):
        super().__init__()
        self.dropout = nn.Dropout(p=dropout)
        pe, place = torch.zeros(longest, d_model), torch.arange(0, longest).unsqueeze(1)
        rate = torch.exp(torch.arange(0, d_model, 2) * -(math.log(10000.0) / d_model))
        pe[:, 0::2], pe[:, 1::2] = torch.sin(place * rate), torch.cos(place * rate)
        self.register_buffer("pe", pe.unsqueeze(0))
        self.start = 0

    def forward(self, x):
        x = x + self.pe[:, : x.size(1)].requires_grad_(False)
        # BUG positions_twice: x = x + self.pe[:, : x.size(1)] + self.pe[:, : x.size(1)]
        # BUG no_positions: x = x + 0
        # BUG batch_leak: x = x + self.pe[0, : x.size(0)].unsqueeze(1)
        # BUG positions_not_reset: self.start += 1; x = x + self.pe[:, self.start : self.start + x.size(1)]
        return self.dropout(x)


class Embeddings(nn.Module):
    def __init__(self, d_model, vocab):
        super().__init__()
        self.lut, self.d_model = nn.Embedding(vocab, d_model), d_model

    def forward(self, x):
        return self.lut(x) * math.sqrt(self.d_model)
        # BUG embedding_scale: return self.lut(x)


class Model(nn.Module):
    def __init__(self, vocab, d=16, h=4, d_ff=32, dropout=0.1):
        super().__init__()
        self.encoder = Stack(lambda: EncoderLayer(d, h, d_ff, dropout), 2, d)
        self.decoder = Stack(lambda: DecoderLayer(d, h, d_ff, dropout), 2, d)
        self.src_embed = nn.Sequential(Embeddings(d, vocab), Positions(d, dropout))
        self.tgt_embed = nn.Sequential(Embeddings(d, vocab), Positions(d, dropout))
        self.generator = nn.Linear(d, vocab)
        for p in self.parameters():
            if p.dim() > 1:
                nn.init.xavier_uniform_(p)

    def forward(self, src, tgt, src_mask, tgt_mask):
        memory = self.encoder(self.src_embed(src), src_mask)
        # BUG gradient_cut: memory = torch.tensor(self.encoder(self.src_embed(src), src_mask).tolist())
        return self.decoder(self.tgt_embed(tgt), memory, src_mask, tgt_mask)


def subsequent(size):
    return torch.triu(torch.ones(1, size, size), diagonal=1).type(torch.uint8) == 0
    # BUG causal_off_by_one: return torch.triu(torch.ones(1, size, size), diagonal=2) == 0


def call(model, src, tgt):
    src_mask = (src != 0).unsqueeze(-2)
    tgt_mask = (tgt != 0).unsqueeze(-2) & subsequent(tgt.size(-1))
    return model(src, tgt, src_mask, tgt_mask)


def loss(model, src, tgt):
    out, y = call(model, src, tgt[:, :-1]), tgt[:, 1:]
    # BUG target_not_shifted: out, y = call(model, src, tgt), tgt
    # BUG target_shift_wrong: out, y = call(model, src, tgt[:, :-2]), tgt[:, 2:]
    # BUG target_shift_wrong: out, y = call(model, src, tgt[:, 1:]), tgt[:, :-1]
    logs = model.generator(out).log_softmax(-1).reshape(-1, 23)
    # BUG log_softmax_missing: return F.nll_loss(model.generator(out).reshape(-1, 23), y.reshape(-1), ignore_index=0)
    true = torch.full_like(logs, 0.1 / 21).scatter(1, y.reshape(-1, 1), 0.9)
    true = true.index_fill(1, torch.tensor(0), 0.0).masked_fill((y.reshape(-1) == 0)[:, None], 0.0)
    # BUG pad_in_loss: pass
    return F.kl_div(logs, true, reduction="sum") / (y != 0).sum()


def build():
    return Model(23)
