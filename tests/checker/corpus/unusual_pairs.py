"""Encoder-decoders whose ends are unusual: what they read, what stands between the towers, what they return."""

# pyright: basic, reportIndexIssue=false, reportCallIssue=false, reportArgumentType=false, reportOptionalOperand=false
# pyright: reportAttributeAccessIssue=false, reportOptionalMemberAccess=false, reportOptionalCall=false, reportGeneralTypeIssues=false
import math

import torch
import torch.nn.functional as F
from torch import nn

KIND = "encoder-decoder"
OPTIONS = {
    "": {"does": "weights"},
    " copying": {"does": "copies"},
    " latents": {"does": "latents"},
    " learned memory": {"does": "learned"},
    " one more": {"does": "more"},
    " kernels": {"does": "kernels"},
    " gated convolutions": {"does": "convolved"},
    " shifts itself": {"does": "shifts"},
    " flat rows": {"does": "flat"},
    " words second": {"does": "second"},
    " wide numbers": {"does": "wide"},
    " two memories": {"does": "memories"},
    " depths mixed": {"does": "depths"},
    " source sides": {"does": "sides"},
    " token by token": {"does": "kept"},
    " chunks": {"does": "chunks"},
    " left out": {"does": "left out"},
    " convolved end": {"does": "end"},
    " gate at 0": {"does": "gated"},
}


def sinusoids(length, dim):
    angle = torch.arange(length)[:, None] * torch.exp(torch.arange(0, dim, 2) * (-math.log(10000.0) / dim))
    table = torch.zeros(length, dim)
    table[:, 0::2], table[:, 1::2] = angle.sin(), angle.cos()
    return table


class Attention(nn.Module):
    def __init__(self, dim, does, heads=2):
        super().__init__()
        self.does, self.heads, self.size = does, heads, dim // heads
        self.to_q, self.to_k, self.to_v, self.to_out = (nn.Linear(dim, dim) for _ in range(4))

    def forward(self, x, context, bias):
        b, n, _ = x.shape
        q = self.to_q(x).view(b, n, self.heads, self.size).permute(0, 2, 1, 3)
        k = self.to_k(context).view(b, -1, self.heads, self.size).permute(0, 2, 1, 3)
        # BUG key_from_query [ copying]: k = self.to_q(context).view(b, -1, self.heads, self.size).permute(0, 2, 1, 3)
        # BUG heads_mixed [ depths mixed]: k = self.to_k(context).view(b, self.heads, -1, self.size)
        v = self.to_v(context).view(b, -1, self.heads, self.size).permute(0, 2, 1, 3)
        # BUG value_from_key [ words second]: v = self.to_k(context).view(b, -1, self.heads, self.size).permute(0, 2, 1, 3)
        # BUG value_from_key [ latents]: v = self.to_k(context).view(b, -1, self.heads, self.size).permute(0, 2, 1, 3)
        if self.does == "chunks":
            return self.to_out(self.in_chunks(q, k, v, bias)), None
        scores = torch.matmul(q, k.transpose(-2, -1)) / (self.size**0.5)
        # BUG scale_missing [ copying]: scores = torch.matmul(q, k.transpose(-2, -1))
        # BUG scale_wrong [ flat rows]: scores = torch.matmul(q, k.transpose(-2, -1)) / self.size
        # BUG scale_inverted [ two memories]: scores = torch.matmul(q, k.transpose(-2, -1)) * self.size**0.5
        scores = scores + bias
        # BUG mask_inverted [ flat rows]: scores = scores + (-1e4 - bias)
        # BUG mask_value_too_small [ source sides]: scores = scores + bias / 5000
        if self.does == "more":
            large = (scores - scores.amax(-1, keepdim=True).clamp_min(0)).exp()
            weights = large / (large.sum(-1, keepdim=True) + (-scores.amax(-1, keepdim=True).clamp_min(0)).exp())
        else:
            weights = torch.softmax(scores, -1)
            # BUG softmax_axis: weights = torch.softmax(scores, 1)
            # BUG softmax_axis [ learned memory]: weights = torch.softmax(scores, 2)
            # BUG mask_after_softmax [ copying]: weights = torch.softmax(scores - bias, -1) * (bias == 0)
        out = torch.matmul(weights, v).permute(0, 2, 1, 3).contiguous().view(b, n, -1)
        # BUG heads_mixed [ wide numbers]: out = torch.matmul(weights, v).contiguous().view(b, n, -1)
        return self.to_out(out), weights
        # BUG output_projection_missing [ shifts itself]: return out, weights

    def in_chunks(self, q, k, v, bias):
        outputs = []
        for at in range(0, q.size(2), 2):
            rows = bias if bias.size(-2) == 1 else bias[..., at : at + 2, :]
            scores = q[:, :, at : at + 2] @ k.transpose(-2, -1) / self.size**0.5 + rows
            outputs.append(scores.softmax(-1) @ v)
            # BUG softmax_axis [ chunks]: outputs.append(scores.softmax(1) @ v)
        return torch.cat(outputs, 2).transpose(1, 2).flatten(2)
        # BUG heads_mixed [ chunks]: return torch.cat(outputs, 2).reshape(len(q), q.size(2), -1)


