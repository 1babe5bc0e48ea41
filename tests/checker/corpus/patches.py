"""An encoder that puts a token of its own before the sentence and classifies by it."""

# pyright: basic, reportIndexIssue=false, reportOptionalCall=false, reportCallIssue=false
# pyright: reportArgumentType=false, reportGeneralTypeIssues=false, reportAttributeAccessIssue=false
import torch
from torch import nn

KIND = "encoder"
OPTIONS = {"": {}, " mean of tokens": {"mean": True}}


class Attention(nn.Module):
    def __init__(self, dim, heads, dim_head):
        super().__init__()
        self.heads, self.scale = heads, dim_head**-0.5
        # BUG scale_wrong: self.heads, self.scale = heads, 1 / dim_head
        # BUG scale_missing: self.heads, self.scale = heads, 1.0
        self.norm, self.attend = nn.LayerNorm(dim), nn.Softmax(dim=-1)
        # BUG softmax_axis: self.norm, self.attend = nn.LayerNorm(dim), nn.Softmax(dim=-2)
        self.to_qkv = nn.Linear(dim, heads * dim_head * 3, bias=False)
        self.to_out = nn.Sequential(nn.Linear(heads * dim_head, dim), nn.Dropout(0.1))

    def forward(self, x, keep):
        x = self.norm(x)
        # BUG norm_missing: pass
        b, n, _ = x.shape
        q, k, v = (z.view(b, n, self.heads, -1).transpose(1, 2) for z in self.to_qkv(x).chunk(3, dim=-1))
        # BUG heads_mixed: q, k, v = (z.reshape(b, self.heads, n, -1) for z in self.to_qkv(x).chunk(3, dim=-1))
        # BUG value_from_key: q, k, _ = (z.view(b, n, self.heads, -1).transpose(1, 2) for z in self.to_qkv(x).chunk(3, dim=-1)); v = k
        dots = torch.matmul(q, k.transpose(-1, -2)) * self.scale
        dots = dots.masked_fill(~keep[:, None, None, :], -torch.finfo(dots.dtype).max)
        # BUG padding_attended: pass
        # BUG mask_inverted: dots = dots.masked_fill(keep[:, None, None, :], -torch.finfo(dots.dtype).max)
        # BUG mask_value_too_small: dots = dots.masked_fill(~keep[:, None, None, :], -1e-9)
        out = torch.matmul(self.attend(dots), v)
        return self.to_out(out.transpose(1, 2).flatten(2))
        # BUG heads_mixed: return self.to_out(out.reshape(b, n, -1))


class FeedForward(nn.Module):
    def __init__(self, dim, hidden):
        super().__init__()
        self.net = nn.Sequential(
            nn.LayerNorm(dim),
            nn.Linear(dim, hidden),
            nn.GELU(),
            # BUG activation_missing: nn.Identity(),
            nn.Dropout(0.1),
            nn.Linear(hidden, dim),
        )

    def forward(self, x):
        return self.net(x)


class Model(nn.Module):
    def __init__(self, mean=False, dim=16, depth=2, heads=3, dim_head=8):
        super().__init__()
        self.mean, self.embed = mean, nn.Embedding(23, dim)
        self.pos_embedding = nn.Parameter(torch.randn(1, 40, dim))
        self.cls_token = nn.Parameter(torch.randn(1, 1, dim))
        self.layers = nn.ModuleList(
            [nn.ModuleList([Attention(dim, heads, dim_head), FeedForward(dim, 32)]) for _ in range(depth)]
            # BUG shared_layers: [nn.ModuleList([Attention(dim, heads, dim_head), FeedForward(dim, 32)])] * depth
        )
        self.norm, self.head = nn.LayerNorm(dim), nn.Linear(dim, 5)

    def forward(self, ids):
        x, keep = self.embed(ids), ids != 0
        x = torch.cat((self.cls_token.expand(len(x), -1, -1), x), dim=1)
        keep = torch.cat((keep.new_ones(len(x), 1), keep), dim=1)
        x = x + self.pos_embedding[:, : x.size(1)]
        # BUG no_positions: pass
        # BUG positions_twice: x = x + self.pos_embedding[:, : x.size(1)]; x = x + self.pos_embedding[:, : x.size(1)]
        for attn, ff in self.layers:
            x = attn(x, keep) + x
            # BUG residual_missing: x = attn(x, keep)
            # BUG layers_not_run: x = self.layers[0][0](x, keep) + x; ff = self.layers[0][1]
            x = ff(x) + x
            # BUG residual_missing: x = ff(x)
        x = self.norm(x)
        # BUG norm_missing: pass
        if self.mean:
            return self.head((x * keep[..., None]).sum(1) / keep.sum(1, keepdim=True))
        return self.head(x[:, 0])


def build(**options):
    return Model(**options)
