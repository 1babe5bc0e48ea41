"""Styles that the checker was not tuned on: sequence first with one matrix a head, and a modern LM.

Kept as it was written before the checker first met it.
"""

# pyright: basic, reportIndexIssue=false, reportOptionalCall=false
import math

import torch
import torch.nn.functional as F
from torch import Tensor, nn

SEQ_BUGS = {
    "no_causal",
    "sees_next",
    "not_itself",
    "causal_flipped",
    "pad_flipped",
    "pad_ignored",
    "pad_ignored_cross",
    "tgt_mask_in_cross",
    "tgt_pad_in_cross",
    "masked_after",
    "tiny_number",
    "twenty",
    "query_rows_hidden",
    "over_queries",
    "over_batch",
    "flat_heads",
    "no_scale",
    "times_scale",
    "scaled_by_model",
    "batch_positions",
    "over_sentences",
    "no_places",
    "no_places_src",
    "running_places",
    "small_words",
    "one_layer",
    "values_are_keys",
    "no_joining_matrix",
    "cross_self",
    "cross_queries_memory",
    "memory_zeroed",
    "embeddings_as_memory",
    "no_skip_attention",
    "no_skip_cross",
    "no_skip_network",
    "no_norm_network",
    "no_norm_cross",
    "always_drop",
    "dropped_weights_returned",
}
LM_BUGS = {
    "no_causal",
    "sees_next",
    "not_itself",
    "causal_flipped",
    "masked_after",
    "tiny_number",
    "pads_hidden_as_queries",
    "over_queries",
    "over_heads",
    "flat_heads",
    "flat_out",
    "no_scale",
    "times_scale",
    "running_cache",
    "one_layer",
    "equal_layers",
    "values_are_keys",
    "no_joining_matrix",
    "no_skip_attention",
    "no_skip_network",
    "no_first_norm",
    "no_last_norm",
    "always_drop",
    "dropped_weights_kept",
    "batch_softmax",
    "no_rotation",
}
MEANS = {
    "no_causal": "future_leak",
    "sees_next": "causal_off_by_one",
    "not_itself": "causal_off_by_one",
    "causal_flipped": "mask_inverted",
    "pad_flipped": "mask_inverted",
    "pad_ignored": "padding_attended",
    "pad_ignored_cross": "padding_attended",
    "tgt_mask_in_cross": "cross_mask_wrong",
    "tgt_pad_in_cross": "cross_mask_wrong",
    "masked_after": "mask_after_softmax",
    "tiny_number": "mask_value_too_small",
    "twenty": "mask_value_too_small",
    "query_rows_hidden": "nan_on_padded_row",
    "pads_hidden_as_queries": "nan_on_padded_row",
    "over_queries": "softmax_axis",
    "over_batch": "softmax_axis",
    "over_heads": "softmax_axis",
    "batch_softmax": "softmax_axis",
    "flat_heads": "heads_mixed",
    "flat_out": "heads_mixed",
    "no_scale": "scale_missing",
    "scaled_by_model": "scale_wrong",
    "times_scale": "scale_inverted",
    "batch_positions": "batch_leak",
    "over_sentences": "batch_leak",
    "no_places": "no_positions",
    "no_places_src": "no_positions",
    "no_rotation": "no_positions",
    "running_places": "positions_not_reset",
    "running_cache": "positions_not_reset",
    "small_words": "embedding_scale",
    "one_layer": "shared_layers",
    "equal_layers": "shared_layers",
    "values_are_keys": "value_from_key",
    "no_joining_matrix": "output_projection_missing",
    "cross_self": "cross_reads_target",
    "cross_queries_memory": "cross_reads_target",
    "memory_zeroed": "memory_ignored",
    "embeddings_as_memory": "memory_ignored",
    "no_skip_attention": "residual_missing",
    "no_skip_cross": "residual_missing",
    "no_skip_network": "residual_missing",
    "no_norm_network": "norm_missing",
    "no_norm_cross": "norm_missing",
    "no_first_norm": "norm_missing",
    "no_last_norm": "norm_missing",
    "always_drop": "dropout_in_eval",
    "dropped_weights_returned": "weights_after_dropout",
    "dropped_weights_kept": "weights_after_dropout",
}


