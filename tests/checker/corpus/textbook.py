"""A textbook's: lengths instead of masks, and the causal mask in training alone."""

# pyright: basic, reportIndexIssue=false, reportOptionalCall=false, reportCallIssue=false
# pyright: reportArgumentType=false, reportGeneralTypeIssues=false, reportAttributeAccessIssue=false
import math

import torch
import torch.nn.functional as F
from torch import nn

KIND = "encoder-decoder"
OPTIONS = {"": {}}


def masked_softmax(x, valid_lens):
    if valid_lens is None:
        return F.softmax(x, dim=-1)
    if valid_lens.dim() == 1:
        valid_lens = torch.repeat_interleave(valid_lens, x.shape[1])
    flat = x.reshape(-1, x.shape[-1])
    keep = torch.arange(x.size(-1))[None, :] < valid_lens.reshape(-1)[:, None]
    flat[~keep] = -1e6
    # BUG mask_value_too_small: flat[~keep] = -1e-6
    # BUG mask_inverted: flat[keep] = -1e6
    return F.softmax(flat.reshape(x.shape), dim=-1)
    # BUG softmax_axis: return F.softmax(flat.reshape(x.shape), dim=-2)


class MultiHeadAttention(nn.Module):
    def __init__(self, hiddens, heads):
        super().__init__()
        self.heads, self.weights = heads, None
        self.W_q, self.W_k = (nn.Linear(hiddens, hiddens, bias=False), nn.Linear(hiddens, hiddens, bias=False))
        self.W_v, self.W_o = (nn.Linear(hiddens, hiddens, bias=False), nn.Linear(hiddens, hiddens, bias=False))
        self.dropout = nn.Dropout(0.1)

    def split(self, x):
        x = x.reshape(x.shape[0], x.shape[1], self.heads, -1).permute(0, 2, 1, 3)
        # BUG heads_mixed: x = x.reshape(x.shape[0], self.heads, x.shape[1], -1)
        return x.reshape(-1, x.shape[2], x.shape[3])

    def join(self, x):
        x = x.reshape(-1, self.heads, x.shape[1], x.shape[2]).permute(0, 2, 1, 3)
        # BUG heads_mixed: x = x.reshape(-1, x.shape[1], self.heads, x.shape[2])
        return x.reshape(x.shape[0], x.shape[1], -1)

    def forward(self, queries, keys, values, valid_lens):
        q, k, v = (self.split(self.W_q(queries)), self.split(self.W_k(keys)), self.split(self.W_v(values)))
        # BUG key_from_query: q, k, v = self.split(self.W_q(queries)), self.split(self.W_q(keys)), self.split(self.W_v(values))
        # BUG value_from_key: q, k, v = self.split(self.W_q(queries)), self.split(self.W_k(keys)), self.split(self.W_k(values))
        if valid_lens is not None:
            valid_lens = torch.repeat_interleave(valid_lens, repeats=self.heads, dim=0)
        scores = torch.bmm(q, k.transpose(1, 2)) / math.sqrt(q.shape[-1])
        # BUG scale_missing: scores = torch.bmm(q, k.transpose(1, 2))
        # BUG scale_inverted: scores = torch.bmm(q, k.transpose(1, 2)) * math.sqrt(q.shape[-1])
        self.weights = masked_softmax(scores, valid_lens)
        # BUG padding_attended: self.weights = masked_softmax(scores, valid_lens if q.shape == k.shape and valid_lens is not None and valid_lens.dim() > 1 else None)
        return self.W_o(self.join(torch.bmm(self.dropout(self.weights), v)))
        # BUG output_projection_missing: return self.join(torch.bmm(self.dropout(self.weights), v))


class AddNorm(nn.Module):
    def __init__(self, shape):
        super().__init__()
        self.dropout, self.ln = nn.Dropout(0.1), nn.LayerNorm(shape)

    def forward(self, x, y):
        return self.ln(self.dropout(y) + x)
        # BUG residual_missing: return self.ln(self.dropout(y))
        # BUG norm_missing: return self.dropout(y) + x


class Ffn(nn.Module):
    def __init__(self, hiddens, inner):
        super().__init__()
        self.dense1, self.relu, self.dense2 = (nn.Linear(hiddens, inner), nn.ReLU(), nn.Linear(inner, hiddens))

    def forward(self, x):
        return self.dense2(self.relu(self.dense1(x)))
        # BUG activation_missing: return self.dense2(self.dense1(x))


