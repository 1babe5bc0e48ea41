"""No classes but one that holds a dictionary of tensors; everything else is a function of it."""

# pyright: basic, reportIndexIssue=false, reportOptionalCall=false, reportCallIssue=false
# pyright: reportArgumentType=false, reportGeneralTypeIssues=false, reportAttributeAccessIssue=false
import math

import torch
import torch.nn.functional as F
from torch import nn

KIND = "decoder"
OPTIONS = {"": {}, " post-norm": {"post": True}}


def gelu(x):
    return 0.5 * x * (1 + torch.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3)))


def layer_norm(x, g, b, eps=1e-5):
    mean = x.mean(-1, keepdim=True)
    variance = x.var(-1, keepdim=True, unbiased=False)
    return g * ((x - mean) / torch.sqrt(variance + eps)) + b


def linear(x, w, b):
    return x @ w + b


def ffn(x, p):
    return linear(gelu(linear(x, p["fc_w"], p["fc_b"])), p["pr_w"], p["pr_b"])
    # BUG activation_missing: return linear(linear(x, p["fc_w"], p["fc_b"]), p["pr_w"], p["pr_b"])


def attention(q, k, v, mask):
    return F.softmax(q @ k.transpose(-1, -2) / math.sqrt(q.shape[-1]) + mask, -1) @ v
    # BUG scale_missing: return F.softmax(q @ k.transpose(-1, -2) + mask, -1) @ v
    # BUG softmax_axis: return F.softmax(q @ k.transpose(-1, -2) / math.sqrt(q.shape[-1]) + mask, -2) @ v
    # BUG mask_after_softmax: return (F.softmax(q @ k.transpose(-1, -2) / math.sqrt(q.shape[-1]), -1) * (mask == 0)) @ v
    # BUG future_leak: return F.softmax(q @ k.transpose(-1, -2) / math.sqrt(q.shape[-1]), -1) @ v


def mha(x, p, heads):
    x = linear(x, p["qkv_w"], p["qkv_b"])
    qkv = x.chunk(3, -1)
    # BUG key_from_query: qkv = (x.chunk(3, -1)[0], x.chunk(3, -1)[0], x.chunk(3, -1)[2])
    hs = list(zip(*[part.chunk(heads, -1) for part in qkv], strict=True))
    n = x.shape[1]
    mask = (1 - torch.tril(torch.ones(n, n))) * -1e10
    # BUG mask_value_too_small: mask = (1 - torch.tril(torch.ones(n, n))) * -1e-10
    # BUG causal_off_by_one: mask = (1 - torch.tril(torch.ones(n, n), 1)) * -1e10
    outs = [attention(q, k, v, mask) for q, k, v in hs]
    return linear(torch.cat(outs, -1), p["o_w"], p["o_b"])
    # BUG output_projection_missing: return torch.cat(outs, -1)
    # BUG heads_mixed: return linear(torch.stack(outs, 1).reshape(x.shape[0], n, -1), p["o_w"], p["o_b"])


def block(x, p, heads, post):
    if post:
        x = layer_norm(x + mha(x, p, heads), p["g1"], p["b1"])
        return layer_norm(x + ffn(x, p), p["g2"], p["b2"])
        # BUG residual_missing [ post-norm]: return layer_norm(ffn(x, p), p["g2"], p["b2"])
    x = x + mha(layer_norm(x, p["g1"], p["b1"]), p, heads)
    # BUG residual_from_norm: x = layer_norm(x, p["g1"], p["b1"]); x = x + mha(x, p, heads)
    # BUG norm_missing: x = x + mha(x, p, heads)
    return x + ffn(layer_norm(x, p["g2"], p["b2"]), p)
    # BUG residual_from_norm: x = layer_norm(x, p["g2"], p["b2"]); return x + ffn(x, p)


def lm(ids, params, layers, heads, post):
    x = params["wte"][ids] + params["wpe"][range(ids.shape[1])]
    # BUG no_positions: x = params["wte"][ids]
    # BUG positions_twice: x = params["wte"][ids] + params["wpe"][range(ids.shape[1])]; x = x + params["wpe"][range(ids.shape[1])]
    for p in layers:
        x = block(x, p, heads, post)
        # BUG layers_not_run: return (layer_norm(block(x, p, heads, post), params["g"], params["b"])) @ params["wte"].T
    return (x if post else layer_norm(x, params["g"], params["b"])) @ params["wte"].T


class Model(nn.Module):
    def __init__(self, post=False, d=16, heads=2, n=2):
        super().__init__()
        self.heads, self.post = heads, post
        new = lambda *s: nn.Parameter(torch.randn(*s) * 0.3)
        self.top = nn.ParameterDict({"wte": new(23, d), "wpe": new(40, d)})
        if not post:
            self.top.update({"g": nn.Parameter(torch.ones(d)), "b": nn.Parameter(torch.zeros(d))})
        sizes = {"qkv_w": (d, 3 * d), "qkv_b": (3 * d,), "o_w": (d, d), "o_b": (d,)}
        sizes |= {"fc_w": (d, 4 * d), "fc_b": (4 * d,), "pr_w": (4 * d, d), "pr_b": (d,)}
        self.layers = nn.ModuleList()
        for _ in range(n):
            p = nn.ParameterDict({k: new(*s) for k, s in sizes.items()})
            for k in ("g1", "g2"):
                p[k] = nn.Parameter(torch.ones(d))
            for k in ("b1", "b2"):
                p[k] = nn.Parameter(torch.zeros(d))
            self.layers.append(p)
            # BUG shared_layers: self.layers.append(self.layers[0] if len(self.layers) else p)

    def forward(self, ids):
        return lm(ids, self.top, self.layers, self.heads, self.post)


def loss(model, ids):
    logits = model(ids)
    shifted, labels = logits[:, :-1].reshape(-1, 23), ids[:, 1:].reshape(-1)
    # BUG target_shift_wrong: shifted, labels = logits[:, 1:].reshape(-1, 23), ids[:, :-1].reshape(-1)
    return F.cross_entropy(shifted, labels, ignore_index=0)
    # BUG log_softmax_missing: return F.nll_loss(torch.softmax(shifted, -1), labels, ignore_index=0)


def build(**options):
    return Model(**options)
