"""nn.TransformerEncoder and nn.TransformerDecoder as students wrap them: towers of their own, options of each."""

# pyright: basic, reportIndexIssue=false, reportCallIssue=false, reportArgumentType=false, reportOptionalOperand=false
# pyright: reportAttributeAccessIssue=false, reportOptionalMemberAccess=false, reportOptionalCall=false, reportGeneralTypeIssues=false
import torch
import torch.nn.functional as F
from torch import nn

KIND = "encoder-decoder"
OPTIONS = {
    " batch second": {"first": False},
    " pre-norm, tied": {"pre": True, "tied": True},
    " one class of layers": {"own": True},
    " three embeddings": {"joined": True},
    " bare towers": {"pre": True},
    " steps of a loop": {"loop": True},
}


class Words(nn.Module):
    def __init__(self, vocab, dim, joined):
        super().__init__()
        self.words, self.places, self.dim = nn.Embedding(vocab, dim, 0), nn.Embedding(40, dim), dim
        self.norm = nn.LayerNorm(dim) if joined else None
        self.dropout = nn.Dropout(0.1)

    def forward(self, ids):
        where = torch.arange(ids.size(1), device=ids.device).unsqueeze(0).expand_as(ids)
        # BUG prefix_differs: where = (ids.size(1) - 1 - torch.arange(ids.size(1))).expand_as(ids)
        # BUG batch_leak: where = torch.arange(ids.size(0)).unsqueeze(1).expand_as(ids)
        x = self.words(ids) + self.places(where)
        # BUG no_positions: x = self.words(ids)
        # BUG positions_twice [ bare towers]: x = self.words(ids) + self.places(where) + self.places(where)
        x = self.norm(x) if self.norm is not None else x
        return self.dropout(x)
        # BUG dropout_in_eval: return F.dropout(x, 0.1)


class Block(nn.Module):
    """nn.MultiheadAttention, twice where there is a memory."""

    def __init__(self, dim, heads, cross):
        super().__init__()
        self.mine = nn.MultiheadAttention(dim, heads, batch_first=True, dropout=0.1)
        self.theirs = nn.MultiheadAttention(dim, heads, batch_first=True, dropout=0.1) if cross else None
        self.network = nn.Sequential(nn.Linear(dim, 40), nn.GELU(), nn.Dropout(0.1), nn.Linear(40, dim))
        # BUG activation_missing [ one class of layers]: self.network = nn.Sequential(nn.Linear(dim, 40), nn.Dropout(0.1), nn.Linear(40, dim))
        self.one, self.two, self.three = nn.LayerNorm(dim), nn.LayerNorm(dim), nn.LayerNorm(dim) if cross else None

    def forward(self, x, pads=None, mask=None, memory=None, memory_pads=None):
        x = self.one(x + self.mine(x, x, x, attn_mask=mask, key_padding_mask=pads, need_weights=False)[0])
        # BUG residual_missing [ one class of layers]: x = self.one(self.mine(x, x, x, attn_mask=mask, key_padding_mask=pads, need_weights=False)[0])
        # BUG norm_missing [ one class of layers]: x = x + self.mine(x, x, x, attn_mask=mask, key_padding_mask=pads, need_weights=False)[0]
        if self.theirs is not None:
            x = self.three(x + self.theirs(x, memory, memory, key_padding_mask=memory_pads)[0])
            # BUG cross_reads_target [ one class of layers]: x = self.three(x + self.theirs(x, x + torch.zeros_like(memory).sum(), x, attn_mask=mask)[0])
            # BUG padding_attended [ one class of layers]: x = self.three(x + self.theirs(x, memory, memory)[0])
            # BUG memory_ignored [ one class of layers]: x = self.three(x + self.theirs(x, memory * 0, memory * 0, key_padding_mask=memory_pads)[0])
        return self.two(x + self.network(x))
        # BUG residual_missing [ one class of layers]: return self.two(self.network(x))