class EncoderBlock(nn.Module):
    def __init__(self, hiddens, heads):
        super().__init__()
        self.attention, self.ffn = MultiHeadAttention(hiddens, heads), Ffn(hiddens, 32)
        self.addnorm1, self.addnorm2 = AddNorm(hiddens), AddNorm(hiddens)

    def forward(self, x, valid_lens):
        y = self.addnorm1(x, self.attention(x, x, x, valid_lens))
        return self.addnorm2(y, self.ffn(y))


class DecoderBlock(nn.Module):
    def __init__(self, hiddens, heads, i):
        super().__init__()
        self.i, self.ffn = i, Ffn(hiddens, 32)
        self.attention1, self.attention2 = (MultiHeadAttention(hiddens, heads), MultiHeadAttention(hiddens, heads))
        self.addnorm1, self.addnorm2, self.addnorm3 = (AddNorm(hiddens), AddNorm(hiddens), AddNorm(hiddens))

    def forward(self, x, state):
        memory, lens = state[0], state[1]
        seen = x if state[2][self.i] is None else torch.cat((state[2][self.i], x), dim=1)
        state[2][self.i] = seen
        past = None
        if self.training:
            past = torch.arange(1, x.shape[1] + 1).repeat(x.shape[0], 1)
            # BUG future_leak: past = None
            # BUG causal_off_by_one: past = torch.arange(2, x.shape[1] + 2).repeat(x.shape[0], 1)
        y = self.addnorm1(x, self.attention1(x, seen, seen, past))
        z = self.addnorm2(y, self.attention2(y, memory, memory, lens))
        # BUG memory_ignored: z = self.addnorm2(y, self.attention2(y, memory * 0, memory * 0, lens))
        # BUG cross_reads_target: z = self.addnorm2(y, self.attention2(y, y, y, past))
        # BUG padding_attended: z = self.addnorm2(y, self.attention2(y, memory, memory, None))
        return self.addnorm3(z, self.ffn(z)), state


class Model(nn.Module):
    def __init__(self, hiddens=16, heads=4, n=2):
        super().__init__()
        self.hiddens, self.n = hiddens, n
        self.src, self.tgt = nn.Embedding(23, hiddens), nn.Embedding(23, hiddens)
        x = torch.arange(48.0).reshape(-1, 1) / torch.pow(10000, torch.arange(0, hiddens, 2.0) / hiddens)
        self.P = torch.zeros((1, 48, hiddens))
        self.P[:, :, 0::2], self.P[:, :, 1::2] = torch.sin(x), torch.cos(x)
        self.enc = nn.ModuleList([EncoderBlock(hiddens, heads) for _ in range(n)])
        self.dec = nn.ModuleList([DecoderBlock(hiddens, heads, i) for i in range(n)])
        self.dense = nn.Linear(hiddens, 23)

    def place(self, x):
        return F.dropout(x + self.P[:, : x.shape[1]], 0.1, self.training)
        # BUG no_positions: return F.dropout(x, 0.1, self.training)
        # BUG dropout_in_eval: return F.dropout(x + self.P[:, : x.shape[1]], 0.1)
        # BUG positions_twice: return x + self.P[:, : x.shape[1]] + self.P[:, : x.shape[1]]

    def forward(self, src, tgt):
        lens = (src != 0).sum(1)
        x = self.place(self.src(src) * math.sqrt(self.hiddens))
        # BUG embedding_scale: x = self.place(self.src(src) * 0.1)
        for block in self.enc:
            x = block(x, lens)
            # BUG layers_not_run: x = block(x, lens); break
        state, y = [x, lens, [None] * self.n], self.place(self.tgt(tgt) * math.sqrt(self.hiddens))
        for block in self.dec:
            y, state = block(y, state)
        return self.dense(y), state


def loss(model, src, tgt):
    logits = model(src, tgt[:, :-1])[0]
    weights = (tgt[:, 1:] != 0).float()
    # BUG pad_in_loss: weights = torch.ones_like(tgt[:, 1:]).float()
    unweighted = F.cross_entropy(logits.permute(0, 2, 1), tgt[:, 1:], reduction="none")
    # BUG softmax_before_cross_entropy: unweighted = F.cross_entropy(logits.softmax(-1).permute(0, 2, 1), tgt[:, 1:], reduction="none")
    # BUG target_not_shifted: unweighted = F.cross_entropy(logits.permute(0, 2, 1), tgt[:, :-1], reduction="none")
    # BUG logits_reshaped: unweighted = F.cross_entropy(logits.reshape(len(src), 23, -1), tgt[:, 1:], reduction="none")
    return (unweighted * weights).mean(dim=1).mean()


def build():
    return Model()
