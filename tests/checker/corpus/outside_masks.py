"""Pre-norm with masks that the caller makes; 'projection' gives log-probabilities."""

# pyright: basic, reportIndexIssue=false, reportOptionalCall=false, reportCallIssue=false
# pyright: reportArgumentType=false, reportGeneralTypeIssues=false, reportAttributeAccessIssue=false
import math

import torch
import torch.nn.functional as F
from torch import nn

KIND = "encoder-decoder"
OPTIONS = {"": {}}


class LayerNormalization(nn.Module):
    def __init__(self, features, eps=1e-6):
        super().__init__()
        self.eps = eps
        self.alpha, self.bias = (nn.Parameter(torch.ones(features)), nn.Parameter(torch.zeros(features)))

    def forward(self, x):
        mean, std = x.mean(dim=-1, keepdim=True), x.std(dim=-1, keepdim=True)
        return self.alpha * (x - mean) / (std + self.eps) + self.bias


class Residual(nn.Module):
    def __init__(self, features, dropout):
        super().__init__()
        self.dropout, self.norm = nn.Dropout(dropout), LayerNormalization(features)

    def forward(self, x, sublayer):
        return x + self.dropout(sublayer(self.norm(x)))
        # BUG residual_missing: return self.dropout(sublayer(self.norm(x)))
        # BUG residual_from_norm: n = self.norm(x); return n + self.dropout(sublayer(n))
        # BUG norm_missing: return x + self.dropout(sublayer(x))


class MultiHeadAttentionBlock(nn.Module):
    def __init__(self, d_model, h, dropout):
        super().__init__()
        self.h, self.d_k, self.dropout = h, d_model // h, nn.Dropout(dropout)
        self.w_q, self.w_k = (nn.Linear(d_model, d_model, bias=False), nn.Linear(d_model, d_model, bias=False))
        self.w_v, self.w_o = (nn.Linear(d_model, d_model, bias=False), nn.Linear(d_model, d_model, bias=False))

    @staticmethod
    def attention(query, key, value, mask, dropout):
        d_k = query.shape[-1]
        scores = (query @ key.transpose(-2, -1)) / math.sqrt(d_k)
        # BUG scale_wrong: scores = (query @ key.transpose(-2, -1)) / d_k
        # BUG scale_missing: scores = query @ key.transpose(-2, -1)
        if mask is not None:
            scores.masked_fill_(mask == 0, -1e9)
            # BUG mask_value_too_small: scores.masked_fill_(mask == 0, 1e-9)
            # BUG mask_inverted: scores.masked_fill_(mask != 0, -1e9)
        scores = scores.softmax(dim=-1)
        # BUG softmax_axis: scores = scores.softmax(dim=-2)
        if dropout is not None:
            scores = dropout(scores)
        return (scores @ value), scores

    def forward(self, q, k, v, mask):
        query, key, value = self.w_q(q), self.w_k(k), self.w_v(v)
        # BUG key_from_query: query, key, value = self.w_q(q), self.w_q(k), self.w_v(v)
        # BUG value_from_key: query, key, value = self.w_q(q), self.w_k(k), self.w_k(v)
        query, key, value = (
            z.view(z.shape[0], z.shape[1], self.h, self.d_k).transpose(1, 2)
            # BUG heads_mixed: z.view(z.shape[0], self.h, z.shape[1], self.d_k)
            for z in (query, key, value)
        )
        x, _ = self.attention(query, key, value, mask, self.dropout)
        x = x.transpose(1, 2).contiguous().view(x.shape[0], -1, self.h * self.d_k)
        # BUG heads_mixed: x = x.contiguous().view(x.shape[0], -1, self.h * self.d_k)
        return self.w_o(x)
        # BUG output_projection_missing: return x


class Block(nn.Module):
    def __init__(self, d, h, d_ff, dropout, cross):
        super().__init__()
        self.self_attention = MultiHeadAttentionBlock(d, h, dropout)
        self.cross_attention = MultiHeadAttentionBlock(d, h, dropout) if cross else None
        self.linear_1, self.linear_2 = nn.Linear(d, d_ff), nn.Linear(d_ff, d)
        self.residuals = nn.ModuleList([Residual(d, dropout) for _ in range(3 if cross else 2)])

    def forward(self, x, mask, memory=None, memory_mask=None):
        x = self.residuals[0](x, lambda x: self.self_attention(x, x, x, mask))
        if memory is not None:
            x = self.residuals[1](x, lambda x: self.cross_attention(x, memory, memory, memory_mask))
            # BUG cross_reads_target: x = self.residuals[1](x, lambda x: self.cross_attention(x, x, x, None))
            # BUG cross_mask_wrong: x = self.residuals[1](x, lambda x: self.cross_attention(x, memory, memory, mask))
            # BUG memory_ignored: x = self.residuals[1](x, lambda x: self.cross_attention(x, memory, memory, memory_mask) * 0)
            # BUG padding_attended: x = self.residuals[1](x, lambda x: self.cross_attention(x, memory, memory, None))
        return self.residuals[-1](x, lambda x: self.linear_2(torch.relu(self.linear_1(x))))
        # BUG activation_missing: return self.residuals[-1](x, lambda x: self.linear_2(self.linear_1(x)))