class Kernels(nn.Module):
    """Attention without a softmax: elu(q) + 1 times sums over the source."""

    def __init__(self, dim):
        super().__init__()
        self.to_q, self.to_k, self.to_v, self.to_out = (nn.Linear(dim, dim) for _ in range(4))

    def forward(self, x, seen):
        q, k = F.elu(self.to_q(x)) + 1, (F.elu(self.to_k(x)) + 1) * seen[..., None]
        # BUG padding_attended [ kernels]: q, k = F.elu(self.to_q(x)) + 1, F.elu(self.to_k(x)) + 1
        sums = k.transpose(1, 2) @ self.to_v(x)
        return self.to_out((q @ sums) / (q @ k.sum(1)[..., None]))


class Layer(nn.Module):
    def __init__(self, dim, does, cross):
        super().__init__()
        self.does = does
        self.attention = Attention(dim, does)
        if does == "kernels" and not cross:
            self.attention = Kernels(dim)
        if cross:
            self.cross, self.cross_norm = Attention(dim, does), nn.LayerNorm(dim)
        if cross and does == "gated":
            self.gate = nn.Parameter(torch.zeros(1))
        if cross and does == "memories":
            self.second, self.second_norm = Attention(dim, does), nn.LayerNorm(dim)
        self.ff = nn.Sequential(nn.Linear(dim, 3 * dim), nn.ReLU(), nn.Linear(3 * dim, dim))
        # BUG activation_missing [ depths mixed]: self.ff = nn.Sequential(nn.Linear(dim, 3 * dim), nn.Linear(3 * dim, dim))
        self.norm1, self.norm2 = nn.LayerNorm(dim), nn.LayerNorm(dim)

    def forward(self, x, bias, memory=None, away=None, first=None):
        h = self.norm1(x)
        if self.does == "kernels" and memory is None:
            x = x + self.attention(h, bias)
        else:
            x = x + self.attention(h, h, bias)[0]
            # BUG residual_missing [ copying]: x = self.attention(h, h, bias)[0]
            # BUG residual_from_norm [ latents]: x = h + self.attention(h, h, bias)[0]
        weights = None
        if memory is not None:
            output, weights = self.cross(self.cross_norm(x), memory, away)
            # BUG cross_reads_target [ shifts itself]: output, weights = self.cross(self.cross_norm(x), self.cross_norm(x), bias)
            # BUG memory_ignored [ flat rows]: output, weights = self.cross(self.cross_norm(x), memory.detach() * 0, away)
            # BUG padding_attended [ two memories]: output, weights = self.cross(self.cross_norm(x), memory, away * 0)
            # BUG cross_mask_wrong [ words second]: output, weights = self.cross(self.cross_norm(x), memory, away + torch.full((x.size(1), memory.size(1)), -1e4).triu(1))
            output = output * self.gate.tanh() if hasattr(self, "gate") else output
            # BUG memory_ignored [ gate at 0]: output = output * self.gate.tanh() * 0
            x = x + output
            # BUG residual_missing [ wide numbers]: x = output
            if hasattr(self, "second"):
                x = x + self.second(self.second_norm(x), first, away)[0]
        added = self.ff(self.norm2(x))
        # BUG norm_missing [ flat rows]: added = self.ff(x)
        if self.does == "left out" and self.training and torch.rand(()) < 0.1:
            added = added * 0
        return x + added, weights


