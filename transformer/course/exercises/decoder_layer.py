"""A decoder layer, against `torch.nn.TransformerDecoderLayer` with the same weights."""

from collections.abc import Iterator
from functools import partial
from types import ModuleType
from typing import Any

import torch
from torch import Tensor, nn

from .encoder_layer import SIZES, copy_attention, copy_layers
from .exercise import Remark, first_wrong, noise, slips
from .layer_steps import Step, judge_layer, last_steps
from .multi_head import multi_head
from .parts import part_of, seeded
from .sublayers import feed_forward, through

NAME = "DecoderLayer"
NORMS = ("self_attention_norm", "cross_attention_norm", "feed_forward_norm")

USUAL: dict[str, dict[str, Any]] = {
    "mask_not_handed_on": {"mask": "none"},
    "source_mask_not_handed_on": {"src_mask": "none"},
    "masks_swapped": {"mask": "src_mask", "src_mask": "mask"},
    "mask_for_both": {"src_mask": "mask"},
    "source_mask_for_both": {"mask": "src_mask"},
    "cross_called_as_self": {"source": "x", "src_mask": "mask"},
    "cross_reads_target": {"source": "x"},
    "cross_query_from_memory": {"source": "swapped"},
    "cross_is_self": {"source": "memory alone"},
    "self_reads_memory": {"own": "memory"},
    "memory_ignored": {"order": (0, 2)},
    "self_attention_missing": {"order": (1, 2)},
    "feed_forward_missing": {"order": (0, 1)},
    "cross_before_self": {"order": (1, 0, 2)},
    "feed_forward_too_early": {"order": (0, 2, 1)},
    "attention_taken_twice": {"attentions": ("self_attention", "self_attention")},
    "attentions_swapped": {"attentions": ("cross_attention", "self_attention")},
    "residuals_missing": {"residuals": "none none none"},
    "first_residual_missing": {"residuals": "none own own"},
    "cross_residual_missing": {"residuals": "own none own"},
    "second_residual_missing": {"residuals": "own own none"},
    "residuals_doubled": {"residuals": "twice twice twice"},
    "first_residual_doubled": {"residuals": "twice own own"},
    "cross_residual_doubled": {"residuals": "own twice own"},
    "second_residual_doubled": {"residuals": "own own twice"},
    "cross_residual_from_input": {"residuals": "own first own"},
    "decoder_residual_from_input": {"residuals": "own own first"},
    "norms_missing": {"norms": "none none none"},
    "first_norm_missing": {"norms": "none after after"},
    "cross_norm_missing": {"norms": "after none after"},
    "last_norm_missing": {"norms": "after after none"},
    "pre_norm": {"norms": "before before before"},
    "residual_from_normed": {
        "norms": "before before before",
        "residuals": "normed normed normed",
    },
    "norm_before_adding": {"norms": "inside inside inside"},
    "norm_taken_twice": {"names": ("self_attention_norm",) * 3},
    "cross_norm_taken_twice": {
        "names": ("self_attention_norm", "self_attention_norm", "feed_forward_norm")
    },
    "activation_missing": {"activation": None},
    "activation_other": {"activation": torch.nn.functional.gelu},
    "activation_first": {"activation_at": "first"},
}


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