class Heads(nn.Module):
    """[length, batch, width] in and out; each head has matrices of its own."""

    def __init__(self, bug, width, heads):
        super().__init__()
        self.bug = bug
        part = width // heads
        self.ask = nn.ModuleList([nn.Linear(width, part) for _ in range(heads)])
        self.answer = nn.ModuleList([nn.Linear(width, part) for _ in range(heads)])
        self.give = nn.ModuleList([nn.Linear(width, part) for _ in range(heads)])
        self.join = nn.Linear(width, width)

    def forward(self, x, y, bias):
        bug, outputs, tables = self.bug, [], []
        for ask, answer, give in zip(self.ask, self.answer, self.give, strict=True):
            q, k, v = ask(x), answer(y), (answer if bug == "values_are_keys" else give)(y)
            d = q.size(-1)
            if bug == "scaled_by_model":
                d = x.size(-1)
            if bug == "flat_heads":
                q, k, v = (z.reshape(z.size(1), z.size(0), -1) for z in (q, k, v))
            elif bug != "over_sentences":
                q, k, v = (z.permute(1, 0, 2) for z in (q, k, v))
            energy = torch.bmm(q, k.permute(0, 2, 1))
            energy = energy * {"no_scale": 1, "times_scale": d**0.5}.get(bug, d**-0.5)
            if bug == "over_sentences":
                bias = None
            if bias is not None and bug != "masked_after":
                energy = energy + bias
            axis = {"over_queries": 1, "over_batch": 0}.get(bug, 2)
            power = torch.exp(energy - energy.amax(axis, keepdim=True).clamp_min(-1e30))
            share = power / power.sum(axis, keepdim=True)
            if bias is not None and bug == "masked_after":
                share = share * (bias == 0)
            kept = F.dropout(share, 0.2, self.training or bug == "always_drop")
            tables.append(kept if bug == "dropped_weights_returned" else share)
            out = torch.bmm(kept, v)
            outputs.append(out if bug == "over_sentences" else out.permute(1, 0, 2))
            if bug == "flat_heads":
                outputs[-1] = out.reshape(x.size(0), x.size(1), -1)
        joined = torch.cat(outputs, dim=-1)
        if bug != "no_joining_matrix":
            joined = self.join(joined)
        return joined, torch.stack(tables)


class Part(nn.Module):
    def __init__(self, bug, width, heads, cross):
        super().__init__()
        self.bug, self.crosses = bug, cross
        self.heads = Heads(bug, width, heads)
        self.other = Heads(bug, width, heads) if cross else None
        self.up, self.down = nn.Linear(width, 3 * width), nn.Linear(3 * width, width)
        self.n1, self.n2, self.n3 = (nn.LayerNorm(width) for _ in range(3))

    def forward(self, x, bias, memory=None, memory_bias=None):
        bug = self.bug
        out, table = self.heads(x, x, bias)
        x = self.n1(out if bug == "no_skip_attention" and not self.crosses else x + out)
        if self.other is not None:
            if bug == "cross_self":
                out, _ = self.other(x, x, bias)
            elif bug == "cross_queries_memory":
                out, _ = self.other(memory, x, None)
                out = out[: len(x)]
            else:
                out, _ = self.other(x, memory, memory_bias)
            x = out if bug == "no_skip_cross" else x + out
            if bug != "no_norm_cross":
                x = self.n2(x)
        out = self.down(F.silu(self.up(x)))
        x = out if bug == "no_skip_network" else x + out
        return (x if bug == "no_norm_network" and self.crosses else self.n3(x)), table