class Model(nn.Module):
    def __init__(self, does, dim=16, vocab=23):
        super().__init__()
        self.does, self.dim = does, dim
        self.src_embed, self.tgt_embed = nn.Embedding(vocab, dim), nn.Embedding(vocab, dim)
        self.register_buffer("table", sinusoids(50, dim))
        self.enc = nn.ModuleList([Layer(dim, does, False) for _ in range(2)])
        self.dec = nn.ModuleList([Layer(dim, does, True) for _ in range(2)])
        # BUG shared_layers [ source sides]: self.dec = nn.ModuleList([Layer(dim, does, True)] * 2)
        self.enc_norm, self.dec_norm, self.out = nn.LayerNorm(dim), nn.LayerNorm(dim), nn.Linear(dim, vocab)
        if does == "copies":
            self.choose = nn.Linear(dim, 1)
        if does == "latents":
            self.latents, self.gather, self.gather_norm = nn.Parameter(torch.randn(6, dim)), Attention(dim, does), nn.LayerNorm(dim)
        if does == "learned":
            self.slots = nn.Parameter(torch.randn(3, dim))
        if does == "convolved":
            self.conv = nn.Conv1d(dim, 2 * dim, 3, padding=1)
        if does == "end":
            self.last = nn.Conv1d(dim, dim, 3)
        if does == "depths":
            self.share = nn.Parameter(torch.tensor([0.1, 0.3, 0.6]))
        if does == "sides":
            self.sides = nn.Embedding(2, dim)

    def places(self, ids, embed):
        return embed(ids) * math.sqrt(self.dim) + self.table[: ids.size(1)]
        # BUG no_positions [ copying]: return embed(ids) * math.sqrt(self.dim)
        # BUG positions_twice [ flat rows]: return embed(ids) * math.sqrt(self.dim) + self.table[: ids.size(1)] + self.table[: ids.size(1)]
        # BUG batch_leak [ copying]: return embed(ids) * math.sqrt(self.dim) + self.table[: len(ids), None]

    def encode(self, src):
        seen, away = src != 0, torch.zeros(src.shape).masked_fill(src == 0, -1e4)[:, None, None]
        # BUG padding_attended [ copying]: seen, away = src != 0, torch.zeros(src.shape)[:, None, None]
        # BUG mask_inverted [ shifts itself]: seen, away = src != 0, torch.zeros(src.shape).masked_fill(src != 0, -1e4)[:, None, None]
        x = self.places(src, self.src_embed)
        if self.does == "sides":
            x = x + self.sides((src > 9).long())
        if self.does == "convolved":
            x = x * seen[..., None]
            # BUG padding_attended [ gated convolutions]: pass
            x = x + F.glu(self.conv(x.transpose(1, 2)), 1).transpose(1, 2)
        first, depths = x, [x]
        for layer in self.enc:
            x, _ = layer(x, seen if self.does == "kernels" else away)
            # BUG causal_in_encoder [ copying]: x, _ = layer(x, away + torch.full((x.size(1), x.size(1)), -1e4).triu(1))
            depths.append(x)
            # BUG layers_not_run [ two memories]: depths.append(x); break
        if self.does == "depths":
            x = sum(w * d for w, d in zip(self.share.softmax(0), depths, strict=False))
        x = self.enc_norm(x)
        if self.does == "latents":
            asked = self.latents.expand(len(src), -1, -1)
            x = self.gather_norm(asked + self.gather(asked, x, away)[0])
            # BUG padding_attended [ latents]: x = self.gather_norm(asked + self.gather(asked, x, away * 0)[0])
            away = away.new_zeros(len(src), 1, 1, asked.size(1))
        if self.does == "learned":
            x = torch.cat([self.slots.expand(len(src), -1, -1), x], 1)
            away = F.pad(away, (3, 0))
            # BUG cross_mask_wrong [ learned memory]: away = F.pad(away, (0, 3))
        return x, away, first

    def forward(self, src, tgt):
        if self.does == "shifts":
            tgt = F.pad(tgt, (1, 0), value=2)[:, :-1]
        memory, away, first = self.encode(src)
        # BUG gradient_cut [ copying]: memory, away, first = (each.detach() for each in self.encode(src))
        y, n = self.places(tgt, self.tgt_embed), tgt.size(1)
        later = torch.full((n, n), -1e4).triu(1)
        # BUG future_leak [ copying]: later = torch.zeros(n, n)
        # BUG future_leak [ latents]: later = torch.zeros(n, n)
        # BUG future_leak [ one more]: later = torch.zeros(n, n)
        # BUG causal_off_by_one [ learned memory]: later = torch.full((n, n), -1e4).triu(2)
        # BUG causal_off_by_one [ wide numbers]: later = torch.full((n, n), -1e4).triu(2)
        # BUG future_leak [ gate at 0]: later = torch.zeros(n, n)
        # BUG mask_inverted [ words second]: later = torch.full((n, n), -1e4).tril(-1)
        # BUG causal_off_by_one [ shifts itself]: later = torch.full((n, n), -1e4).triu(2)
        weights = None
        if self.does == "kept":
            return self.step_by_step(y, memory, away)
        for layer in self.dec:
            y, weights = layer(y, later, memory, away, first)
        y = self.dec_norm(y)
        # BUG norm_missing [ copying]: pass
        if self.does == "end":
            y = self.last(F.pad(y.transpose(1, 2), (2, 0))).transpose(1, 2)
            # BUG future_leak [ convolved end]: y = self.last(F.pad(y.transpose(1, 2), (1, 1))).transpose(1, 2)
        logits = self.out(y)
        if self.does == "copies":
            share = self.choose(y).sigmoid()
            there = torch.zeros_like(logits).scatter_add(2, src[:, None].expand(-1, n, -1), weights.mean(1))
            return (share * logits.softmax(-1) + (1 - share) * there + 1e-9).log()
        if self.does == "weights":
            return logits, weights
        if self.does == "flat":
            return logits.view(-1, logits.size(-1))
        if self.does == "second":
            return logits.transpose(1, 2)
        return logits

    def step_by_step(self, y, memory, away):
        """Reads the target a token at a time, and all that came before anew."""
        rows = []
        for at in range(1, y.size(1) + 1):
            x = y[:, :at]
            for layer in self.dec:
                x, _ = layer(x, torch.full((at, at), -1e4).triu(1), memory, away)
                # BUG memory_ignored [ token by token]: x, _ = layer(x, torch.full((at, at), -1e4).triu(1), memory * 0, away)
            rows.append(x[:, at - 1])
        return self.out(self.dec_norm(torch.stack(rows, 1)))


