"""Encoder-decoders as courses and their students write them: pieces of the stream, masks both ways, rows without padding."""

# pyright: basic, reportIndexIssue=false, reportCallIssue=false, reportArgumentType=false, reportOptionalOperand=false
# pyright: reportAttributeAccessIssue=false, reportOptionalMemberAccess=false, reportOptionalCall=false, reportGeneralTypeIssues=false
import math

import torch
from torch import nn

KIND = "encoder-decoder"
OPTIONS = {
    " pieces": {"style": "pieces"},
    " pads both ways": {"style": "both"},
    " scalar norms": {"style": "scalar"},
    " heads in the batch": {"style": "batch"},
    " buffer": {"style": "buffer"},
    " sentence by sentence": {"style": "alone"},
    " no padding kept": {"style": "flat"},
    " far and near": {"style": "shaw"},
    " one big softmax": {"style": "joined"},
    " loops over heads": {"style": "loops"},
}
DIM, HEADS, PART, VOCAB = 16, 4, 4, 23


class ScalarNorm(nn.Module):
    def __init__(self, _):
        super().__init__()
        self.alpha, self.bias = nn.Parameter(torch.ones(1)), nn.Parameter(torch.zeros(1))

    def forward(self, x):
        return self.alpha * (x - x.mean(-1, keepdim=True)) / (x.std(-1, keepdim=True) + 1e-6) + self.bias