class SeqFirst(nn.Module):
    """An encoder-decoder, post-norm, everything [length, batch, width], masks added."""

    def __init__(self, bug="", width=24, heads=3, vocab=23, layers=2):
        super().__init__()
        self.bug, self.width, self.at = bug, width, 0
        self.words = nn.Embedding(vocab, width)
        self.answers = nn.Embedding(vocab, width)
        if bug == "small_words":
            nn.init.xavier_uniform_(self.words.weight)
            nn.init.xavier_uniform_(self.answers.weight)
        encoder = [Part(bug, width, heads, False) for _ in range(layers)]
        decoder = [Part(bug, width, heads, True) for _ in range(layers)]
        if bug == "one_layer":
            encoder, decoder = encoder[:1] * layers, decoder[:1] * layers
        self.encoder, self.decoder = nn.ModuleList(encoder), nn.ModuleList(decoder)
        self.last = nn.Linear(width, vocab)

    def places(self, x, skip=False):
        bug = self.bug
        if bug == "no_places" or skip:
            return x
        count = x.size(1) if bug == "batch_positions" else x.size(0)
        start = self.at if bug == "running_places" else 0
        self.at = (self.at + 3) % 30 if bug == "running_places" else 0
        place = torch.arange(start, start + count)[:, None]
        angle = place * torch.exp(-math.log(1e4) * torch.arange(0, self.width, 2) / self.width)
        waves = torch.cat((angle.sin(), angle.cos()), dim=1)
        return x + (waves[None] if bug == "batch_positions" else waves[:, None])

    def forward(self, src: Tensor, tgt: Tensor) -> Tensor:
        bug = self.bug
        number = {"tiny_number": -1e-9, "twenty": -2.0}.get(bug, -1e9)
        gone = src.eq(0)
        if bug == "pad_flipped":
            gone = ~gone
        src_bias = gone[:, None, :].float() * number
        if bug == "query_rows_hidden":
            both = gone[:, None, :] | gone[:, :, None]
            src_bias = torch.zeros(both.shape).masked_fill(both, -torch.inf)
        n = tgt.size(1)
        hidden = torch.ones(n, n).triu({"sees_next": 2, "not_itself": 0}.get(bug, 1))
        if bug == "not_itself":
            hidden[0, 0] = 0
        if bug == "causal_flipped":
            hidden = torch.ones(n, n).tril(-1)
        tgt_bias = None if bug == "no_causal" else hidden[None] * number
        x = self.places(self.words(src.T), bug == "no_places_src")
        raw = x
        for part in self.encoder:
            x, _ = part(x, None if bug == "pad_ignored" else src_bias)
        memory = {"memory_zeroed": 0 * x, "embeddings_as_memory": raw}.get(bug, x)
        cross_bias = gone[:, None, :].float() * number
        if bug in {"pad_ignored", "pad_ignored_cross"}:
            cross_bias = None
        if bug == "tgt_mask_in_cross":
            cross_bias = tgt_bias
        if bug == "tgt_pad_in_cross":
            cross_bias = tgt.eq(0)[:, None, :].float() * number
        y = self.places(self.answers(tgt.T))
        for part in self.decoder:
            y, _ = part(y, tgt_bias, memory, cross_bias)
        return self.last(y).transpose(0, 1)


class Rms(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(width))

    def forward(self, x):
        return self.weight * x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + 1e-6)


def rotate(x, start=0):
    half = x.size(-1) // 2
    angle = torch.arange(start, start + x.size(-2))[:, None] * 100.0 ** (-torch.arange(half) / half)
    a, b = x[..., :half], x[..., half:]
    return torch.cat((a * angle.cos() - b * angle.sin(), b * angle.cos() + a * angle.sin()), -1)


