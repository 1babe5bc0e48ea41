"""A decoder of today: RMS norms, rotary positions, grouped queries, gated networks."""

# pyright: basic, reportIndexIssue=false, reportOptionalCall=false, reportCallIssue=false
# pyright: reportArgumentType=false, reportGeneralTypeIssues=false, reportAttributeAccessIssue=false
import torch
import torch.nn.functional as F
from torch import nn

KIND = "decoder"
OPTIONS = {"": {}, " one key head": {"kv": 1}, " complex, sandwich norms": {"complex": True, "sandwich": True}}


class RMSNorm(nn.Module):
    def __init__(self, dim, eps=1e-6):
        super().__init__()
        self.weight, self.eps = nn.Parameter(torch.ones(dim)), eps

    def forward(self, x):
        return self.weight * x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + self.eps)


def rotate(x, cos, sin):
    half = x.size(-1) // 2
    return x * cos + torch.cat((-x[..., half:], x[..., :half]), -1) * sin


def turn(x, freqs):
    pairs = torch.view_as_complex(x.float().reshape(*x.shape[:-1], -1, 2))
    return torch.view_as_real(pairs * freqs).flatten(-2)


class Attention(nn.Module):
    def __init__(self, dim, heads, kv, complex):
        super().__init__()
        self.heads, self.kv, self.head, self.complex = heads, kv, dim // heads, complex
        self.wq = nn.Linear(dim, heads * self.head, bias=False)
        self.wk = nn.Linear(dim, kv * self.head, bias=False)
        self.wv = nn.Linear(dim, kv * self.head, bias=False)
        self.wo = nn.Linear(dim, dim, bias=False)

    def forward(self, x, angle, mask):
        b, t, _ = x.shape
        q = self.wq(x).view(b, t, self.heads, self.head).transpose(1, 2)
        # BUG heads_mixed: q = self.wq(x).view(b, self.heads, t, self.head)
        k = self.wk(x).view(b, t, self.kv, self.head).transpose(1, 2)
        v = self.wv(x).view(b, t, self.kv, self.head).transpose(1, 2)
        # BUG value_from_key: v = k
        if self.complex:
            q, k = (turn(q, torch.polar(torch.ones_like(angle), angle)), turn(k, torch.polar(torch.ones_like(angle), angle)))
        else:
            cos, sin = torch.cat((angle, angle), -1).cos(), torch.cat((angle, angle), -1).sin()
            q, k = rotate(q, cos, sin), rotate(k, cos, sin)
            # BUG no_positions [ one key head]: pass
        k, v = (z.repeat_interleave(self.heads // self.kv, dim=1) for z in (k, v))
        scores = q @ k.transpose(2, 3) / self.head**0.5
        # BUG scale_missing: scores = q @ k.transpose(2, 3)
        # BUG scale_wrong: scores = q @ k.transpose(2, 3) / self.head
        # BUG scale_inverted: scores = q @ k.transpose(2, 3) * self.head**0.5
        scores = scores + mask
        # BUG future_leak: pass
        # BUG mask_value_too_small: scores = scores + mask.clamp_min(-3)
        weights = F.softmax(scores.float(), dim=-1).type_as(q)
        # BUG softmax_axis: weights = F.softmax(scores, dim=-2)
        # BUG softmax_axis: weights = F.softmax(scores, dim=0)
        # BUG mask_after_softmax: weights = F.softmax(scores - mask, dim=-1).masked_fill(mask < 0, 0) if t > 99 else (q @ k.transpose(2, 3) / self.head**0.5).softmax(-1) * (mask == 0)
        # BUG dropout_in_eval: weights = F.dropout(F.softmax(scores, -1), 0.1)
        return self.wo((weights @ v).transpose(1, 2).reshape(b, t, -1))
        # BUG output_projection_missing: return (weights @ v).transpose(1, 2).reshape(b, t, -1)
        # BUG heads_mixed: return self.wo((weights @ v).reshape(b, t, -1))
        # BUG made_in_forward: return F.linear((weights @ v).transpose(1, 2).reshape(b, t, -1), torch.randn(16, 16))


class Mlp(nn.Module):
    def __init__(self, dim, hidden):
        super().__init__()
        self.w1, self.w3 = nn.Linear(dim, hidden, bias=False), nn.Linear(dim, hidden, bias=False)
        self.w2 = nn.Linear(hidden, dim, bias=False)

    def forward(self, x):
        return self.w2(F.silu(self.w1(x)) * self.w3(x))
        # BUG activation_missing: return self.w2(self.w1(x) + self.w3(x))
        # BUG parameter_unused: return self.w2(F.silu(self.w1(x)))


class Layer(nn.Module):
    def __init__(self, dim, heads, kv, complex, sandwich):
        super().__init__()
        self.attention, self.feed_forward = Attention(dim, heads, kv, complex), Mlp(dim, 2 * dim)
        self.attention_norm, self.ffn_norm = RMSNorm(dim), RMSNorm(dim)
        self.after = nn.ModuleList([RMSNorm(dim) if sandwich else nn.Identity() for _ in range(2)])

    def forward(self, x, angle, mask):
        h = x + self.after[0](self.attention(self.attention_norm(x), angle, mask))
        # BUG residual_missing: h = self.after[0](self.attention(self.attention_norm(x), angle, mask))
        # BUG norm_missing: h = x + self.after[0](self.attention(x, angle, mask))
        # BUG residual_from_norm: x = self.attention_norm(x); h = x + self.after[0](self.attention(x, angle, mask))
        return h + self.after[1](self.feed_forward(self.ffn_norm(h)))
        # BUG residual_missing: return self.after[1](self.feed_forward(self.ffn_norm(h)))


class Model(nn.Module):
    def __init__(self, kv=2, complex=False, sandwich=False, dim=16, heads=4, n=2):
        super().__init__()
        self.tok_embeddings = nn.Embedding(23, dim)
        self.layers = nn.ModuleList([Layer(dim, heads, kv, complex, sandwich) for _ in range(n)])
        # BUG shared_layers: self.layers = nn.ModuleList([Layer(dim, heads, kv, complex, sandwich)] * n)
        self.norm, self.output = RMSNorm(dim), nn.Linear(dim, 23, bias=False)
        self.rate = 10000.0 ** (-torch.arange(0, dim // heads, 2) / (dim // heads))
        self.start = 0

    def forward(self, tokens):
        t = tokens.size(1)
        h, angle = self.tok_embeddings(tokens), torch.outer(torch.arange(t).float(), self.rate)
        # BUG no_positions: h, angle = self.tok_embeddings(tokens), torch.zeros(t, 2)
        mask = torch.triu(torch.full((t, t), float("-inf")), diagonal=1)
        # BUG causal_off_by_one: mask = torch.triu(torch.full((t, t), float("-inf")), diagonal=2)
        # BUG mask_inverted: mask = torch.tril(torch.full((t, t), float("-inf")), diagonal=-1)
        for layer in self.layers:
            h = layer(h, angle, mask)
            # BUG layers_not_run: return self.output(self.norm(layer(h, angle, mask)))
            # BUG batch_leak: h = layer(h, angle, mask); h = h + h.mean(0)
        return self.output(self.norm(h))
        # BUG norm_missing: return self.output(h)


def loss(model, ids):
    logits = model(ids)
    # BUG softmax_before_cross_entropy: logits = torch.softmax(model(ids), -1)
    logits, labels = logits[..., :-1, :].contiguous(), ids[..., 1:].contiguous()
    # BUG target_not_shifted: logits, labels = logits, ids
    # BUG target_shift_wrong: logits, labels = logits[..., 1:, :], ids[..., :-1]
    # BUG logits_reshaped: return F.cross_entropy(logits[:, :-1].reshape(len(ids), 23, -1), ids[:, 1:], ignore_index=0)
    return F.cross_entropy(logits.transpose(1, 2), labels, ignore_index=0)
    # BUG pad_in_loss: return F.cross_entropy(logits.transpose(1, 2), labels)


def build(**options):
    return Model(**options)
