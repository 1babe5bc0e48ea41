"""An encoder layer, against `torch.nn.TransformerEncoderLayer` with the same weights."""

from collections.abc import Iterator, Sequence
from functools import partial
from types import ModuleType
from typing import Any

import torch
from torch import Tensor, nn

from .exercise import Remark, noise, slips, usual
from .layer_steps import Step, judge_layer, last_steps
from .multi_head import HEADS, multi_head
from .parts import bias_of, layer_of, part_of, seeded
from .sublayers import feed_forward, through

SIZES = (8, HEADS, 16)
"""d_model, num_heads, d_ff."""

NAME = "EncoderLayer"
NORMS = ("attention_norm", "feed_forward_norm")

USUAL = usual("encoder_layer")


STEPS = (
    Step(
        "self_attention",
        lambda outputs: (outputs["x"], outputs["x"], outputs["mask"]),
        "(x, x, mask)",
    ),
    Step(
        "attention_norm",
        lambda outputs: outputs["x"] + outputs["self_attention"],
        "x + self.self_attention(…)",
    ),
    *last_steps("attention_norm"),
)


def judge(module: ModuleType) -> Iterator[Remark]:
    """`EncoderLayer`'s forward pass, post-norm as in the paper."""
    mine = seeded(module.EncoderLayer, *SIZES)
    x = noise(2, 4, 8)
    mask = torch.ones(2, 1, 1, 4, dtype=torch.bool)
    mask[0, ..., 2:] = False
    with torch.no_grad():
        wrong = slips(partial(_layer, mine, x, mask), USUAL, most=2)
        yield from judge_layer(NAME, mine, STEPS, _right(mine, x, mask), wrong, x=x, mask=mask)


def _right(mine: nn.Module, x: Tensor, mask: Tensor) -> Tensor:
    d_model, heads, d_ff = SIZES
    layer = nn.TransformerEncoderLayer(d_model, heads, d_ff, dropout=0, batch_first=True)
    copy_attention(part_of(mine, "self_attention"), layer.self_attn)
    copy_layers(mine, layer, NORMS)
    # Not as a mask of padding, for which PyTorch imports much more.
    hidden = ~mask.expand(len(x), heads, x.size(1), x.size(1)).flatten(0, 1)
    return layer.eval()(x, hidden)


def copy_attention(mine: nn.Module, theirs: nn.MultiheadAttention) -> None:
    """Gives PyTorch's attention a student's weights."""
    parts = [layer_of(mine, name) for name in ("query", "key", "value")]
    output = layer_of(mine, "output")
    theirs.in_proj_weight = nn.Parameter(torch.cat([part.weight for part in parts]))
    theirs.in_proj_bias = nn.Parameter(torch.cat([bias_of(part) for part in parts]))
    theirs.out_proj.weight = nn.Parameter(output.weight)
    theirs.out_proj.bias = nn.Parameter(bias_of(output))


def copy_layers(mine: nn.Module, theirs: nn.Module, norms: Sequence[str]) -> None:
    """Gives PyTorch's layers the weights of a student's; a bias that is not there is 0."""
    names = {"linear1": "inner", "linear2": "outer"}
    names |= {f"norm{place}": name for place, name in enumerate(norms, 1)}
    for their_name, my_name in names.items():
        state = part_of(mine, my_name).state_dict()
        target = theirs.get_submodule(their_name)
        nothing = {name: torch.zeros_like(old) for name, old in target.state_dict().items()}
        target.load_state_dict(nothing | state)


def _layer(
    mine: nn.Module,
    x: Tensor,
    mask: Tensor,
    *,
    masked: bool = True,
    residuals: str = "own own",
    norms: str = "after after",
    names: tuple[str, str] = NORMS,
    order: tuple[int, ...] = (0, 1),
    **options: Any,
) -> Tensor:
    def attend(x: Tensor) -> Tensor:
        return multi_head(part_of(mine, "self_attention"), x, x, mask if masked else None)

    inner = (attend, partial(feed_forward, mine, **options))
    return through(mine, inner, x, order=order, names=names, residuals=residuals, norms=norms)
