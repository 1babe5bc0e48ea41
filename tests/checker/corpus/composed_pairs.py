"""Encoder-decoders put together of parts: packed matrices, mixed heads, gates, towers that meet in other ways."""

# pyright: basic, reportIndexIssue=false, reportCallIssue=false, reportArgumentType=false, reportOptionalOperand=false
# pyright: reportAttributeAccessIssue=false, reportOptionalMemberAccess=false, reportOptionalCall=false, reportGeneralTypeIssues=false
import math

import torch
import torch.nn.functional as F
from torch import nn

KIND = "encoder-decoder"
OPTIONS = {
    "": {"parts": "sinusoids post tied"},
    " packed": {"parts": "packed sinusoids pre"},
    " packed, fused": {"parts": "packed fused learned pre tied root gated"},
    " turned": {"parts": "rotary pre root gated grouped"},
    " turned, normed": {"parts": "packed rotary normed pre root"},
    " buckets": {"parts": "buckets pre root tied"},
    " layer by layer": {"parts": "learned post levels"},
    " side by side": {"parts": "learned pre beside"},
    " mixed heads": {"parts": "sinusoids post talking"},
    " opened": {"parts": "learned pre opened"},
    " sandwich": {"parts": "learned pre sandwich root gated"},
    " behind": {"parts": "learned behind root"},
    " middle first": {"parts": "sinusoids post crossfirst"},
    " narrow words": {"parts": "learned pre narrow"},
    " normed words": {"parts": "learned post wordnorm segments"},
    " deep encoder": {"parts": "sinusoids pre deep tied"},
    " slopes": {"parts": "slopes pre"},
    " scaled branches": {"parts": "learned post alpha"},
}
HEADS = 4