class Model(nn.Module):
    def __init__(self, vocab, d=16, h=2, d_ff=24, dropout=0.1, n=2):
        super().__init__()
        self.d = d
        self.src_embed, self.tgt_embed = nn.Embedding(vocab, d), nn.Embedding(vocab, d)
        pe, position = torch.zeros(48, d), torch.arange(0, 48, dtype=torch.float).unsqueeze(1)
        div = torch.exp(torch.arange(0, d, 2).float() * (-math.log(10000.0) / d))
        pe[:, 0::2], pe[:, 1::2] = torch.sin(position * div), torch.cos(position * div)
        self.register_buffer("pe", pe.unsqueeze(0))
        self.encoder = nn.ModuleList([Block(d, h, d_ff, dropout, False) for _ in range(n)])
        self.decoder = nn.ModuleList([Block(d, h, d_ff, dropout, True) for _ in range(n)])
        # BUG shared_layers: self.decoder = nn.ModuleList([Block(d, h, d_ff, dropout, True)] * n)
        self.norm_e, self.norm_d = LayerNormalization(d), LayerNormalization(d)
        self.proj = nn.Linear(d, vocab)

    def embed(self, table, x):
        x = table(x) * math.sqrt(self.d)
        # BUG embedding_scale: x = table(x) / math.sqrt(self.d)
        return F.dropout(x + self.pe[:, : x.shape[1], :], 0.1, self.training)
        # BUG dropout_in_eval: return F.dropout(x + self.pe[:, : x.shape[1], :], 0.1)
        # BUG no_positions: return F.dropout(x, 0.1, self.training)
        # BUG positions_twice: return x + self.pe[:, : x.shape[1], :] + self.pe[:, : x.shape[1], :]

    def forward(self, src, tgt, src_mask, tgt_mask):
        x = self.embed(self.src_embed, src)
        for block in self.encoder:
            x = block(x, src_mask)
            # BUG padding_attended: x = block(x, None)
            # BUG layers_not_run: x = self.encoder[0](x, src_mask)
        memory, y = self.norm_e(x), self.embed(self.tgt_embed, tgt)
        # BUG norm_missing: memory, y = x, self.embed(self.tgt_embed, tgt)
        for block in self.decoder:
            y = block(y, tgt_mask, memory, src_mask)
        return torch.log_softmax(self.proj(self.norm_d(y)), dim=-1)


def causal_mask(size):
    return torch.triu(torch.ones((1, size, size)), diagonal=1).type(torch.int) == 0
    # BUG causal_off_by_one: return torch.triu(torch.ones((1, size, size)), diagonal=2).type(torch.int) == 0
    # BUG future_leak: return torch.ones((1, size, size)).bool()
    # BUG mask_inverted: return torch.triu(torch.ones((1, size, size)), diagonal=1).bool()


def call(model, src, tgt):
    src_mask = (src != 0)[:, None, None].int()
    return model(src, tgt, src_mask, ((tgt != 0)[:, None] & causal_mask(tgt.size(1)))[:, None])


def loss(model, src, tgt):
    label = tgt[:, 1:]
    out = call(model, src, tgt[:, :-1])
    # BUG target_not_shifted: out = call(model, src, tgt[:, 1:])
    return F.cross_entropy(out.view(-1, 23), label.reshape(-1), ignore_index=0, label_smoothing=0.1)
    # BUG pad_in_loss: return F.cross_entropy(out.view(-1, 23), label.reshape(-1), label_smoothing=0.1)
    # BUG softmax_before_cross_entropy: return F.cross_entropy(out.exp().view(-1, 23), label.reshape(-1), ignore_index=0)
    # BUG logits_reshaped: return F.nll_loss(out.reshape(len(src), 23, -1), label, ignore_index=0)


def build():
    return Model(23)