class Attention(nn.Module):
    def __init__(self, style, own):
        super().__init__()
        self.style, self.own = style, own
        wide = PART if style == "pieces" else DIM
        self.queries, self.keys, self.values = (nn.Linear(wide, wide, bias=False) for _ in range(3))
        self.fc_out = nn.Linear(DIM, DIM)
        if style == "shaw" and own:
            self.far_k, self.far_v = nn.Embedding(9, PART), nn.Embedding(9, PART)

    def forward(self, x, context, mask):
        way = {"pieces": self.pieces, "batch": self.in_batch, "loops": self.loops}.get(self.style, self.usual)
        return self.fc_out(way(x, context, mask))
        # BUG output_projection_missing [ pieces]: return way(x, context, mask)
        # BUG output_projection_missing [ heads in the batch]: return way(x, context, mask)
        # BUG output_projection_missing [ no padding kept]: return way(x, context, mask)

    def pieces(self, x, context, mask):
        """One small matrix for the pieces of all heads, as a well-known course has it."""
        n = len(x)
        values, keys = (context.reshape(n, -1, HEADS, PART) for _ in range(2))
        values, keys = self.values(values), self.keys(keys)
        # BUG value_from_key [ pieces]: values, keys = self.keys(values), self.keys(keys)
        queries = self.queries(x.reshape(n, -1, HEADS, PART))
        # BUG key_from_query [ pieces]: queries = self.keys(x.reshape(n, -1, HEADS, PART))
        energy = torch.einsum("nqhd,nkhd->nhqk", [queries, keys]).masked_fill(mask == 0, float("-1e20"))
        # BUG mask_inverted [ pieces]: energy = torch.einsum("nqhd,nkhd->nhqk", [queries, keys]).masked_fill(mask == 1, float("-1e20"))
        # BUG mask_value_too_small [ pieces]: energy = torch.einsum("nqhd,nkhd->nhqk", [queries, keys]).masked_fill(mask == 0, float("1e-20"))
        attention = torch.softmax(energy / PART**0.5, dim=3)
        # BUG scale_wrong [ pieces]: attention = torch.softmax(energy / DIM**0.5, dim=3)
        # BUG softmax_axis [ pieces]: attention = torch.softmax(energy / PART**0.5, dim=2)
        return torch.einsum("nhql,nlhd->nqhd", [attention, values]).reshape(n, -1, DIM)

    def in_batch(self, x, context, mask):
        """Heads cut off the features and laid onto the batch; rows of padding are emptied."""
        q, k, v = (torch.cat(torch.split(w(z), PART, 2), 0) for w, z in ((self.queries, x), (self.keys, context), (self.values, context)))
        # BUG value_from_key [ heads in the batch]: q, k, v = (torch.cat(torch.split(w(z), PART, 2), 0) for w, z in ((self.queries, x), (self.keys, context), (self.keys, context)))
        # BUG heads_mixed [ heads in the batch]: q, k, v = (w(z).reshape(HEADS * len(z), -1, PART) for w, z in ((self.queries, x), (self.keys, context), (self.values, context)))
        scores = q @ k.transpose(1, 2) / k.size(-1) ** 0.5
        # BUG scale_missing [ heads in the batch]: scores = q @ k.transpose(1, 2)
        scores = torch.where(mask[:, 0].repeat(HEADS, 1, 1).expand_as(scores), scores, torch.full_like(scores, -(2.0**32) + 1))
        weights = scores.softmax(-1)
        # BUG softmax_axis [ heads in the batch]: weights = scores.softmax(0)
        real = torch.sign(x.abs().sum(-1)).repeat(HEADS, 1)[..., None]
        heads = (weights * real) @ v
        return torch.cat(torch.split(heads, len(x), 0), 2)
        # BUG heads_mixed [ heads in the batch]: return heads.reshape(len(x), -1, DIM)

    def loops(self, x, context, mask):
        q, k, v, outputs = self.queries(x), self.keys(context), self.values(context), []
        for head in range(HEADS):
            mine = slice(head * PART, (head + 1) * PART)
            scores = torch.bmm(q[..., mine], k[..., mine].mT) / math.sqrt(PART)
            # BUG scale_inverted [ loops over heads]: scores = torch.bmm(q[..., mine], k[..., mine].mT) * math.sqrt(PART)
            # BUG scale_wrong [ loops over heads]: scores = torch.bmm(q[..., mine], k[..., mine].mT) / math.sqrt(DIM)
            scores[~mask[:, 0].expand_as(scores)] = -1e9
            # BUG mask_inverted [ loops over heads]: scores[mask[:, 0].expand_as(scores)] = -1e9
            # BUG mask_value_too_small [ loops over heads]: scores[~mask[:, 0].expand_as(scores)] = -4
            outputs.append(torch.bmm(scores.softmax(2), v[..., mine]))
            # BUG softmax_axis [ loops over heads]: outputs.append(torch.bmm(scores.softmax(1), v[..., mine]))
            # BUG value_from_key [ loops over heads]: outputs.append(torch.bmm(scores.softmax(2), k[..., mine]))
        return torch.cat(outputs, 2)

    def usual(self, x, context, mask):
        q, k, v = (w(z).reshape(len(z), -1, HEADS, PART).transpose(1, 2) for w, z in ((self.queries, x), (self.keys, context), (self.values, context)))
        # BUG heads_mixed [ pads both ways]: q, k, v = (w(z).reshape(len(z), HEADS, -1, PART) for w, z in ((self.queries, x), (self.keys, context), (self.values, context)))
        # BUG key_from_query [ scalar norms]: q, k, v = (w(z).reshape(len(z), -1, HEADS, PART).transpose(1, 2) for w, z in ((self.queries, x), (self.queries, context), (self.values, context)))
        scores = q @ k.transpose(2, 3)
        if hasattr(self, "far_k"):
            place = torch.arange(x.size(1))
            near = (place - place[:, None]).clamp(-4, 4) + 4
            scores = scores + torch.einsum("bhid,ijd->bhij", q, self.far_k(near))
        scores = scores / math.sqrt(PART)
        # BUG scale_missing [ far and near]: pass
        # BUG scale_missing [ buffer]: pass
        # BUG scale_wrong [ pads both ways]: scores = scores / PART
        weights = scores.masked_fill(mask == 0, -10000).softmax(-1)
        # BUG mask_after_softmax [ pads both ways]: weights = scores.softmax(-1) * mask
        # BUG softmax_axis [ far and near]: weights = scores.masked_fill(mask == 0, -10000).softmax(-2)
        # BUG mask_after_softmax [ no padding kept]: weights = scores.softmax(-1) * mask
        # BUG mask_value_too_small [ no padding kept]: weights = scores.masked_fill(mask == 0, -1).softmax(-1)
        # BUG mask_value_too_small [ buffer]: weights = scores.masked_fill(mask == 0, -1).softmax(-1)
        outputs = weights @ v
        if hasattr(self, "far_v"):
            outputs = outputs + torch.einsum("bhij,ijd->bhid", weights, self.far_v(near))
        return outputs.transpose(1, 2).contiguous().view(len(x), -1, DIM)
        # BUG heads_mixed [ far and near]: return outputs.contiguous().view(len(x), -1, DIM)
        # BUG heads_mixed [ scalar norms]: return outputs.contiguous().view(len(x), -1, DIM)