class Modern(nn.Module):
    """A decoder-only model of today: rotary positions, RMS norms, gated network, shared keys."""

    def __init__(self, bug="", width=32, heads=4, groups=2, vocab=23, layers=2):
        super().__init__()
        self.bug, self.heads, self.groups, self.part = bug, heads, groups, width // heads
        if bug in {"flat_heads", "flat_out"}:
            self.groups = heads
        self.words = nn.Embedding(vocab, width)
        self.layers = nn.ModuleList()
        narrow = self.groups * self.part
        for _ in range(layers):
            layer = nn.ModuleDict(
                {
                    "q": nn.Linear(width, width, bias=False),
                    "k": nn.Linear(width, narrow, bias=False),
                    "v": nn.Linear(width, narrow, bias=False),
                    "o": nn.Linear(width, width, bias=False),
                    "n1": Rms(width),
                    "n2": Rms(width),
                    "gate": nn.Linear(width, 40, bias=False),
                    "up": nn.Linear(width, 40, bias=False),
                    "down": nn.Linear(40, width, bias=False),
                }
            )
            self.layers.append(layer)
        if bug == "one_layer":
            self.layers = nn.ModuleList([self.layers[0]] * layers)
        if bug == "equal_layers":
            for layer in self.layers:
                layer.load_state_dict(self.layers[0].state_dict())
        self.norm = Rms(width)
        self.past = 0
        self.kept = []

    def attend(self, layer, x, ids):
        bug = self.bug
        b, n, _ = x.shape

        def split(z, heads):
            if bug == "flat_heads":
                return z.view(b, heads, n, self.part)
            return z.view(b, n, heads, self.part).permute(0, 2, 1, 3)

        q, k = split(layer["q"](x), self.heads), split(layer["k"](x), self.groups)
        v = split(layer["k" if bug == "values_are_keys" else "v"](x), self.groups)
        if bug != "no_rotation":
            q, k = rotate(q, self.past), rotate(k, 0)
        more = self.heads // self.groups
        k, v = k.repeat_interleave(more, 1), v.repeat_interleave(more, 1)
        if bug == "times_scale":
            q = q * math.sqrt(self.part)
        elif bug != "no_scale":
            q = q / math.sqrt(self.part)
        scores = q @ k.transpose(2, 3)
        keep = torch.ones(n, n).tril({"sees_next": 1, "not_itself": -1}.get(bug, 0)).bool()
        if bug == "not_itself":
            keep[0, 0] = True
        if bug == "causal_flipped":
            keep = ~keep
        if bug == "no_causal":
            keep = torch.ones_like(keep)
        if bug == "pads_hidden_as_queries":
            keep = keep & ids.ne(0)[:, None, :, None]
        low = -0.5 if bug == "tiny_number" else torch.finfo(scores.dtype).min
        if bug == "pads_hidden_as_queries":
            low = -torch.inf
        if bug != "masked_after":
            scores = torch.where(keep, scores, low)
        axis = {"over_queries": -2, "over_heads": 1, "batch_softmax": 0}.get(bug, -1)
        weights = torch.softmax(scores, axis)
        if bug == "masked_after":
            weights = torch.where(keep, weights, torch.zeros(()))
        dropped = F.dropout(weights, 0.1, bug == "always_drop" or self.training)
        self.kept.append((dropped if bug == "dropped_weights_kept" else weights).detach())
        out = dropped @ v
        out = out if bug == "flat_out" else out.permute(0, 2, 1, 3)
        out = out.reshape(b, n, -1)
        return out if bug == "no_joining_matrix" else layer["o"](out)

    def forward(self, ids: Tensor) -> Tensor:
        bug = self.bug
        self.kept = []
        x = self.words(ids)
        for index, layer in enumerate(self.layers):
            first = x if bug == "no_first_norm" and index == 0 else layer["n1"](x)
            out = self.attend(layer, first, ids)
            x = out if bug == "no_skip_attention" else x + out
            z = layer["n2"](x)
            out = layer["down"](F.silu(layer["gate"](z)) * layer["up"](z))
            x = out if bug == "no_skip_network" else x + out
        if bug == "running_cache":
            self.past += ids.size(1)
        x = x if bug == "no_last_norm" else self.norm(x)
        return x @ self.words.weight.T
