"""Length first and batch second, every product an einsum with letters, weights [model, head, part]."""

# pyright: basic, reportIndexIssue=false, reportOptionalCall=false, reportCallIssue=false
# pyright: reportArgumentType=false, reportGeneralTypeIssues=false, reportAttributeAccessIssue=false
import torch
from torch import einsum, nn

KIND = "encoder-decoder"
OPTIONS = {"": {}, " multi-query": {"mq": True}}


class Att(nn.Module):
    def __init__(self, m, h, k, mq):
        super().__init__()
        w = lambda *s: nn.Parameter(torch.randn(*s) / s[0] ** 0.5)
        self.q, self.mq, self.k_part = w(m, h, k), mq, k
        self.k, self.v, self.o = (w(m, k), w(m, k), w(h, k, m)) if mq else (w(m, h, k), w(m, h, k), w(h, k, m))

    def forward(self, x, y, bias):
        q = einsum("tbm,mhk->tbhk", x, self.q) * self.k_part**-0.5
        # BUG scale_missing []: q = einsum("tbm,mhk->tbhk", x, self.q)
        # BUG scale_inverted []: q = einsum("tbm,mhk->tbhk", x, self.q) * self.k_part**0.5
        if self.mq:
            k, v = einsum("sbm,mk->sbk", y, self.k), einsum("sbm,mk->sbk", y, self.v)
            # BUG value_from_key [ multi-query]: k = v = einsum("sbm,mk->sbk", y, self.k)
            logits = einsum("tbhk,sbk->bhts", q, k) + bias
            w = logits.softmax(-1)
            # BUG softmax_axis [ multi-query]: w = logits.softmax(-2)
            o = einsum("bhts,sbk->tbhk", w, v)
        else:
            k, v = einsum("sbm,mhk->sbhk", y, self.k), einsum("sbm,mhk->sbhk", y, self.v)
            # BUG key_from_query []: k, v = einsum("sbm,mhk->sbhk", y, self.q), einsum("sbm,mhk->sbhk", y, self.v)
            w = (einsum("tbhk,sbhk->bhts", q, k) + bias).softmax(-1)
            # BUG softmax_axis []: w = (einsum("tbhk,sbhk->bhts", q, k) + bias).softmax(1)
            # BUG padding_attended []: w = (einsum("tbhk,sbhk->bhts", q, k) + (bias * 0 if bias.size(2) == 1 else bias)).softmax(-1)
            o = einsum("bhts,sbhk->tbhk", w, v)
            # BUG heads_mixed []: o = einsum("bhts,sbhk->bhtk", w, v).reshape(x.size(0), x.size(1), *v.shape[2:])
        return einsum("tbhk,hkm->tbm", o, self.o)
        # BUG output_projection_missing []: return o.flatten(2)


class Lay(nn.Module):
    def __init__(self, m, h, k, f, mq, cross):
        super().__init__()
        self.a, self.c = Att(m, h, k, mq), Att(m, h, k, mq) if cross else None
        self.wi, self.wo = nn.Parameter(torch.randn(m, f) * 0.2), nn.Parameter(torch.randn(f, m) * 0.2)
        self.n = nn.ModuleList(nn.LayerNorm(m) for _ in range(3))

    def forward(self, x, bias, mem=None, mem_bias=None):
        z = self.n[0](x)
        x = x + self.a(z, z, bias)
        # BUG batch_leak []: z = z.transpose(0, 1); x = x + self.a(z, z, 0 * bias[:1, :, :1, :1]).transpose(0, 1)
        if self.c is not None:
            x = x + self.c(self.n[1](x), mem, mem_bias)
            # BUG cross_reads_target []: x = x + self.c(self.n[1](x), self.n[1](x), bias)
            # BUG memory_ignored []: x = x + 0 * self.c(self.n[1](x), mem, mem_bias)
        return x + einsum("tbf,fm->tbm", einsum("tbm,mf->tbf", self.n[2](x), self.wi).relu(), self.wo)
        # BUG activation_missing []: return x + einsum("tbf,fm->tbm", einsum("tbm,mf->tbf", self.n[2](x), self.wi), self.wo)
        # BUG norm_missing []: return x + einsum("tbf,fm->tbm", einsum("tbm,mf->tbf", x, self.wi).relu(), self.wo)


class Model(nn.Module):
    def __init__(self, mq=False, m=16, h=4, k=4):
        super().__init__()
        self.emb, self.pos = nn.Parameter(torch.randn(23, m)), nn.Parameter(torch.randn(40, m))
        self.enc = nn.ModuleList(Lay(m, h, k, 24, mq, False) for _ in range(2))
        self.dec = nn.ModuleList(Lay(m, h, k, 24, mq, True) for _ in range(2))
        self.fe, self.fd = nn.LayerNorm(m), nn.LayerNorm(m)
        # BUG norm_missing []: self.fe, self.fd = nn.LayerNorm(m), nn.Identity()

    def read(self, ids):
        one = nn.functional.one_hot(ids.t(), 23).float()
        return einsum("tbv,vm->tbm", one, self.emb) + self.pos[: ids.size(1), None]
        # BUG no_positions []: return einsum("tbv,vm->tbm", one, self.emb)
        # BUG batch_leak []: return einsum("tbv,vm->tbm", one, self.emb) + self.pos[: ids.size(0)]

    def forward(self, src, tgt):
        pad = torch.where(src == 0, -1e9, 0.0)[:, None, None]
        t = torch.arange(tgt.size(1))
        future = torch.where(t[:, None] >= t, 0.0, -1e9)[None, None]
        # BUG causal_off_by_one []: future = torch.where(t[:, None] > t, 0.0, -1e9)[None, None]
        # BUG mask_inverted []: future = torch.where(t[:, None] < t, 0.0, -1e9)[None, None]
        x = self.read(src)
        for layer in self.enc:
            x = layer(x, pad)
        x, y = self.fe(x), self.read(tgt)
        for layer in self.dec:
            y = layer(y, future, x, pad)
        return einsum("tbm,vm->btv", self.fd(y), self.emb)


def loss(model, src, tgt):
    lp = model(src, tgt[:, :-1]).log_softmax(-1)
    # BUG target_not_shifted []: lp = model(src, tgt).log_softmax(-1); want = nn.functional.one_hot(tgt, 23) * (tgt != 0)[..., None]; return -(lp * want).sum() / want.sum()
    want = nn.functional.one_hot(tgt[:, 1:], 23) * (tgt[:, 1:] != 0)[..., None]
    # BUG pad_in_loss []: want = nn.functional.one_hot(tgt[:, 1:], 23)
    return -(lp * want).sum() / want.sum()


def build(**options):
    return Model(**options)