class Block(nn.Module):
    def __init__(self, style, cross):
        super().__init__()
        self.style = style
        norm = ScalarNorm if style == "scalar" else nn.LayerNorm
        # BUG norm_missing [ pads both ways]: norm = lambda dim: nn.Identity()
        self.attention, self.cross = Attention(style, True), Attention(style, False) if cross and style != "joined" else None
        self.norm1, self.norm2, self.norm3 = norm(DIM), norm(DIM), norm(DIM) if cross else None
        self.feed_forward = nn.Sequential(nn.Linear(DIM, 48), nn.ReLU(), nn.Linear(48, DIM))
        # BUG activation_missing [ pieces]: self.feed_forward = nn.Sequential(nn.Linear(DIM, 48), nn.Linear(48, DIM))
        # BUG activation_missing [ no padding kept]: self.feed_forward = nn.Sequential(nn.Linear(DIM, 48), nn.Linear(48, DIM))
        self.dropout = nn.Dropout(0.1)

    def forward(self, x, mask, memory=None, away=None):
        if self.style in {"scalar", "buffer"}:
            return self.before(x, mask, memory, away)
        if self.style == "joined" and memory is not None:
            wide = torch.cat([memory, x], 1)
            seen = torch.cat([away.expand(-1, -1, x.size(1), -1), mask.expand(len(x), -1, -1, -1)], -1)
            # BUG padding_attended [ one big softmax]: seen = torch.cat([away.expand(-1, -1, x.size(1), -1) | True, mask.expand(len(x), -1, -1, -1)], -1)
            x = self.norm1(x + self.dropout(self.attention(x, wide, seen)))
            return self.norm2(x + self.dropout(self.feed_forward(x)))
        x = self.norm1(x + self.dropout(self.attention(x, x, mask)))
        # BUG residual_missing [ pieces]: x = self.norm1(self.dropout(self.attention(x, x, mask)))
        # BUG norm_missing [ loops over heads]: x = x + self.dropout(self.attention(x, x, mask))
        # BUG residual_missing [ no padding kept]: x = self.norm1(self.dropout(self.attention(x, x, mask)))
        if self.cross is not None:
            x = self.norm3(x + self.dropout(self.cross(x, memory, away)))
            # BUG cross_reads_target [ pieces]: x = self.norm3(x + self.dropout(self.cross(x, x, mask)))
            # BUG cross_reads_target [ sentence by sentence]: x = self.norm3(x + self.dropout(self.cross(x, x, mask)))
            # BUG memory_ignored [ heads in the batch]: x = self.norm3(x + self.dropout(self.cross(x, memory * 0, away)))
            # BUG residual_missing [ far and near]: x = self.norm3(self.dropout(self.cross(x, memory, away)))
            # BUG padding_attended [ loops over heads]: x = self.norm3(x + self.dropout(self.cross(x, memory, away | True)))
            # BUG cross_mask_wrong [ pads both ways]: x = self.norm3(x + self.dropout(self.cross(x, memory, away & torch.ones(x.size(1), memory.size(1)).tril().bool())))
        return self.norm2(x + self.dropout(self.feed_forward(x)))
        # BUG residual_missing [ pads both ways]: return self.norm2(self.dropout(self.feed_forward(x)))

    def before(self, x, mask, memory, away):
        y = self.norm1(x)
        x = x + self.dropout(self.attention(y, y, mask))
        # BUG residual_from_norm [ scalar norms]: x = y + self.dropout(self.attention(y, y, mask))
        # BUG residual_from_norm [ buffer]: x = y + self.dropout(self.attention(y, y, mask))
        # BUG norm_missing [ scalar norms]: x = x + self.dropout(self.attention(x, x, mask))
        if self.cross is not None:
            x = x + self.dropout(self.cross(self.norm3(x), memory, away))
            # BUG memory_ignored [ scalar norms]: x = x + self.dropout(self.cross(self.norm3(x), torch.zeros_like(memory), away))
            # BUG cross_reads_target [ buffer]: y = self.norm3(x); x = x + self.dropout(self.cross(y, y, mask))
        return x + self.dropout(self.feed_forward(self.norm2(x)))
        # BUG residual_missing [ buffer]: return self.dropout(self.feed_forward(self.norm2(x)))