class Model(nn.Module):
    def __init__(self, first=True, pre=False, tied=False, own=False, joined=False, loop=False, dim=24, heads=3, vocab=23):
        super().__init__()
        self.first, self.own, self.loop = first, own, loop
        self.src_words, self.tgt_words = Words(vocab, dim, joined), Words(vocab, dim, joined)
        if own:
            self.encoder = nn.ModuleList(Block(dim, heads, False) for _ in range(2))
            self.decoder = nn.ModuleList(Block(dim, heads, True) for _ in range(2))
            # BUG shared_layers [ one class of layers]: self.decoder = nn.ModuleList([Block(dim, heads, True)] * 2)
            # BUG not_registered [ one class of layers]: self.decoder = [Block(dim, heads, True) for _ in range(2)]
        else:
            sizes = {"dim_feedforward": 2 * dim, "dropout": 0.1, "batch_first": first, "norm_first": pre}
            # BUG batch_leak [ pre-norm, tied]: sizes = {"dim_feedforward": 2 * dim, "dropout": 0.1, "norm_first": pre}
            end = (lambda: nn.LayerNorm(dim)) if pre else (lambda: None)
            # BUG norm_missing [ bare towers]: end = lambda: None
            one, two = nn.TransformerEncoderLayer(dim, heads, **sizes), nn.TransformerDecoderLayer(dim, heads, **sizes)
            self.encoder = nn.TransformerEncoder(one, 2, end(), enable_nested_tensor=False)
            self.decoder = nn.TransformerDecoder(two, 2, end())
        for weight in self.parameters():  # PyTorch's towers copy the one layer that they are given
            if weight.dim() > 1 and not own:
                # BUG shared_layers: if weight.dim() > 9:
                # BUG shared_layers [ bare towers]: if weight.dim() > 9:
                nn.init.xavier_uniform_(weight)
        self.head = nn.Linear(dim, vocab, bias=not tied)
        if tied:
            self.head.weight = self.tgt_words.words.weight

    def forward(self, src, tgt):
        src_pads, tgt_pads = src.eq(0), tgt.eq(0)
        # BUG padding_attended: src_pads, tgt_pads = torch.zeros_like(src).bool(), tgt.eq(0)
        # BUG mask_inverted [ pre-norm, tied]: src_pads, tgt_pads = src.ne(0), tgt.eq(0)
        # BUG mask_inverted [ three embeddings]: src_pads, tgt_pads = src.ne(0), tgt.eq(0)
        later = nn.Transformer.generate_square_subsequent_mask(tgt.size(1)).isinf()
        # BUG future_leak: later = None
        # BUG future_leak [ pre-norm, tied]: later = None
        # BUG future_leak [ one class of layers]: later = None
        # BUG causal_off_by_one [ bare towers]: later = torch.ones(tgt.size(1), tgt.size(1)).triu(2).bool()
        # BUG causal_off_by_one [ one class of layers]: later = torch.ones(tgt.size(1), tgt.size(1)).triu(2).bool()
        # BUG mask_inverted [ steps of a loop]: later = torch.ones(tgt.size(1), tgt.size(1)).tril(-1).bool()
        # BUG mask_value_too_small [ three embeddings]: later = torch.ones(tgt.size(1), tgt.size(1)).triu(1) * -4
        # BUG mask_value_too_small: later = torch.ones(tgt.size(1), tgt.size(1)).triu(1) * 1
        x, y = self.src_words(src), self.tgt_words(tgt)
        if not self.first:
            x, y = x.transpose(0, 1), y.transpose(0, 1)
        if self.own:
            for block in self.encoder:
                x = block(x, src_pads)
            for block in self.decoder:
                y = block(y, tgt_pads, later, x, src_pads)
                # BUG padding_attended [ one class of layers]: y = block(y, tgt_pads, later, x)
        elif self.loop:
            for layer in self.encoder.layers:
                x = layer(x, src_key_padding_mask=src_pads)
            for layer in self.decoder.layers:
                # BUG layers_not_run [ steps of a loop]: for layer in self.decoder.layers[:1]:
                y = layer(y, x, tgt_mask=later, memory_key_padding_mask=src_pads)
                # BUG memory_ignored [ steps of a loop]: y = layer(y, x * 0, tgt_mask=later, memory_key_padding_mask=src_pads)
                # BUG cross_reads_target [ steps of a loop]: y = layer(y, y, tgt_mask=later, memory_mask=later)
                # BUG gradient_cut [ steps of a loop]: y = layer(y.detach(), x, tgt_mask=later, memory_key_padding_mask=src_pads)
        else:
            x = self.encoder(x, src_key_padding_mask=src_pads)
            # BUG padding_attended [ bare towers]: x = self.encoder(x)
            # BUG causal_in_encoder [ bare towers]: x = self.encoder(x, mask=torch.ones(src.size(1), src.size(1)).triu(1).bool(), src_key_padding_mask=src_pads)
            y = self.decoder(y, x, later, tgt_key_padding_mask=tgt_pads, memory_key_padding_mask=src_pads)
            # BUG padding_attended [ pre-norm, tied]: y = self.decoder(y, x, later, tgt_key_padding_mask=tgt_pads)
            # BUG memory_ignored: y = self.decoder(y, torch.zeros_like(x), later, tgt_key_padding_mask=tgt_pads, memory_key_padding_mask=src_pads)
            # BUG cross_reads_target [ pre-norm, tied]: y = self.decoder(y, y, later, memory_mask=later)
            # BUG gradient_cut [ bare towers]: y = self.decoder(y, x.detach(), later, tgt_key_padding_mask=tgt_pads, memory_key_padding_mask=src_pads)
        return self.head(y if self.first else y.transpose(0, 1))


def loss(model, src, tgt):
    logits = model(src, tgt[:, :-1]).transpose(1, 2)
    # BUG logits_reshaped: logits = model(src, tgt[:, :-1]); logits = logits.reshape(len(src), 23, -1)
    # BUG softmax_before_cross_entropy: logits = model(src, tgt[:, :-1]).softmax(-1).transpose(1, 2)
    return F.cross_entropy(logits, tgt[:, 1:], ignore_index=0)
    # BUG pad_in_loss: return F.cross_entropy(logits, tgt[:, 1:])
    # BUG target_not_shifted: return F.cross_entropy(logits, tgt[:, :-1], ignore_index=0)
    # BUG target_shift_wrong: return F.cross_entropy(logits[..., :-1], tgt[:, 2:], ignore_index=0)
    # BUG log_softmax_missing: return F.nll_loss(logits, tgt[:, 1:], ignore_index=0)


def build(**options):
    return Model(**options)