class RootNorm(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.gain = nn.Parameter(torch.ones(dim))

    def forward(self, x):
        return x / (x.pow(2).mean(-1, keepdim=True) + 1e-6).sqrt() * self.gain
        # BUG norm_inverted [ buckets]: return x * (x.pow(2).mean(-1, keepdim=True) + 1e-6).sqrt() * self.gain


def turned(x):
    length, half = x.shape[-2], x.shape[-1] // 2
    angle = torch.outer(torch.arange(length).float(), 10000 ** (-torch.arange(half) / half))
    angle = torch.cat([angle, angle], -1)
    return x * angle.cos() + torch.cat([-x[..., half:], x[..., :half]], -1) * angle.sin()


class Attention(nn.Module):
    def __init__(self, dim, parts, own):
        super().__init__()
        self.parts, self.own, self.size = parts, own, dim // HEADS
        groups = 2 if "grouped" in parts else HEADS
        if "packed" in parts and own:
            self.qkv = nn.Linear(dim, 3 * dim)
        elif "packed" in parts:
            self.q, self.kv = nn.Linear(dim, dim), nn.Linear(dim, 2 * dim)
        else:
            self.q = nn.Linear(dim, dim)
            self.k, self.v = (nn.Linear(dim, groups * self.size) for _ in range(2))
        self.out = nn.Linear(dim, dim)
        if "normed" in parts:
            self.q_norm, self.k_norm = RootNorm(self.size), RootNorm(self.size)
        if "talking" in parts:
            self.before, self.after = (nn.Linear(HEADS, HEADS, bias=False) for _ in range(2))
        if "opened" in parts:
            self.gate = nn.Linear(dim, dim)
        if "buckets" in parts and own:
            self.bias = nn.Embedding(16, HEADS)

    def split(self, x):
        return x.unflatten(-1, (-1, self.size)).transpose(1, 2)
        # BUG heads_mixed: return x.reshape(len(x), -1, x.size(1), self.size)
        # BUG heads_mixed [ packed]: return x.reshape(len(x), -1, x.size(1), self.size)
        # BUG heads_mixed [ turned]: return x.reshape(len(x), -1, x.size(1), self.size)

    def forward(self, x, memory, seen):
        if hasattr(self, "qkv"):
            q, k, v = self.qkv(x).chunk(3, -1)
            # BUG key_from_query [ packed]: q, k, v = self.qkv(x).chunk(3, -1); k = q
            # BUG value_from_key [ turned, normed]: q, k, v = self.qkv(x).chunk(3, -1); v = k
        elif hasattr(self, "kv"):
            q, (k, v) = self.q(x), self.kv(memory).chunk(2, -1)
            # BUG cross_reads_target [ packed]: q, (k, v) = self.q(x), self.kv(x).chunk(2, -1); seen = seen[..., :1].expand(-1, -1, -1, x.size(1)).tril()
            # BUG value_from_key [ packed, fused]: q, (k, v) = self.q(x), self.kv(memory).chunk(2, -1); v = k
        else:
            q, k, v = self.q(x), self.k(memory), self.v(memory)
            # BUG value_from_key: q, k = self.q(x), self.k(memory); v = k
            # BUG key_from_query [ opened]: q, k, v = self.q(x), self.q(memory), self.v(memory)
        q, k, v = self.split(q), self.split(k), self.split(v)
        if "normed" in self.parts:
            q, k = self.q_norm(q), self.k_norm(k)
        if "rotary" in self.parts and self.own:
            q, k = turned(q), turned(k)
            # BUG no_positions [ turned]: pass
        if "grouped" in self.parts:
            k, v = k.repeat_interleave(2, 1), v.repeat_interleave(2, 1)
        if "fused" in self.parts:
            heads = F.scaled_dot_product_attention(q, k, v, attn_mask=seen)
            # BUG scale_missing [ packed, fused]: heads = F.scaled_dot_product_attention(q, k, v, attn_mask=seen, scale=1.0)
            # BUG mask_inverted [ packed, fused]: heads = F.scaled_dot_product_attention(q, k, v, attn_mask=~seen)
        else:
            heads = self.weights(q, k, seen) @ v
        joined = heads.transpose(1, 2).flatten(2)
        # BUG heads_mixed [ packed, fused]: joined = heads.reshape(x.shape)
        # BUG heads_mixed [ mixed heads]: joined = heads.reshape(x.shape)
        if "opened" in self.parts:
            joined = joined * self.gate(x).sigmoid()
        return self.out(joined)
        # BUG output_projection_missing: return joined
        # BUG output_projection_missing [ packed]: return joined
        # BUG output_projection_missing [ sandwich]: return joined

    def weights(self, q, k, seen):
        scores = q @ k.transpose(-1, -2) / math.sqrt(self.size)
        # BUG scale_missing: scores = q @ k.transpose(-1, -2)
        # BUG scale_inverted [ slopes]: scores = q @ k.transpose(-1, -2) * math.sqrt(self.size)
        # BUG scale_wrong [ packed]: scores = q @ k.transpose(-1, -2) / self.size
        # BUG scale_wrong [ mixed heads]: scores = q @ k.transpose(-1, -2) / math.sqrt(self.size * HEADS)
        back = torch.arange(q.size(2))[:, None] - torch.arange(k.size(2))
        if "talking" in self.parts:
            scores = self.before(scores.permute(0, 2, 3, 1)).permute(0, 3, 1, 2)
        if "buckets" in self.parts and self.own:
            scores = scores + self.bias(back.clamp(-7, 7) + 7).permute(2, 0, 1)
        if "slopes" in self.parts and self.own:
            scores = scores - back.abs() * 2.0 ** -torch.arange(1, HEADS + 1)[:, None, None]
        weights = scores.masked_fill(~seen, -1e9).softmax(-1)
        # BUG mask_after_softmax: weights = scores.softmax(-1).masked_fill(~seen, 0)
        # BUG mask_value_too_small [ side by side]: weights = scores.masked_fill(~seen, -5).softmax(-1)
        # BUG mask_value_too_small: weights = scores.masked_fill(~seen, 1e-9).softmax(-1)
        # BUG mask_inverted [ opened]: weights = scores.masked_fill(seen, -1e9).softmax(-1)
        # BUG softmax_axis [ layer by layer]: weights = scores.masked_fill(~seen, -1e9).softmax(-2)
        # BUG softmax_axis [ buckets]: weights = scores.masked_fill(~seen, -1e9).softmax(1)
        if "talking" in self.parts:
            weights = self.after(weights.permute(0, 2, 3, 1)).permute(0, 3, 1, 2)
        return weights


class Dense(nn.Module):
    def __init__(self, dim, parts):
        super().__init__()
        self.up, self.down = nn.Linear(dim, 2 * dim), nn.Linear(2 * dim, dim)
        if "gated" in parts:
            self.gate = nn.Linear(dim, 2 * dim)

    def forward(self, x):
        if hasattr(self, "gate"):
            return self.down(F.gelu(self.gate(x)) * self.up(x))
        return self.down(F.relu(self.up(x)))
        # BUG activation_missing: return self.down(self.up(x))
        # BUG activation_missing [ packed]: return self.down(self.up(x))
        # BUG activation_missing [ side by side]: return self.down(self.up(x))


class Around(nn.Module):
    def __init__(self, dim, parts):
        super().__init__()
        norm = RootNorm if "root" in parts else nn.LayerNorm
        self.parts, self.norm = parts, norm(dim)
        if "sandwich" in parts:
            self.second = norm(dim)

    def forward(self, x, sublayer):
        if "pre" in self.parts:
            output = sublayer(self.norm(x))
            # BUG norm_missing [ packed]: output = sublayer(x)
            # BUG residual_from_norm [ packed]: x = self.norm(x); output = sublayer(x)
            # BUG residual_from_norm [ turned]: x = self.norm(x); output = sublayer(x)
            # BUG residual_from_norm [ narrow words]: x = self.norm(x); output = sublayer(x)
            if "sandwich" in self.parts:
                output = self.second(output)
            return x + output
            # BUG residual_missing [ packed]: return output
            # BUG residual_missing [ sandwich]: return output
            # BUG residual_missing [ deep encoder]: return output
        if "behind" in self.parts:
            return x + self.norm(sublayer(x))
            # BUG residual_missing [ behind]: return self.norm(sublayer(x))
        if "alpha" in self.parts:
            return self.norm(1.5 * x + sublayer(x))
            # BUG residual_missing [ scaled branches]: return self.norm(1.5 * sublayer(x))
        return self.norm(x + sublayer(x))
        # BUG norm_missing: return x + sublayer(x)
        # BUG residual_missing: return self.norm(sublayer(x))
        # BUG residual_missing [ mixed heads]: return self.norm(sublayer(x))


class Layer(nn.Module):
    def __init__(self, dim, parts, cross):
        super().__init__()
        self.parts = parts
        self.attend, self.dense = Attention(dim, parts, True), Dense(dim, parts)
        self.around = nn.ModuleList(Around(dim, parts) for _ in range(3 if cross and "beside" not in parts else 2))
        if cross:
            self.cross = Attention(dim, parts, False)

    def forward(self, x, seen, memory=None, src_seen=None):
        if memory is None:
            x = self.around[0](x, lambda y: self.attend(y, y, seen))
        elif "beside" in self.parts:
            x = self.around[0](x, lambda y: self.attend(y, y, seen) + self.cross(y, memory, src_seen))
            # BUG padding_attended [ side by side]: x = self.around[0](x, lambda y: self.attend(y, y, seen) + self.cross(y, memory, torch.ones_like(src_seen)))
            # BUG memory_ignored [ side by side]: x = self.around[0](x, lambda y: self.attend(y, y, seen))
        elif "crossfirst" in self.parts:
            x = self.around[2](x, lambda y: self.cross(y, memory, src_seen))
            x = self.around[0](x, lambda y: self.attend(y, y, seen))
        else:
            x = self.around[0](x, lambda y: self.attend(y, y, seen))
            x = self.around[2](x, lambda y: self.cross(y, memory, src_seen))
            # BUG cross_reads_target: x = self.around[2](x, lambda y: self.cross(y, y, seen))
            # BUG cross_mask_wrong: x = self.around[2](x, lambda y: self.cross(y, memory, src_seen & torch.ones(x.size(1), memory.size(1)).tril().bool()))
            # BUG cross_mask_wrong [ turned]: x = self.around[2](x, lambda y: self.cross(y, memory, src_seen & torch.ones(x.size(1), memory.size(1)).tril().bool()))
            # BUG memory_ignored [ sandwich]: x = self.around[2](x, lambda y: self.cross(y, memory * 0, src_seen))
            # BUG padding_attended [ buckets]: x = self.around[2](x, lambda y: self.cross(y, memory, torch.ones_like(src_seen)))
        return self.around[1](x, self.dense)


class Model(nn.Module):
    def __init__(self, vocab, parts, dim=16, layers=2):
        super().__init__()
        self.parts, self.dim = (parts := parts.split()), dim
        width = 8 if "narrow" in parts else dim
        self.words = nn.Embedding(vocab, width, padding_idx=0)
        nn.init.normal_(self.words.weight, std=dim**-0.5)
        self.head = nn.Linear(dim, vocab, bias="tied" not in parts)
        if "tied" in parts:
            self.head.weight = self.words.weight
        if "narrow" in parts:
            self.widen = nn.Linear(width, dim)
        if "learned" in parts:
            self.places = nn.Embedding(32, dim)
        if "segments" in parts:
            self.sides = nn.Embedding(2, dim)
        if "wordnorm" in parts:
            self.word_norm = nn.LayerNorm(dim)
        self.encoder = nn.ModuleList(Layer(dim, parts, False) for _ in range(layers + 2 * ("deep" in parts)))
        self.decoder = nn.ModuleList(Layer(dim, parts, True) for _ in range(layers))
        # BUG shared_layers: self.decoder = nn.ModuleList([Layer(dim, parts, True)] * layers)
        # BUG not_registered [ packed]: self.decoder = [Layer(dim, parts, True) for _ in range(layers)]
        norm = (RootNorm if "root" in parts else nn.LayerNorm) if {"pre", "behind"} & set(parts) else None
        # BUG norm_missing [ turned]: norm = None
        # BUG norm_missing [ side by side]: norm = None
        self.ends = nn.ModuleList(norm(dim) if norm else nn.Identity() for _ in range(2))

    def embed(self, ids, side):
        x = self.words(ids)
        if "narrow" in self.parts:
            x = self.widen(x)
        if "sinusoids" in self.parts:
            place = torch.arange(ids.size(1))[:, None] / 10000 ** (torch.arange(0, self.dim, 2) / self.dim)
            x = x * math.sqrt(self.dim) + torch.stack([place.sin(), place.cos()], -1).flatten(1)
            # BUG no_positions: x = x * math.sqrt(self.dim)
            # BUG positions_twice: x = x * math.sqrt(self.dim) + torch.stack([place.sin(), place.cos()], -1).flatten(1) + torch.stack([place.sin(), place.cos()], -1).flatten(1)
            # BUG dropout_in_eval: x = x * math.sqrt(self.dim) + F.dropout(torch.stack([place.sin(), place.cos()], -1).flatten(1), 0.1)
        if "learned" in self.parts:
            x = x + self.places(torch.arange(ids.size(1)))
            # BUG no_positions [ packed, fused]: pass
            # BUG batch_leak [ opened]: x = x + self.places(torch.arange(ids.size(0)))[:, None]
            # BUG prefix_differs [ layer by layer]: x = x + self.places(torch.arange(ids.size(1)).flip(0))
        if "segments" in self.parts:
            x = x + self.sides.weight[side]
        return self.word_norm(x) if "wordnorm" in self.parts else x

    def forward(self, src, tgt):
        src_seen = (src != 0)[:, None, None]
        # BUG padding_attended: src_seen = torch.ones_like(src).bool()[:, None, None]
        # BUG padding_attended [ packed, fused]: src_seen = torch.ones_like(src).bool()[:, None, None]
        # BUG mask_inverted [ layer by layer]: src_seen = (src == 0)[:, None, None]
        seen = torch.ones(tgt.size(1), tgt.size(1)).tril().bool()
        # BUG future_leak: seen = torch.ones(tgt.size(1), tgt.size(1)).bool()
        # BUG future_leak [ packed, fused]: seen = torch.ones(tgt.size(1), tgt.size(1)).bool()
        # BUG future_leak [ mixed heads]: seen = torch.ones(tgt.size(1), tgt.size(1)).bool()
        # BUG causal_off_by_one [ packed]: seen = torch.ones(tgt.size(1), tgt.size(1)).tril(1).bool()
        # BUG causal_off_by_one [ turned]: seen = torch.ones(tgt.size(1), tgt.size(1)).tril(1).bool()
        # BUG causal_off_by_one [ middle first]: seen = torch.ones(tgt.size(1), tgt.size(1)).tril(-1).bool() | (torch.arange(tgt.size(1)) == 0)
        x, levels = self.embed(src, 0), []
        for layer in self.encoder:
            x = layer(x, src_seen)
            # BUG causal_in_encoder [ packed]: x = layer(x, src_seen & torch.ones(src.size(1), src.size(1)).tril().bool())
            # BUG layers_not_run [ deep encoder]: x = layer(x, src_seen) if not levels else x
            levels.append(x)
        memory, y = self.ends[0](x), self.embed(tgt, 1)
        # BUG gradient_cut: memory, y = self.ends[0](x).detach(), self.embed(tgt, 1)
        # BUG memory_ignored: memory, y = self.ends[0](x) * 0, self.embed(tgt, 1)
        for number, layer in enumerate(self.decoder):
            y = layer(y, seen, levels[number] if "levels" in self.parts else memory, src_seen)
            # BUG layers_not_run [ packed]: y = layer(y, seen, memory, src_seen) if number == 0 else y
        y = self.ends[1](y)
        return self.head(y)


def loss(model, src, tgt):
    logits, wanted = model(src, tgt[:, :-1]), tgt[:, 1:]
    # BUG target_not_shifted: logits, wanted = model(src, tgt), tgt
    # BUG target_shift_wrong: logits, wanted = model(src, tgt[:, :-2]), tgt[:, 2:]
    return F.cross_entropy(logits.flatten(0, 1), wanted.flatten(), ignore_index=0, label_smoothing=0.1)
    # BUG pad_in_loss: return F.cross_entropy(logits.flatten(0, 1), wanted.flatten(), label_smoothing=0.1)
    # BUG softmax_before_cross_entropy: return F.cross_entropy(logits.softmax(-1).flatten(0, 1), wanted.flatten(), ignore_index=0)
    # BUG logits_reshaped: return F.cross_entropy(logits.reshape(len(logits), 23, -1), wanted, ignore_index=0)


def build(**options):
    return Model(23, **options)
