"""A decoder layer, against `torch.nn.TransformerDecoderLayer` with the same weights."""

from collections.abc import Iterator
from functools import partial
from types import ModuleType
from typing import Any

import torch
from torch import Tensor, nn

from .encoder_layer import SIZES, copy_attention, copy_layers
from .exercise import Remark, first_wrong, noise, slips, usual
from .layer_steps import Step, judge_layer, last_steps
from .multi_head import multi_head
from .parts import part_of, seeded
from .sublayers import feed_forward, through

NAME = "DecoderLayer"
NORMS = ("self_attention_norm", "cross_attention_norm", "feed_forward_norm")

USUAL = usual("decoder_layer")


STEPS = (
    Step(
        "self_attention",
        lambda outputs: (outputs["x"], outputs["x"], outputs["mask"]),
        "(x, x, mask)",
    ),
    Step(
        "self_attention_norm",
        lambda outputs: outputs["x"] + outputs["self_attention"],
        "x + self.self_attention(…)",
    ),
    Step(
        "cross_attention",
        lambda outputs: (outputs["self_attention_norm"], outputs["memory"], outputs["src_mask"]),
        "(self.self_attention_norm(…), memory, src_mask)",
    ),
    Step(
        "cross_attention_norm",
        lambda outputs: outputs["self_attention_norm"] + outputs["cross_attention"],
        "self.self_attention_norm(…) + self.cross_attention(…)",
    ),
    *last_steps("cross_attention_norm"),
)


def judge(module: ModuleType) -> Iterator[Remark]:
    """`DecoderLayer`'s forward pass, post-norm as in the paper."""
    mine = seeded(module.DecoderLayer, *SIZES)
    # As long as one another first: else a mistake would be an error of shapes, in another file.
    return first_wrong(_remarks(mine, length) for length in (4, 5))


def _remarks(mine: nn.Module, length: int) -> Iterator[Remark]:
    given = {
        "x": noise(2, 4, 8),
        "memory": noise(2, length, 8, seed=1),
        "mask": torch.ones(4, 4, dtype=torch.bool).tril(),
        "src_mask": torch.ones(2, 1, 1, length, dtype=torch.bool),
    }
    given["src_mask"][0, ..., 2:] = False
    with torch.no_grad():
        wrong = slips(partial(_layer, mine, *given.values()), USUAL, most=2)
        yield from judge_layer(NAME, mine, STEPS, _right(mine, *given.values()), wrong, **given)


def _right(mine: nn.Module, x: Tensor, memory: Tensor, mask: Tensor, src_mask: Tensor) -> Tensor:
    d_model, heads, d_ff = SIZES
    layer = nn.TransformerDecoderLayer(d_model, heads, d_ff, dropout=0, batch_first=True)
    copy_attention(part_of(mine, "self_attention"), layer.self_attn)
    copy_attention(part_of(mine, "cross_attention"), layer.multihead_attn)
    copy_layers(mine, layer, NORMS)
    # Not as a mask of padding, for which PyTorch imports much more.
    hidden = ~src_mask.expand(len(x), heads, x.size(1), memory.size(1)).flatten(0, 1)
    return layer.eval()(x, memory, tgt_mask=~mask, memory_mask=hidden)


def _layer(
    mine: nn.Module,
    x: Tensor,
    memory: Tensor,
    given_mask: Tensor,
    given_src_mask: Tensor,
    *,
    mask: str = "mask",
    src_mask: str = "src_mask",
    source: str = "memory",
    own: str = "x",
    order: tuple[int, ...] = (0, 1, 2),
    attentions: tuple[str, str] = ("self_attention", "cross_attention"),
    residuals: str = "own own own",
    norms: str = "after after after",
    names: tuple[str, str, str] = NORMS,
    **options: Any,
) -> Tensor:
    masks = {"mask": given_mask, "src_mask": given_src_mask, "none": None}

    def attend(x: Tensor) -> Tensor:
        read = memory if own == "memory" else x
        return multi_head(part_of(mine, attentions[0]), x, read, masks[mask])

    def read(x: Tensor) -> Tensor:
        query, key = {
            "memory": (x, memory),
            "x": (x, x),
            "swapped": (memory, x),
            "memory alone": (memory, memory),
        }[source]
        return multi_head(part_of(mine, attentions[1]), query, key, masks[src_mask])

    inner = (attend, read, partial(feed_forward, mine, **options))
    return through(mine, inner, x, order=order, names=names, residuals=residuals, norms=norms)
