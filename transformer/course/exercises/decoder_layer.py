"""A decoder layer, against `torch.nn.TransformerDecoderLayer` with the same weights."""

from collections.abc import Callable, Iterator
from types import ModuleType

import torch
from torch import Tensor, nn

from .encoder_layer import SIZES, copy_attention, feed_forward
from .exercise import Remark, compare, noise
from .heads import multi_head, seeded


def judge(module: ModuleType) -> Iterator[Remark]:
    """`DecoderLayer`'s forward pass, post-norm as in the paper."""
    mine = seeded(module.DecoderLayer, *SIZES)
    x, memory = noise(2, 4, 8), noise(2, 4, 8, seed=1)
    mask = torch.ones(4, 4, dtype=torch.bool).tril()
    src_mask = torch.ones(2, 1, 1, 4, dtype=torch.bool)
    src_mask[0, ..., 2:] = False
    given = (mine, x, memory, mask, src_mask)
    with torch.no_grad():
        wrong: dict[str, Callable[[], Tensor]] = {
            "mask_not_handed_on": lambda: _layer(mine, x, memory, None, src_mask),
            "source_mask_not_handed_on": lambda: _layer(mine, x, memory, mask, None),
            "masks_swapped": lambda: _layer(mine, x, memory, src_mask, mask),
            "mask_for_both": lambda: _layer(mine, x, memory, mask, mask),
            "cross_reads_target": lambda: _layer(*given, cross_reads_itself=True),
            "memory_ignored": lambda: _layer(*given, cross=False),
            "cross_before_self": lambda: _layer(*given, cross_first=True),
            "first_residual_missing": lambda: _layer(*given, residual=(0, 1, 1)),
            "cross_residual_missing": lambda: _layer(*given, residual=(1, 0, 1)),
            "second_residual_missing": lambda: _layer(*given, residual=(1, 1, 0)),
            "residuals_missing": lambda: _layer(*given, residual=(0, 0, 0)),
            "norms_missing": lambda: _layer(*given, norms=False),
            "activation_missing": lambda: _layer(*given, activation=False),
        }
        answer = mine(x, memory, mask, src_mask)
        yield from compare("DecoderLayer", answer, _right(*given), wrong.items())


def _right(mine: nn.Module, x: Tensor, memory: Tensor, mask: Tensor, src_mask: Tensor) -> Tensor:
    d_model, heads, d_ff = SIZES
    layer = nn.TransformerDecoderLayer(d_model, heads, d_ff, dropout=0, batch_first=True)
    copy_attention(mine.get_submodule("self_attention"), layer.self_attn)
    copy_attention(mine.get_submodule("cross_attention"), layer.multihead_attn)
    names = {
        "linear1": "inner",
        "linear2": "outer",
        "norm1": "self_attention_norm",
        "norm2": "cross_attention_norm",
        "norm3": "feed_forward_norm",
    }
    for theirs, ours in names.items():
        layer.get_submodule(theirs).load_state_dict(mine.get_submodule(ours).state_dict())
    return layer.eval()(x, memory, tgt_mask=~mask, memory_key_padding_mask=~src_mask[:, 0, 0])


def _layer(
    mine: nn.Module,
    x: Tensor,
    memory: Tensor,
    mask: Tensor | None,
    src_mask: Tensor | None,
    *,
    residual: tuple[int, int, int] = (1, 1, 1),
    norms: bool = True,
    activation: bool = True,
    cross: bool = True,
    cross_first: bool = False,
    cross_reads_itself: bool = False,
) -> Tensor:
    def norm(name: str, y: Tensor) -> Tensor:
        return mine.get_submodule(name)(y) if norms else y

    def own(x: Tensor) -> Tensor:
        attended = multi_head(mine.get_submodule("self_attention"), x, x, mask)
        return norm("self_attention_norm", residual[0] * x + attended)

    def read(x: Tensor) -> Tensor:
        if not cross:
            return x
        source = x if cross_reads_itself else memory
        read = multi_head(mine.get_submodule("cross_attention"), x, source, src_mask)
        return norm("cross_attention_norm", residual[1] * x + read)

    x = own(read(x)) if cross_first else read(own(x))
    bend = torch.relu if activation else torch.clone
    return norm("feed_forward_norm", residual[2] * x + feed_forward(mine, x, bend))
