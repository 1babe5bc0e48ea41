"""One big class: lists of linear layers, everything in forward, one projection for q, k and v each."""

# pyright: basic, reportIndexIssue=false, reportOptionalCall=false, reportCallIssue=false
# pyright: reportArgumentType=false, reportGeneralTypeIssues=false, reportAttributeAccessIssue=false
import math

import torch
import torch.nn.functional as F
from torch import nn

KIND = "encoder-decoder"
OPTIONS = {"": {}, " wider heads": {"dk": 12}}


class Model(nn.Module):
    def __init__(self, V=23, D=16, H=2, N=2, F_=30, dk=8):
        super().__init__()
        self.D, self.H, self.N, self.dk = D, H, N, dk
        lin = lambda a, b: nn.ModuleList([nn.Linear(a, b, bias=False) for _ in range(N)])
        norm = lambda: nn.ModuleList([nn.LayerNorm(D) for _ in range(N)])
        # BUG norm_missing: norm = lambda: nn.ModuleList([nn.Identity() for _ in range(N)])
        self.eq, self.ek, self.ev, self.eo = lin(D, H * dk), lin(D, H * dk), lin(D, H * dk), lin(H * dk, D)
        self.dq, self.dk_, self.dv, self.do = lin(D, H * dk), lin(D, H * dk), lin(D, H * dk), lin(H * dk, D)
        self.cq, self.ck, self.cv, self.co = lin(D, H * dk), lin(D, H * dk), lin(D, H * dk), lin(H * dk, D)
        self.e1, self.e2, self.d1, self.d2 = lin(D, F_), lin(F_, D), lin(D, F_), lin(F_, D)
        self.en1, self.en2, self.dn1, self.dn2, self.dn3 = norm(), norm(), norm(), norm(), norm()
        self.E, self.P, self.O = nn.Embedding(V, D), nn.Parameter(torch.randn(64, D)), nn.Linear(D, V)

    def att(self, q, k, v, mask):
        B, Q, K = q.shape[0], q.shape[1], k.shape[1]
        q = q.view(B, Q, self.H, self.dk).permute(0, 2, 1, 3).reshape(B * self.H, Q, self.dk)
        # BUG heads_mixed: q = q.reshape(B * self.H, Q, self.dk)
        k = k.view(B, K, self.H, self.dk).permute(0, 2, 3, 1).reshape(B * self.H, self.dk, K)
        # BUG heads_mixed: k = k.reshape(B * self.H, K, self.dk).transpose(1, 2)
        v = v.view(B, K, self.H, self.dk).permute(0, 2, 1, 3).reshape(B * self.H, K, self.dk)
        a = torch.baddbmm(mask.repeat_interleave(self.H, 0), q, k, alpha=1 / math.sqrt(self.dk))
        # BUG scale_missing: a = torch.baddbmm(mask.repeat_interleave(self.H, 0), q, k)
        # BUG scale_wrong: a = torch.baddbmm(mask.repeat_interleave(self.H, 0), q, k, alpha=1 / math.sqrt(self.D * self.H))
        # BUG mask_inverted: a = torch.baddbmm(-1e9 - mask.repeat_interleave(self.H, 0), q, k, alpha=1 / math.sqrt(self.dk))
        a = a - a.amax(-1, keepdim=True)
        a = a.exp()
        a = a / a.sum(-1, keepdim=True)
        # BUG softmax_axis: a = a / a.sum(1, keepdim=True)
        # BUG softmax_axis: a = a / a.sum(0, keepdim=True)
        return (a @ v).view(B, self.H, Q, self.dk).permute(0, 2, 1, 3).flatten(2)
        # BUG heads_mixed: return (a @ v).reshape(B, Q, self.H * self.dk)

    def forward(self, src, tgt):
        pad = (src == 0).float().unsqueeze(1) * -1e9
        S, T = src.size(1), tgt.size(1)
        causal = torch.full((T, T), -1e9).triu(1).expand(len(tgt), T, T)
        # BUG causal_off_by_one: causal = torch.full((T, T), -1e9).triu(2).expand(len(tgt), T, T)
        # BUG future_leak: causal = torch.full((T, T), 0.0).triu(1).expand(len(tgt), T, T)
        own = pad.expand(-1, S, -1)
        # BUG padding_attended: own = torch.zeros(len(src), S, S)
        to = pad.expand(-1, T, -1)
        # BUG padding_attended: to = torch.zeros(len(src), T, S)
        # BUG cross_mask_wrong: to = pad.expand(-1, T, -1) + torch.full((T, S), -1e9).triu(1)
        x = self.E(src) * math.sqrt(self.D) + self.P[:S]
        # BUG no_positions: x = self.E(src) * math.sqrt(self.D)
        for i in range(self.N):
            # BUG layers_not_run: for i in range(1):
            x = self.en1[i](x + self.eo[i](self.att(self.eq[i](x), self.ek[i](x), self.ev[i](x), own)))
            # BUG key_from_query: x = self.en1[i](x + self.eo[i](self.att(self.eq[i](x), self.eq[i](x), self.ev[i](x), own)))
            # BUG residual_missing: x = self.en1[i](self.eo[i](self.att(self.eq[i](x), self.ek[i](x), self.ev[i](x), own)))
            # BUG causal_in_encoder: x = self.en1[i](x + self.eo[i](self.att(self.eq[i](x), self.ek[i](x), self.ev[i](x), own + torch.full((S, S), -1e9).triu(1))))
            x = self.en2[i](x + self.e2[i](F.relu(self.e1[i](x))))
            # BUG activation_missing: x = self.en2[i](x + self.e2[i](self.e1[i](x)))
        y = self.E(tgt) * math.sqrt(self.D) + self.P[:T]
        for i in range(self.N):
            y = self.dn1[i](y + self.do[i](self.att(self.dq[i](y), self.dk_[i](y), self.dv[i](y), causal)))
            y = self.dn2[i](y + self.co[i](self.att(self.cq[i](y), self.ck[i](x), self.cv[i](x), to)))
            # BUG cross_reads_target: y = self.dn2[i](y + self.co[i](self.att(self.cq[i](y), self.ck[i](y), self.cv[i](y), causal)))
            # BUG value_from_key: y = self.dn2[i](y + self.co[i](self.att(self.cq[i](y), self.ck[i](x), self.ck[i](x), to)))
            # BUG memory_ignored: y = self.dn2[i](y)
            y = self.dn3[i](y + self.d2[i](F.relu(self.d1[i](y))))
        return self.O(y)


def loss(model, src, tgt):
    p = model(src, tgt[:, :-1])
    return F.cross_entropy(p.transpose(1, 2), tgt[:, 1:], reduction="sum", ignore_index=0) / (tgt[:, 1:] != 0).sum()
    # BUG pad_in_loss: return F.cross_entropy(p.transpose(1, 2), tgt[:, 1:], reduction="sum") / tgt[:, 1:].numel()
    # BUG softmax_before_cross_entropy: return F.cross_entropy(p.softmax(2).transpose(1, 2), tgt[:, 1:], ignore_index=0)


def build(**options):
    return Model(**options)
