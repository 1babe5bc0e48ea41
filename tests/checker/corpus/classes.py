"""One class for each box of the figure, post-norm, masks made inside the model."""

# pyright: basic, reportIndexIssue=false, reportOptionalCall=false, reportCallIssue=false
# pyright: reportArgumentType=false, reportGeneralTypeIssues=false, reportAttributeAccessIssue=false
import math

import torch
import torch.nn.functional as F
from torch import nn

KIND = "encoder-decoder"
OPTIONS = {"": {}, " pre-norm": {"pre": True}}


class Scaled(nn.Module):
    def forward(self, q, k, v, mask=None, e=1e12):
        score = (q @ k.transpose(2, 3)) / math.sqrt(k.size(3))
        # BUG scale_missing: score = q @ k.transpose(2, 3)
        # BUG scale_wrong: score = (q @ k.transpose(2, 3)) / math.sqrt(k.size(3) * k.size(1))
        if mask is not None:
            score = score.masked_fill(mask == 0, -e)
            # BUG mask_inverted: score = score.masked_fill(mask != 0, -e)
            # BUG mask_value_too_small: score = score.masked_fill(mask == 0, -5.0)
        score = torch.softmax(score, dim=-1)
        # BUG softmax_axis: score = torch.softmax(score, dim=-2)
        # BUG mask_after_softmax: score = torch.softmax(q @ k.mT / math.sqrt(k.size(3)), -1) * mask
        return score @ v, score


