"""Style one: a class for every sublayer, separate linear projections, hand-written norms."""

# pyright: basic, reportIndexIssue=false, reportOptionalCall=false
import copy
import math

import torch
import torch.nn.functional as F
from torch import Tensor, nn

BUGS = {
    "future_leak",
    "causal_off_by_one",
    "causal_own_hidden",
    "mask_inverted",
    "padding_inverted",
    "additive_through_equals_zero",
    "padding_attended",
    "cross_padding_attended",
    "cross_mask_wrong",
    "cross_mask_axis",
    "mask_after_softmax",
    "mask_value_too_small",
    "mask_value_five",
    "mask_times_scores",
    "nan_on_padded_row",
    "softmax_axis",
    "softmax_heads",
    "softmax_batch",
    "heads_mixed",
    "heads_mixed_out",
    "heads_mixed_both",
    "scale_missing",
    "scale_inverted",
    "batch_leak",
    "batch_attention",
    "no_positions",
    "no_positions_tgt",
    "positions_not_reset",
    "embedding_scale",
    "shared_layers",
    "equal_copies",
    "value_from_key",
    "output_projection_missing",
    "cross_reads_target",
    "cross_values_from_target",
    "memory_ignored",
    "memory_not_passed",
    "residual_missing",
    "residual_missing_ffn",
    "norm_missing",
    "norm_missing_final",
    "dropout_in_eval",
    "weights_after_dropout",
}


class HandNorm(nn.Module):
    def __init__(self, width, eps=1e-6):
        super().__init__()
        self.gain = nn.Parameter(torch.ones(width))
        self.shift = nn.Parameter(torch.zeros(width))
        self.eps = eps

    def forward(self, x):
        mean = x.mean(-1, keepdim=True)
        std = x.std(-1, keepdim=True)
        return self.gain * (x - mean) / (std + self.eps) + self.shift


class Positions(nn.Module):
    def __init__(self, width, bug, length=64):
        super().__init__()
        table = torch.zeros(length, width)
        place = torch.arange(length).unsqueeze(1).float()
        rate = torch.exp(torch.arange(0, width, 2).float() * (-math.log(10000.0) / width))
        table[:, 0::2] = torch.sin(place * rate)
        table[:, 1::2] = torch.cos(place * rate)
        self.register_buffer("table", table)
        self.bug = bug
        self.offset = 0

    def forward(self, x):
        if self.bug == "no_positions":
            return x
        if self.bug == "batch_leak":
            return x + self.table[: x.size(0)].unsqueeze(1)
        start = self.offset
        if self.bug == "positions_not_reset":
            self.offset = (self.offset + x.size(1)) % 32
        return x + self.table[start : start + x.size(1)].unsqueeze(0)


