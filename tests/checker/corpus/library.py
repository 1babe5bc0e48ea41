"""nn.Transformer between embeddings and an output, in any of its conventions."""

# pyright: basic, reportIndexIssue=false, reportOptionalCall=false, reportCallIssue=false
# pyright: reportArgumentType=false, reportGeneralTypeIssues=false, reportAttributeAccessIssue=false
import math

import torch
import torch.nn.functional as F
from torch import nn

KIND = "encoder-decoder"
OPTIONS = {"": {}, " pre-norm, batch first": {"norm_first": True, "batch_first": True}, " bool masks": {"bools": True, "batch_first": True}}


class Positions(nn.Module):
    def __init__(self, size, drop, longest=64):
        super().__init__()
        den = torch.exp(-torch.arange(0, size, 2) * math.log(10000) / size)
        pos, table = torch.arange(0, longest).reshape(longest, 1), torch.zeros((longest, size))
        table[:, 0::2], table[:, 1::2] = torch.sin(pos * den), torch.cos(pos * den)
        self.dropout = nn.Dropout(drop)
        self.register_buffer("table", table.unsqueeze(-2))

    def forward(self, x):
        return self.dropout(x + self.table[: x.size(0), :])
        # BUG batch_leak: return self.dropout(x + self.table[: x.size(1)].transpose(0, 1))
        # BUG no_positions: return self.dropout(x)
        # BUG positions_twice: return self.dropout(x + self.table[: x.size(0)]) + self.table[: x.size(0)]
        # BUG dropout_in_eval: return F.dropout(x + self.table[: x.size(0), :], 0.1)


class Model(nn.Module):
    def __init__(self, batch_first=False, norm_first=False, bools=False, d=16):
        super().__init__()
        self.batch_first, self.bools, self.d = batch_first, bools, d
        self.transformer = nn.Transformer(d, 4, 2, 2, 32, 0.1, batch_first=batch_first, norm_first=norm_first)
        # BUG batch_leak [ bool masks]: self.transformer = nn.Transformer(d, 4, 2, 2, 32, 0.1)
        self.generator = nn.Linear(d, 23)
        self.src_tok, self.tgt_tok = nn.Embedding(23, d), nn.Embedding(23, d)
        self.positions = Positions(d, 0.1)

    def embed(self, table, ids):
        x = self.positions(table(ids.T) * math.sqrt(self.d))
        # BUG embedding_scale: x = self.positions(table(ids.T) * 0.1)
        return x.transpose(0, 1) if self.batch_first else x

    def forward(self, src, tgt):
        n = tgt.size(1)
        causal = torch.triu(torch.ones(n, n), diagonal=1).bool()
        # BUG causal_off_by_one: causal = torch.triu(torch.ones(n, n), diagonal=2).bool()
        # BUG mask_inverted: causal = torch.tril(torch.ones(n, n), diagonal=-1).bool()
        pads = src == 0
        # BUG mask_inverted: pads = src != 0
        # BUG padding_attended: pads = src == -5
        tgt_pads = tgt == 0
        if not self.bools:
            pads, tgt_pads, causal = (
                torch.zeros(m.shape).masked_fill(m, -torch.inf)
                # BUG mask_value_too_small: torch.zeros(m.shape).masked_fill(m, -1.0)
                for m in (pads, tgt_pads, causal)
            )
        x = self.transformer(
            self.embed(self.src_tok, src),
            self.embed(self.tgt_tok, tgt),
            tgt_mask=causal,
            # BUG future_leak: tgt_mask=None,
            src_key_padding_mask=pads,
            # BUG padding_attended: src_key_padding_mask=None,
            tgt_key_padding_mask=tgt_pads,
            memory_key_padding_mask=pads,
            # BUG padding_attended: memory_key_padding_mask=None,
        )
        return self.generator(x if self.batch_first else x.transpose(0, 1))


def loss(model, src, tgt):
    logits, out = model(src, tgt[:, :-1]), tgt[:, 1:]
    # BUG target_not_shifted: logits, out = model(src, tgt), tgt
    # BUG target_shift_wrong: logits, out = model(src, tgt[:, :-2]), tgt[:, 2:]
    return F.cross_entropy(logits.reshape(-1, 23), out.reshape(-1), ignore_index=0)
    # BUG pad_in_loss: return F.cross_entropy(logits.reshape(-1, 23), out.reshape(-1))
    # BUG softmax_before_cross_entropy: return F.cross_entropy(logits.softmax(-1).reshape(-1, 23), out.reshape(-1), ignore_index=0)
    # BUG logits_reshaped: return F.cross_entropy(logits.reshape(len(src), 23, -1), out, ignore_index=0)
    # BUG log_softmax_missing: return F.nll_loss(logits.reshape(-1, 23), out.reshape(-1), ignore_index=0)


def build(**options):
    return Model(**options)
