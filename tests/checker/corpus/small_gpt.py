"""A small GPT: one matrix for q, k and v, fused attention or a mask in a buffer; logits and loss."""

# pyright: basic, reportIndexIssue=false, reportOptionalCall=false, reportCallIssue=false
# pyright: reportArgumentType=false, reportGeneralTypeIssues=false, reportAttributeAccessIssue=false
import math

import torch
import torch.nn.functional as F
from torch import nn

KIND = "decoder"
OPTIONS = {"": {}, " with a mask": {"flash": False}, " untied": {"flash": False, "tied": False}}


class SelfAttention(nn.Module):
    def __init__(self, n_embd, n_head, flash, block=32):
        super().__init__()
        self.c_attn = nn.Linear(n_embd, 3 * n_embd, bias=False)
        self.c_proj = nn.Linear(n_embd, n_embd, bias=False)
        self.n_head, self.n_embd, self.flash = n_head, n_embd, flash
        self.attn_dropout, self.resid_dropout = nn.Dropout(0.1), nn.Dropout(0.1)
        self.register_buffer("bias", torch.tril(torch.ones(block, block))[None, None])
        # BUG causal_off_by_one [ with a mask]: self.register_buffer("bias", torch.tril(torch.ones(block, block), 1)[None, None])
        # BUG mask_inverted [ with a mask]: self.register_buffer("bias", torch.triu(torch.ones(block, block), 1)[None, None])

    def forward(self, x):
        b, t, c = x.size()
        q, k, v = self.c_attn(x).split(self.n_embd, dim=2)
        # BUG value_from_key: q, k, _ = self.c_attn(x).split(self.n_embd, dim=2); v = k
        # BUG key_from_query: q, _, v = self.c_attn(x).split(self.n_embd, dim=2); k = q
        # BUG heads_mixed: q, k, v = (z.reshape(b, self.n_head, t, -1).transpose(1, 2).reshape(b, t, c) for z in self.c_attn(x).split(c, dim=2))
        q, k, v = (z.view(b, t, self.n_head, c // self.n_head).transpose(1, 2) for z in (q, k, v))
        if self.flash:
            y = F.scaled_dot_product_attention(q, k, v, is_causal=True)
            # BUG future_leak []: y = F.scaled_dot_product_attention(q, k, v)
            # BUG scale_wrong []: y = F.scaled_dot_product_attention(q, k, v, is_causal=True, scale=1 / q.size(-1))
            # BUG dropout_in_eval []: y = F.scaled_dot_product_attention(q, k, v, is_causal=True, dropout_p=0.2)
        else:
            att = (q @ k.transpose(-2, -1)) * (1.0 / math.sqrt(k.size(-1)))
            # BUG scale_missing [ with a mask]: att = q @ k.transpose(-2, -1)
            # BUG scale_inverted [ with a mask]: att = (q @ k.transpose(-2, -1)) * math.sqrt(k.size(-1))
            # BUG scale_wrong [ with a mask]: att = (q @ k.transpose(-2, -1)) / k.size(-1)
            att = att.masked_fill(self.bias[:, :, :t, :t] == 0, float("-inf"))
            # BUG future_leak [ with a mask]: pass
            # BUG mask_value_too_small [ with a mask]: att = att.masked_fill(self.bias[:, :, :t, :t] == 0, 0.0)
            # BUG mask_value_too_small [ with a mask]: att = att + (1 - self.bias[:, :, :t, :t])
            att = F.softmax(att, dim=-1)
            # BUG softmax_axis [ with a mask]: att = F.softmax(att, dim=1)
            # BUG mask_after_softmax [ untied]: att = F.softmax(q @ k.transpose(-2, -1) / k.size(-1) ** 0.5, -1) * self.bias[..., :t, :t]
            att = self.attn_dropout(att)
            y = att @ v
        y = y.transpose(1, 2).contiguous().view(b, t, c)
        # BUG heads_mixed: y = y.contiguous().view(b, t, c)
        return self.resid_dropout(self.c_proj(y))
        # BUG output_projection_missing: return self.resid_dropout(y)


class Mlp(nn.Module):
    def __init__(self, n_embd):
        super().__init__()
        self.c_fc = nn.Linear(n_embd, 4 * n_embd, bias=False)
        self.c_proj, self.gelu = nn.Linear(4 * n_embd, n_embd, bias=False), nn.GELU()

    def forward(self, x):
        return self.c_proj(self.gelu(self.c_fc(x)))
        # BUG activation_missing: return self.c_proj(self.c_fc(x))


class Block(nn.Module):
    def __init__(self, n_embd, n_head, flash):
        super().__init__()
        self.ln_1, self.ln_2 = nn.LayerNorm(n_embd, bias=False), nn.LayerNorm(n_embd, bias=False)
        self.attn, self.mlp = SelfAttention(n_embd, n_head, flash), Mlp(n_embd)

    def forward(self, x):
        x = x + self.attn(self.ln_1(x))
        # BUG residual_missing: x = self.attn(self.ln_1(x))
        # BUG norm_missing: x = x + self.attn(x)
        # BUG residual_from_norm: x = self.ln_1(x); x = x + self.attn(x)
        return x + self.mlp(self.ln_2(x))
        # BUG residual_missing: return self.mlp(self.ln_2(x))
        # BUG residual_from_norm: x = self.ln_2(x); return x + self.mlp(x)


class Model(nn.Module):
    def __init__(self, vocab, flash=True, tied=True, n_embd=16, n_head=4, n_layer=2, block=32):
        super().__init__()
        self.wte, self.wpe = nn.Embedding(vocab, n_embd), nn.Embedding(block, n_embd)
        self.h = nn.ModuleList([Block(n_embd, n_head, flash) for _ in range(n_layer)])
        # BUG shared_layers: self.h = nn.ModuleList([Block(n_embd, n_head, flash)] * n_layer)
        self.ln_f = nn.LayerNorm(n_embd, bias=False)
        self.lm_head = nn.Linear(n_embd, vocab, bias=False)
        self.apply(self.init)
        if tied:
            self.wte.weight = self.lm_head.weight
        self.offset = 0

    def init(self, module):
        if isinstance(module, nn.Linear | nn.Embedding):
            nn.init.normal_(module.weight, mean=0.0, std=0.02)

    def forward(self, idx, targets=None):
        b, t = idx.shape
        pos = torch.arange(0, t, dtype=torch.long)
        # BUG positions_not_reset: pos = torch.arange(self.offset, self.offset + t) % 32; self.offset += 1
        x = self.wte(idx).view(b, t, -1) + self.wpe(pos)
        # BUG no_positions: x = self.wte(idx)
        # BUG batch_leak: x = self.wte(idx) + self.wpe(torch.arange(b))[:, None]
        # BUG positions_twice: x = self.wte(idx) + self.wpe(pos); x = x + self.wpe(pos)
        # BUG batch_leak: x = self.wte(idx) + self.wpe(pos); x = x - x.mean(0, keepdim=True)
        for block in self.h:
            # BUG layers_not_run: for block in self.h[-1:]:
            x = block(x)
        logits = self.lm_head(self.ln_f(x))
        # BUG norm_missing: logits = self.lm_head(x)
        if targets is None:
            return logits, None
        return logits, F.cross_entropy(logits.view(-1, logits.size(-1)), targets.view(-1), ignore_index=-1)
        # BUG softmax_before_cross_entropy: return logits, F.cross_entropy(logits.softmax(-1).view(-1, 23), targets.view(-1), ignore_index=-1)
        # BUG logits_reshaped: return logits, F.cross_entropy(logits.view(b, 23, t), targets, ignore_index=-1)
        # BUG log_softmax_missing: return logits, F.nll_loss(logits.softmax(-1).view(-1, 23), targets.view(-1), ignore_index=-1)


def loss(model, ids):
    x, y = ids[:, :-1].contiguous(), ids[:, 1:].contiguous()
    # BUG target_not_shifted: x, y = ids.contiguous(), ids.contiguous()
    # BUG target_shift_wrong: x, y = ids[:, 1:].contiguous(), ids[:, :-1].contiguous()
    # BUG target_shift_wrong: x, y = ids[:, :-2].contiguous(), ids[:, 2:].contiguous()
    y = y.masked_fill(y == 0, -1)
    # BUG pad_in_loss: pass
    return model(x, y)[1]


def build(**options):
    return Model(23, **options)