class Attention(nn.Module):
    def __init__(self, width, heads, bug, drop):
        super().__init__()
        self.heads, self.depth, self.bug = heads, width // heads, bug
        self.to_q = nn.Linear(width, width)
        self.to_k = nn.Linear(width, width)
        self.to_v = nn.Linear(width, width)
        self.to_out = nn.Linear(width, width)
        self.drop = nn.Dropout(drop)
        self.weights = None

    def split(self, x):
        b, n, _ = x.shape
        if self.bug in {"heads_mixed", "heads_mixed_both"}:
            return x.view(b, self.heads, n, self.depth)
        if self.bug == "batch_attention":
            return x.view(b, n, self.heads, self.depth).permute(1, 2, 0, 3)
        return x.view(b, n, self.heads, self.depth).transpose(1, 2)

    def forward(self, query, key, value, mask=None):
        b, n, width = query.shape
        q, k = self.split(self.to_q(query)), self.split(self.to_k(key))
        v = self.split(self.to_k(key) if self.bug == "value_from_key" else self.to_v(value))
        scores = torch.matmul(q, k.transpose(-2, -1))
        if self.bug == "scale_inverted":
            scores = scores * math.sqrt(self.depth)
        elif self.bug != "scale_missing":
            scores = scores / math.sqrt(self.depth)
        if self.bug == "batch_attention":
            mask = None
        dim = {"softmax_axis": -2, "softmax_heads": 1, "softmax_batch": 0}.get(self.bug, -1)
        if mask is not None and self.bug not in {"mask_after_softmax", "mask_times_scores"}:
            number = {"mask_value_too_small": -1e-9, "mask_value_five": -5.0}.get(self.bug, -1e9)
            number = float("-inf") if self.bug == "nan_on_padded_row" else number
            scores = scores.masked_fill(mask == 0, number)
        if mask is not None and self.bug == "mask_times_scores":
            scores = scores * mask
        weights = scores.softmax(dim)
        if mask is not None and self.bug == "mask_after_softmax":
            weights = weights.masked_fill(mask == 0, 0.0)
        dropped = self.drop(weights)
        if self.bug == "dropout_in_eval":
            dropped = F.dropout(weights, 0.3)
        self.weights = dropped if self.bug == "weights_after_dropout" else weights
        out = torch.matmul(dropped, v)
        if self.bug == "batch_attention":
            out = out.permute(2, 0, 1, 3).reshape(b, n, width)
        elif self.bug in {"heads_mixed_out", "heads_mixed_both"}:
            out = out.contiguous().view(b, n, width)
        else:
            out = out.transpose(1, 2).contiguous().view(b, n, width)
        return out if self.bug == "output_projection_missing" else self.to_out(out)


class FeedForward(nn.Module):
    def __init__(self, width, inner, drop):
        super().__init__()
        self.first = nn.Linear(width, inner)
        self.second = nn.Linear(inner, width)
        self.drop = nn.Dropout(drop)

    def forward(self, x):
        return self.second(self.drop(F.relu(self.first(x))))


class Connection(nn.Module):
    def __init__(self, width, drop, pre, residual=True, norm=True):
        super().__init__()
        self.norm = HandNorm(width) if norm else nn.Identity()
        self.drop = nn.Dropout(drop)
        self.pre, self.residual = pre, residual

    def forward(self, x, sublayer):
        if self.pre:
            out = self.drop(sublayer(self.norm(x)))
            return x + out if self.residual else out
        out = self.drop(sublayer(x))
        return self.norm(x + out if self.residual else out)


class EncoderLayer(nn.Module):
    def __init__(self, width, heads, bug, drop, pre):
        super().__init__()
        self.attention = Attention(width, heads, bug, drop)
        self.network = FeedForward(width, 2 * width, drop)
        self.one = Connection(width, drop, pre, bug != "residual_missing", bug != "norm_missing")
        self.two = Connection(width, drop, pre, bug != "residual_missing_ffn")

    def forward(self, x, mask):
        x = self.one(x, lambda y: self.attention(y, y, y, mask))
        return self.two(x, self.network)


class DecoderLayer(nn.Module):
    def __init__(self, width, heads, bug, drop, pre):
        super().__init__()
        self.bug = bug
        self.attention = Attention(width, heads, bug, drop)
        self.cross = Attention(width, heads, bug, drop)
        self.network = FeedForward(width, 2 * width, drop)
        self.one = Connection(width, drop, pre)
        self.two = Connection(width, drop, pre, True, bug != "norm_missing")
        self.three = Connection(width, drop, pre)

    def forward(self, x, memory, tgt_mask, src_mask):
        x = self.one(x, lambda y: self.attention(y, y, y, tgt_mask))
        if self.bug == "memory_not_passed":
            return self.three(x, self.network)
        if self.bug == "cross_reads_target":
            x = self.two(x, lambda y: self.cross(y, y, y, None))
        elif self.bug == "cross_values_from_target":
            x = self.two(x, lambda y: self.cross(y, memory, y, src_mask))
        elif self.bug == "memory_ignored":
            self.cross(x, memory, memory, src_mask)
        else:
            if self.bug == "cross_mask_wrong":
                src_mask = tgt_mask
            elif self.bug == "cross_mask_axis" and src_mask is not None:
                src_mask = src_mask.transpose(-1, -2)
            x = self.two(x, lambda y: self.cross(y, memory, memory, src_mask))
        return self.three(x, self.network)