class Attention(nn.Module):
    def __init__(self, d_model, n_head):
        super().__init__()
        self.n_head, self.attention = n_head, Scaled()
        self.w_q, self.w_k = nn.Linear(d_model, d_model), nn.Linear(d_model, d_model)
        self.w_v, self.w_concat = nn.Linear(d_model, d_model), nn.Linear(d_model, d_model)

    def forward(self, q, k, v, mask=None):
        q, k, v = self.w_q(q), self.w_k(k), self.w_v(v)
        # BUG key_from_query: q, k, v = self.w_q(q), self.w_q(k), self.w_v(v)
        # BUG value_from_key: q, k, v = self.w_q(q), self.w_k(k), self.w_k(v)
        # BUG made_in_forward: q, k, v = self.w_q(q), nn.Linear(k.size(-1), k.size(-1))(k), self.w_v(v)
        q, k, v = self.split(q), self.split(k), self.split(v)
        out, _ = self.attention(q, k, v, mask=mask)
        out = self.concat(out)
        return self.w_concat(out)
        # BUG output_projection_missing: return out

    def split(self, tensor):
        b, n, d = tensor.size()
        return tensor.view(b, n, self.n_head, d // self.n_head).transpose(1, 2)
        # BUG heads_mixed: return tensor.view(b, self.n_head, n, d // self.n_head)
        # BUG heads_mixed: return tensor.view(b, n, d // self.n_head, self.n_head).permute(0, 3, 2, 1).reshape(b, self.n_head, n, -1)

    def concat(self, tensor):
        b, h, n, d = tensor.size()
        return tensor.transpose(1, 2).contiguous().view(b, n, h * d)
        # BUG heads_mixed: return tensor.contiguous().view(b, n, h * d)


class Ffn(nn.Module):
    def __init__(self, d_model, hidden, drop):
        super().__init__()
        self.linear1, self.linear2 = nn.Linear(d_model, hidden), nn.Linear(hidden, d_model)
        self.relu, self.dropout = nn.ReLU(), nn.Dropout(drop)

    def forward(self, x):
        x = self.relu(self.linear1(x))
        # BUG activation_missing: x = self.linear1(x)
        return self.linear2(self.dropout(x))


class EncoderLayer(nn.Module):
    def __init__(self, d_model, hidden, n_head, drop, pre):
        super().__init__()
        self.pre, self.attention = pre, Attention(d_model, n_head)
        self.norm1, self.norm2 = nn.LayerNorm(d_model), nn.LayerNorm(d_model)
        self.ffn, self.dropout = Ffn(d_model, hidden, drop), nn.Dropout(drop)

    def forward(self, x, src_mask):
        if self.pre:
            y = self.norm1(x)
            x = x + self.dropout(self.attention(y, y, y, src_mask))
            # BUG residual_from_norm [ pre-norm]: x = y + self.dropout(self.attention(y, y, y, src_mask))
            return x + self.dropout(self.ffn(self.norm2(x)))
        _x = x
        x = self.norm1(self.dropout(self.attention(x, x, x, src_mask)) + _x)
        # BUG residual_missing []: x = self.norm1(self.dropout(self.attention(x, x, x, src_mask)))
        # BUG norm_missing []: x = self.dropout(self.attention(x, x, x, src_mask)) + _x
        # BUG padding_attended []: x = self.norm1(self.dropout(self.attention(x, x, x)) + _x)
        _x = x
        return self.norm2(self.dropout(self.ffn(x)) + _x)
        # BUG residual_missing []: return self.norm2(self.dropout(self.ffn(x)))


class DecoderLayer(nn.Module):
    def __init__(self, d_model, hidden, n_head, drop, pre):
        super().__init__()
        self.pre = pre
        self.self_attention, self.cross = Attention(d_model, n_head), Attention(d_model, n_head)
        self.norm1, self.norm2 = nn.LayerNorm(d_model), nn.LayerNorm(d_model)
        self.norm3, self.ffn = nn.LayerNorm(d_model), Ffn(d_model, hidden, drop)
        self.dropout = nn.Dropout(drop)

    def forward(self, dec, enc, trg_mask, src_mask):
        x, drop = dec, self.dropout
        if self.pre:
            y = self.norm1(x)
            x = x + drop(self.self_attention(y, y, y, trg_mask))
            x = x + drop(self.cross(self.norm2(x), enc, enc, src_mask))
            return x + drop(self.ffn(self.norm3(x)))
        x = self.norm1(drop(self.self_attention(x, x, x, trg_mask)) + x)
        # BUG future_leak []: x = self.norm1(drop(self.self_attention(x, x, x)) + x)
        x = self.norm2(drop(self.cross(x, enc, enc, src_mask)) + x)
        # BUG cross_reads_target []: x = self.norm2(drop(self.cross(x, enc, x, src_mask)) + x)
        # BUG cross_mask_wrong []: x = self.norm2(drop(self.cross(x, enc, enc, trg_mask)) + x)
        # BUG memory_ignored []: self.cross(x, enc, enc, src_mask)
        # BUG norm_missing []: x = drop(self.cross(x, enc, enc, src_mask)) + x
        return self.norm3(drop(self.ffn(x)) + x)


class Embedding(nn.Module):
    def __init__(self, vocab, d_model, longest, drop):
        super().__init__()
        self.tok_emb, self.drop_out = nn.Embedding(vocab, d_model, padding_idx=0), nn.Dropout(drop)
        pos, two_i = torch.arange(longest).float()[:, None], torch.arange(0, d_model, 2).float()
        code = torch.zeros(longest, d_model)
        code[:, 0::2] = torch.sin(pos / (10000 ** (two_i / d_model)))
        code[:, 1::2] = torch.cos(pos / (10000 ** (two_i / d_model)))
        self.encoding = code

    def forward(self, x):
        return self.drop_out(self.tok_emb(x) + self.encoding[: x.size(1), :])
        # BUG no_positions: return self.drop_out(self.tok_emb(x))
        # BUG batch_leak: return self.drop_out(self.tok_emb(x) + self.encoding[: x.size(0)][:, None])
        # BUG positions_twice: return self.tok_emb(x) + self.encoding[: x.size(1)] + self.encoding[: x.size(1)]
        # BUG embedding_scale: return self.tok_emb(x) * 0.1 + self.encoding[: x.size(1)]
        # BUG dropout_in_eval: return F.dropout(self.tok_emb(x) + self.encoding[: x.size(1)], 0.1)


class Model(nn.Module):
    def __init__(self, vocab, pre=False, d=16, heads=4, hidden=32, drop=0.1, n=2):
        super().__init__()
        self.src_emb, self.trg_emb = (Embedding(vocab, d, 64, drop) for _ in range(2))
        self.encoder = nn.ModuleList([EncoderLayer(d, hidden, heads, drop, pre) for _ in range(n)])
        # BUG shared_layers: self.encoder = nn.ModuleList([EncoderLayer(d, hidden, heads, drop, pre)] * n)
        self.decoder = nn.ModuleList([DecoderLayer(d, hidden, heads, drop, pre) for _ in range(n)])
        self.enc_norm = nn.LayerNorm(d) if pre else nn.Identity()
        # BUG norm_missing [ pre-norm]: self.enc_norm = nn.Identity()
        self.dec_norm = nn.LayerNorm(d) if pre else nn.Identity()
        # BUG norm_missing [ pre-norm]: self.dec_norm = nn.Identity()
        self.linear = nn.Linear(d, vocab)

    def src_mask(self, src):
        return (src != 0).unsqueeze(1).unsqueeze(2)
        # BUG padding_attended: return None

    def trg_mask(self, trg):
        pad, n = (trg != 0).unsqueeze(1).unsqueeze(3), trg.shape[1]
        sub = torch.tril(torch.ones(n, n)).type(torch.ByteTensor)
        # BUG causal_off_by_one: sub = torch.tril(torch.ones(n, n), diagonal=1).type(torch.ByteTensor)
        # BUG mask_inverted: sub = torch.triu(torch.ones(n, n), diagonal=1).type(torch.ByteTensor)
        return pad & sub.bool()

    def forward(self, src, trg):
        src_mask, trg_mask = self.src_mask(src), self.trg_mask(trg)
        x = self.src_emb(src)
        for layer in self.encoder:
            x = layer(x, src_mask)
            # BUG layers_not_run: x = layer(x, src_mask); break
            # BUG causal_in_encoder: x = layer(x, src_mask & torch.ones(x.size(1), x.size(1)).tril().bool())
        enc, x = self.enc_norm(x), self.trg_emb(trg)
        for layer in self.decoder:
            x = layer(x, enc, trg_mask, src_mask)
            # BUG memory_ignored: x = layer(x, torch.zeros_like(enc), trg_mask, src_mask)
        return self.linear(self.dec_norm(x))


def loss(model, src, trg):
    output = model(src, trg[:, :-1])
    # BUG softmax_before_cross_entropy: output = model(src, trg[:, :-1]).softmax(-1)
    output = output.contiguous().view(-1, output.shape[-1])
    # BUG logits_reshaped: return F.cross_entropy(output.reshape(src.size(0), 23, -1), trg[:, 1:], ignore_index=0)
    trg = trg[:, 1:].contiguous().view(-1)
    return nn.CrossEntropyLoss(ignore_index=0)(output, trg)
    # BUG pad_in_loss: return nn.CrossEntropyLoss()(output, trg)


def build(**options):
    return Model(23, **options)