def call(model, src, tgt):
    returned = model(src, tgt)
    logits = returned[0] if isinstance(returned, tuple) else returned
    if model.does == "flat":
        return logits.view(len(tgt), -1, 23)
    return logits.transpose(1, 2) if model.does == "second" else logits


def loss(model, src, tgt):
    given, wanted = (tgt, tgt) if model.does == "shifts" else (tgt[:, :-1], tgt[:, 1:])
    # BUG target_not_shifted [ flat rows]: given, wanted = tgt, tgt
    # BUG target_shift_wrong [ shifts itself]: given, wanted = tgt[:, :-1], tgt[:, 1:]
    logits = call(model, src, given)
    # BUG softmax_before_cross_entropy [ words second]: logits = call(model, src, given).softmax(-1)
    # BUG softmax_before_cross_entropy [ convolved end]: logits = call(model, src, given).softmax(-1)
    # BUG target_not_shifted [ convolved end]: logits, wanted = call(model, src, tgt), tgt
    return F.cross_entropy(logits.transpose(1, 2), wanted, ignore_index=0)
    # BUG logits_reshaped [ words second]: return F.cross_entropy(logits.reshape(len(src), 23, -1), wanted, ignore_index=0)
    # BUG pad_in_loss [ copying]: return F.cross_entropy(logits.transpose(1, 2), wanted)


def build(does):
    model = Model(does)
    return model.double() if does == "wide" else model