def masks(src, tgt, bug):
    """The masks that this style hands from layer to layer; 1 = may attend."""
    n = tgt.size(1)
    src_mask = (src != 0)[:, None, None, :]
    future = {"causal_off_by_one": 2, "causal_own_hidden": 0}.get(bug, 1)
    causal = torch.triu(torch.ones(1, n, n), diagonal=future) == 0
    if bug == "causal_own_hidden":
        causal[:, 0, 0] = True
    tgt_mask = (tgt != 0)[:, None, None, :] & causal
    tgt_mask[..., 0, 0] = True
    if bug == "future_leak":
        tgt_mask = (tgt != 0)[:, None, None, :]
    elif bug == "mask_inverted":
        tgt_mask = torch.triu(torch.ones(1, 1, n, n), diagonal=1) == 1
    elif bug == "additive_through_equals_zero":
        tgt_mask = torch.zeros(n, n).masked_fill(torch.ones(n, n).triu(1) == 1, float("-inf"))
        src_mask = (src == 0)[:, None, None, :]
    elif bug == "padding_inverted":
        src_mask = (src == 0)[:, None, None, :]
    elif bug == "nan_on_padded_row":
        src_mask = src_mask & (src != 0)[:, None, :, None]
    return src_mask, tgt_mask


class Classic(nn.Module):
    """An encoder-decoder in the style of The Annotated Transformer."""

    def __init__(self, bug="", pre=True, drop=0.1, width=16, heads=4, vocab=23, layers=2):
        super().__init__()
        self.bug, self.width = bug, width
        self.src_words = nn.Embedding(vocab, width)
        self.tgt_words = nn.Embedding(vocab, width)
        if bug == "embedding_scale":
            for table in (self.src_words, self.tgt_words):
                nn.init.normal_(table.weight, std=width**-0.5)
        self.src_positions = Positions(width, bug)
        self.tgt_positions = Positions(width, "no_positions" if bug == "no_positions_tgt" else bug)
        encoder = EncoderLayer(width, heads, bug, drop, pre)
        if bug == "shared_layers":
            self.encoder = nn.ModuleList([encoder] * layers)
        elif bug == "equal_copies":
            self.encoder = nn.ModuleList([copy.deepcopy(encoder) for _ in range(layers)])
        else:
            stack = [EncoderLayer(width, heads, bug, drop, pre) for _ in range(layers)]
            self.encoder = nn.ModuleList(stack)
        stack = [DecoderLayer(width, heads, bug, drop, pre) for _ in range(layers)]
        self.decoder = nn.ModuleList(stack)
        final = pre and bug != "norm_missing_final"
        self.encoder_norm = HandNorm(width) if final else nn.Identity()
        self.decoder_norm = HandNorm(width) if final else nn.Identity()
        self.generator = nn.Linear(width, vocab)
        for parameter in [*self.encoder.parameters(), *self.decoder.parameters()]:
            if parameter.dim() > 1 and bug not in {"equal_copies"}:
                nn.init.xavier_uniform_(parameter)

    def embed(self, table, positions, ids):
        scale = 1.0 if self.bug == "embedding_scale" else math.sqrt(self.width) * 0.3
        return positions(table(ids) * scale)

    def forward(self, src: Tensor, tgt: Tensor) -> Tensor:
        src_mask, tgt_mask = masks(src, tgt, self.bug)
        x = self.embed(self.src_words, self.src_positions, src)
        encoder_mask = None if self.bug == "padding_attended" else src_mask
        for layer in self.encoder:
            x = layer(x, encoder_mask)
        memory = self.encoder_norm(x)
        cross_mask = (
            None if self.bug in {"padding_attended", "cross_padding_attended"} else src_mask
        )
        if self.bug == "nan_on_padded_row":
            cross_mask = (src != 0)[:, None, None, :]
        y = self.embed(self.tgt_words, self.tgt_positions, tgt)
        for layer in self.decoder:
            y = layer(y, memory, tgt_mask, cross_mask)
        return self.generator(self.decoder_norm(y)).log_softmax(-1)
