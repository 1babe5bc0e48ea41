"""Encoders alone: token types, an additive mask of the smallest number, hidden states and a pooler."""

# pyright: basic, reportIndexIssue=false, reportOptionalCall=false, reportCallIssue=false
# pyright: reportArgumentType=false, reportGeneralTypeIssues=false, reportAttributeAccessIssue=false
import math

import torch
import torch.nn.functional as F
from torch import nn

KIND = "encoder"
OPTIONS = {"": {}, " classifying": {"classes": 5}}


class SelfAttention(nn.Module):
    def __init__(self, size, heads):
        super().__init__()
        self.heads, self.head_size = heads, size // heads
        self.query, self.key, self.value = (nn.Linear(size, size) for _ in range(3))
        self.dense, self.LayerNorm = nn.Linear(size, size), nn.LayerNorm(size, eps=1e-12)
        self.dropout = nn.Dropout(0.1)

    def split(self, x):
        return x.view(*x.size()[:-1], self.heads, self.head_size).permute(0, 2, 1, 3)
        # BUG heads_mixed: return x.view(x.size(0), self.heads, -1, self.head_size)

    def forward(self, hidden, mask):
        q, k, v = (self.split(self.query(hidden)), self.split(self.key(hidden)), self.split(self.value(hidden)))
        # BUG key_from_query: q, k, v = self.split(self.query(hidden)), self.split(self.query(hidden)), self.split(self.value(hidden))
        # BUG value_from_key: q, k, v = self.split(self.query(hidden)), self.split(self.key(hidden)), self.split(self.key(hidden))
        scores = torch.matmul(q, k.transpose(-1, -2)) / math.sqrt(self.head_size)
        # BUG scale_missing: scores = torch.matmul(q, k.transpose(-1, -2))
        # BUG scale_wrong: scores = torch.matmul(q, k.transpose(-1, -2)) / math.sqrt(self.head_size * self.heads)
        probs = self.dropout(nn.functional.softmax(scores + mask, dim=-1))
        # BUG softmax_axis: probs = self.dropout(nn.functional.softmax(scores + mask, dim=-2))
        # BUG padding_attended: probs = self.dropout(nn.functional.softmax(scores, dim=-1))
        # BUG mask_after_softmax: probs = self.dropout(nn.functional.softmax(scores, dim=-1)) * (mask == 0)
        # BUG mask_inverted: probs = self.dropout(nn.functional.softmax(scores - mask, dim=-1))
        # BUG causal_in_encoder: probs = nn.functional.softmax(scores + mask + torch.full(scores.shape[-2:], -1e9).triu(1), dim=-1)
        x = torch.matmul(probs, v).permute(0, 2, 1, 3).contiguous()
        x = self.dense(x.view(*x.size()[:-2], -1))
        # BUG output_projection_missing: x = x.view(*x.size()[:-2], -1)
        return self.LayerNorm(self.dropout(x) + hidden)
        # BUG residual_missing: return self.LayerNorm(self.dropout(x))
        # BUG norm_missing: return self.dropout(x) + hidden


class Layer(nn.Module):
    def __init__(self, size, heads):
        super().__init__()
        self.attention, self.intermediate = SelfAttention(size, heads), nn.Linear(size, 4 * size)
        self.output, self.LayerNorm = nn.Linear(4 * size, size), nn.LayerNorm(size, eps=1e-12)

    def forward(self, x, mask):
        x = self.attention(x, mask)
        # BUG batch_leak: x = self.attention(x.flatten(0, 1)[None], 0.0).view_as(x)
        return self.LayerNorm(self.output(F.gelu(self.intermediate(x))) + x)
        # BUG activation_missing: return self.LayerNorm(self.output(self.intermediate(x)) + x)


class Model(nn.Module):
    def __init__(self, classes=0, size=16, heads=4, n=2):
        super().__init__()
        self.word, self.position, self.types = (nn.Embedding(23, size, 0), nn.Embedding(40, size), nn.Embedding(2, size))
        self.norm = nn.LayerNorm(size, eps=1e-12)
        self.layer = nn.ModuleList([Layer(size, heads) for _ in range(n)])
        # BUG shared_layers: self.layer = nn.ModuleList([Layer(size, heads)] * n)
        self.pooler, self.classes = nn.Linear(size, size), classes
        self.head = nn.Linear(size, classes or 23)

    def forward(self, input_ids, attention_mask=None, token_type_ids=None):
        if attention_mask is None:
            attention_mask = (input_ids != 0).long()
        mask = (1.0 - attention_mask[:, None, None].float()) * torch.finfo(torch.float).min
        # BUG mask_value_too_small: mask = (1.0 - attention_mask[:, None, None].float()) * -1.0
        types = torch.zeros_like(input_ids) if token_type_ids is None else token_type_ids
        places = self.position(torch.arange(input_ids.size(1)))[None]
        # BUG no_positions: places = 0
        x = F.dropout(self.norm(self.word(input_ids) + self.types(types) + places), 0.1, self.training)
        # BUG positions_twice: x = self.norm(self.word(input_ids) + places + self.types(types) + places)
        # BUG dropout_in_eval: x = F.dropout(self.norm(self.word(input_ids) + self.types(types) + places), 0.1)
        for layer in self.layer:
            x = layer(x, mask)
            # BUG layers_not_run: x = layer(x, mask); break
        if self.classes:
            return self.head(torch.tanh(self.pooler(x[:, 0])))
        return x, self.head(x)


def build(**options):
    return Model(**options)
