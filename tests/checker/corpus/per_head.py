"""A weight tensor for each head, einsum throughout, slopes instead of positions, a cache handed out."""

# pyright: basic, reportIndexIssue=false, reportOptionalCall=false, reportCallIssue=false
# pyright: reportArgumentType=false, reportGeneralTypeIssues=false, reportAttributeAccessIssue=false
import torch
import torch.nn.functional as F
from torch import nn

KIND = "decoder"
OPTIONS = {"": {}, " one block in parallel": {"parallel": True}}


class Attn(nn.Module):
    def __init__(self, d, h, dh):
        super().__init__()
        self.W_Q, self.W_K, self.W_V = (nn.Parameter(torch.randn(h, d, dh) * 0.2) for _ in range(3))
        self.W_O = nn.Parameter(torch.randn(h, dh, d) * 0.2)
        self.b_Q, self.b_K, self.b_V = (nn.Parameter(torch.zeros(h, dh)) for _ in range(3))
        self.slopes, self.dh = 2.0 ** -torch.arange(1, h + 1), dh

    def forward(self, x, past=None):
        q = torch.einsum("bpd,hde->bphe", x, self.W_Q) + self.b_Q
        k = torch.einsum("bpd,hde->bphe", x, self.W_K) + self.b_K
        # BUG key_from_query: k = torch.einsum("bpd,hde->bphe", x, self.W_Q) + self.b_Q
        v = torch.einsum("bpd,hde->bphe", x, self.W_V) + self.b_V
        # BUG value_from_key: v = torch.einsum("bpd,hde->bphe", x, self.W_K) + self.b_K
        if past is not None:
            k, v = torch.cat([past[0], k], 1), torch.cat([past[1], v], 1)
        s = torch.einsum("bqhe,bkhe->bhqk", q, k) / self.dh**0.5
        # BUG scale_missing: s = torch.einsum("bqhe,bkhe->bhqk", q, k)
        # BUG scale_wrong: s = torch.einsum("bqhe,bkhe->bhqk", q, k) / self.dh
        # BUG scale_inverted: s = torch.einsum("bqhe,bkhe->bhqk", q, k) * self.dh**0.5
        i, j = torch.arange(k.size(1) - q.size(1), k.size(1))[:, None], torch.arange(k.size(1))[None]
        s = s + self.slopes[:, None, None] * (j - i)
        # BUG no_positions: pass
        s = torch.where(j <= i, s, torch.tensor(-1e5))
        # BUG future_leak: pass
        # BUG causal_off_by_one: s = torch.where(j <= i + 1, s, torch.tensor(-1e5))
        # BUG causal_off_by_one: s = torch.where(j < i, s, torch.tensor(-1e5))
        # BUG mask_inverted: s = torch.where(j > i, s, torch.tensor(-1e5))
        # BUG mask_value_too_small: s = torch.where(j <= i, s, torch.tensor(-2.0))
        a = s.exp() / s.exp().sum(-1, keepdim=True) if s.min() > -80 else s.softmax(-1)
        # BUG softmax_axis: a = s.softmax(2)
        # BUG softmax_axis: a = s.softmax(0)
        # BUG dropout_in_eval: a = F.dropout(s.softmax(-1), 0.1)
        z = torch.einsum("bhqk,bkhe->bqhe", a, v)
        return torch.einsum("bqhe,hed->bqd", z, self.W_O), (k, v)
        # BUG heads_mixed: return torch.einsum("bqhe,hed->bqd", z.transpose(1, 2).reshape(z.shape), self.W_O), (k, v)
        # BUG output_projection_missing: return z.flatten(2), (k, v)


class Block(nn.Module):
    def __init__(self, d, h, parallel):
        super().__init__()
        self.parallel, self.attn, self.ln1, self.ln2 = parallel, Attn(d, h, d // h), nn.LayerNorm(d), nn.LayerNorm(d)
        self.W_in, self.W_out = nn.Parameter(torch.randn(d, 3 * d) * 0.2), nn.Parameter(torch.randn(3 * d, d) * 0.2)

    def mlp(self, x):
        return F.silu(x @ self.W_in) @ self.W_out
        # BUG activation_missing: return x @ self.W_in @ self.W_out

    def forward(self, x, past=None):
        a, kv = self.attn(self.ln1(x), past)
        # BUG batch_leak: a, kv = self.attn(self.ln1(x).transpose(0, 1), past); a = a.transpose(0, 1)
        if self.parallel:
            return x + a + self.mlp(self.ln2(x)), kv
            # BUG residual_missing [ one block in parallel]: return a + self.mlp(self.ln2(x)), kv
        x = x + a
        # BUG residual_missing: x = a
        # BUG residual_from_norm: x = self.ln1(x) + a
        return x + self.mlp(self.ln2(x)), kv
        # BUG norm_missing: return x + self.mlp(x), kv
        # BUG residual_missing: return self.mlp(self.ln2(x)), kv


class Model(nn.Module):
    def __init__(self, parallel=False, d=20, h=5):
        super().__init__()
        self.W_E, self.W_U = nn.Parameter(torch.randn(23, d)), nn.Parameter(torch.randn(d, 23) * 0.2)
        self.blocks, self.ln = nn.ModuleList([Block(d, h, parallel) for _ in range(3)]), nn.LayerNorm(d)
        # BUG shared_layers: self.blocks, self.ln = nn.ModuleList([Block(d, h, parallel)] * 3), nn.LayerNorm(d)

    def forward(self, tokens, cache=None):
        x, new = self.W_E[tokens], []
        for n, block in enumerate(self.blocks):
            # BUG layers_not_run: for n, block in enumerate(self.blocks[:2]):
            x, kv = block(x, None if cache is None else cache[n])
            new.append(kv)
        return self.ln(x) @ self.W_U, new
        # BUG norm_missing: return x @ self.W_U, new


def loss(model, ids):
    logits, _ = model(ids)
    lp = logits - logits.logsumexp(-1, keepdim=True)
    keep = ids[:, 1:] != 0
    # BUG pad_in_loss: keep = ids[:, 1:] >= 0
    return -lp[:, :-1].gather(-1, ids[:, 1:, None])[..., 0][keep].mean()
    # BUG target_not_shifted: return -lp.gather(-1, ids[..., None])[..., 0][ids != 0].mean()
    # BUG target_shift_wrong: return -lp[:, :-2].gather(-1, ids[:, 2:, None])[..., 0][ids[:, 2:] != 0].mean()


def build(**options):
    return Model(**options)