class Model(nn.Module):
    def __init__(self, style):
        super().__init__()
        self.style = style
        self.src_embedding = nn.Embedding(VOCAB, DIM, padding_idx=0)
        self.trg_embedding = nn.Embedding(VOCAB, DIM, padding_idx=0)
        self.position_embedding = nn.Embedding(100, DIM)
        self.encoder = nn.ModuleList(Block(style, False) for _ in range(2))
        self.decoder = nn.ModuleList(Block(style, True) for _ in range(2))
        # BUG shared_layers [ buffer]: self.decoder = nn.ModuleList([Block(style, True)] * 2)
        # BUG not_registered [ pieces]: self.decoder = [Block(style, True).eval() for _ in range(2)]
        self.ends = nn.ModuleList()
        if style in {"scalar", "buffer"}:
            self.ends.extend([ScalarNorm(DIM) if style == "scalar" else nn.LayerNorm(DIM) for _ in range(2)])
            # BUG norm_missing [ buffer]: pass
        if style == "buffer":
            self.register_buffer("bias", torch.tril(torch.ones(40, 40)).view(1, 1, 40, 40))
            # BUG causal_off_by_one [ buffer]: self.register_buffer("bias", torch.tril(torch.ones(40, 40), 1).view(1, 1, 40, 40))
            # BUG mask_inverted [ buffer]: self.register_buffer("bias", torch.triu(torch.ones(40, 40), 1).view(1, 1, 40, 40))
        self.fc_out = nn.Linear(DIM, VOCAB)

    def embed(self, ids, table):
        positions = torch.arange(0, ids.size(1)).unsqueeze(0).expand(ids.size(0), ids.size(1))
        x = table(ids) + self.position_embedding(positions)
        # BUG no_positions [ pieces]: x = table(ids)
        # BUG no_positions [ heads in the batch]: x = table(ids)
        # BUG positions_twice [ loops over heads]: x = table(ids) + self.position_embedding(positions) + self.position_embedding(positions)
        # BUG batch_leak [ pieces]: x = table(ids) + self.position_embedding(torch.arange(len(ids)))[:, None]
        return x * (ids != 0)[..., None] if self.style == "batch" else x

    def forward(self, src, trg):
        if self.style == "alone":
            return self.each_alone(src, trg)
        if self.style == "flat":
            return self.without_padding(src, trg)
        n = trg.size(1)
        src_mask = (src != 0).unsqueeze(1).unsqueeze(2)
        # BUG padding_attended [ pieces]: src_mask = (src != -1).unsqueeze(1).unsqueeze(2)
        # BUG padding_attended [ heads in the batch]: src_mask = (src != -1).unsqueeze(1).unsqueeze(2)
        # BUG mask_inverted [ scalar norms]: src_mask = (src == 0).unsqueeze(1).unsqueeze(2)
        trg_mask = self.bias[:, :, :n, :n] if self.style == "buffer" else torch.tril(torch.ones((n, n))).bool().expand(len(trg), 1, n, n)
        # BUG future_leak [ pieces]: trg_mask = torch.ones((n, n)).bool().expand(len(trg), 1, n, n)
        # BUG future_leak [ heads in the batch]: trg_mask = torch.ones((n, n)).bool().expand(len(trg), 1, n, n)
        # BUG future_leak [ far and near]: trg_mask = torch.ones((n, n)).bool().expand(len(trg), 1, n, n)
        # BUG causal_off_by_one [ one big softmax]: trg_mask = torch.tril(torch.ones((n, n)), 1).bool().expand(len(trg), 1, n, n)
        # BUG causal_off_by_one [ scalar norms]: trg_mask = torch.tril(torch.ones((n, n)), 1).bool().expand(len(trg), 1, n, n)
        cross_mask = src_mask
        if self.style == "both":
            src_mask = src_mask & (src != 0)[:, None, :, None]
            trg_mask = trg_mask & (trg != 0)[:, None, None] & (trg != 0)[:, None, :, None]
            cross_mask = cross_mask & (trg != 0)[:, None, :, None]
        x, y = self.embed(src, self.src_embedding), self.embed(trg, self.trg_embedding)
        for block in self.encoder:
            x = block(x, src_mask)
            # BUG causal_in_encoder [ pieces]: x = block(x, src_mask & torch.ones(src.size(1), src.size(1)).tril().bool())
            # BUG layers_not_run [ far and near]: x = block(x, src_mask); break
        if len(self.ends):
            x = self.ends[0](x)
        for block in self.decoder:
            y = block(y, trg_mask, x, cross_mask)
        return self.fc_out(self.ends[1](y) if len(self.ends) else y)

    def each_alone(self, src, trg):
        """No mask for padding: each sentence is cut to its words and read by itself."""
        rows = []
        for one, two in zip(src, trg, strict=True):
            one, two = one[one != 0][None], two[None]
            # BUG padding_attended [ sentence by sentence]: one, two = one[None], two[None]
            x, y = self.embed(one, self.src_embedding), self.embed(two, self.trg_embedding)
            open_, later = torch.ones(1, 1, 1, 1).bool(), torch.ones(two.size(1), two.size(1)).tril().bool()[None, None]
            # BUG future_leak [ sentence by sentence]: open_, later = torch.ones(1, 1, 1, 1).bool(), torch.ones(two.size(1), two.size(1)).bool()[None, None]
            # BUG causal_off_by_one [ sentence by sentence]: open_, later = torch.ones(1, 1, 1, 1).bool(), torch.ones(two.size(1), two.size(1)).tril(1).bool()[None, None]
            for block in self.encoder:
                x = block(x, open_)
            for block in self.decoder:
                y = block(y, later, x, open_)
            rows.append(self.fc_out(y))
        return torch.cat(rows)

    def without_padding(self, src, trg):
        """All words of the batch in one row; who belongs to another sentence is hidden."""
        kept = src != 0
        # BUG padding_attended [ no padding kept]: kept = src != -1
        of_src = kept.nonzero()[:, 0]
        of_trg = torch.arange(len(trg)).repeat_interleave(trg.size(1))
        x, y = self.embed(src, self.src_embedding)[kept][None], self.embed(trg, self.trg_embedding).flatten(0, 1)[None]
        same_src = (of_src[:, None] == of_src)[None, None]
        # BUG batch_leak [ no padding kept]: same_src = torch.ones(1, 1, len(of_src), len(of_src)).bool()
        same_trg = (of_trg[:, None] == of_trg).tril()[None, None]
        # BUG causal_off_by_one [ no padding kept]: same_trg = (of_trg[:, None] == of_trg).tril(1)[None, None]
        # BUG mask_inverted [ no padding kept]: same_trg = (of_trg[:, None] == of_trg).triu()[None, None]
        # BUG future_leak [ no padding kept]: same_trg = (of_trg[:, None] == of_trg)[None, None]
        for block in self.encoder:
            x = block(x, same_src)
        for block in self.decoder:
            y = block(y, same_trg, x, (of_trg[:, None] == of_src)[None, None])
        return self.fc_out(y[0].view(*trg.shape, DIM))


def build(style):
    return Model(style)
