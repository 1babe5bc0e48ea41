"""An encoder layer, against `torch.nn.TransformerEncoderLayer` with the same weights."""

from collections.abc import Callable, Iterator
from types import ModuleType

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from .exercise import Remark, compare, noise
from .heads import HEADS, multi_head, seeded

SIZES = (8, HEADS, 16)
"""d_model, num_heads, d_ff."""


def judge(module: ModuleType) -> Iterator[Remark]:
    """`EncoderLayer`'s forward pass, post-norm as in the paper."""
    mine = seeded(module.EncoderLayer, *SIZES)
    x = noise(2, 4, 8)
    mask = torch.ones(2, 1, 1, 4, dtype=torch.bool)
    mask[0, ..., 2:] = False
    with torch.no_grad():
        wrong: dict[str, Callable[[], Tensor]] = {
            "mask_not_handed_on": lambda: _layer(mine, x, None),
            "first_residual_missing": lambda: _layer(mine, x, mask, residual=(0, 1)),
            "second_residual_missing": lambda: _layer(mine, x, mask, residual=(1, 0)),
            "residuals_missing": lambda: _layer(mine, x, mask, residual=(0, 0)),
            "norms_missing": lambda: _layer(mine, x, mask, norms=(False, False)),
            "first_norm_missing": lambda: _layer(mine, x, mask, norms=(False, True)),
            "last_norm_missing": lambda: _layer(mine, x, mask, norms=(True, False)),
            "activation_missing": lambda: _layer(mine, x, mask, activation=lambda y: y),
            "residual_from_input": lambda: _layer(mine, x, mask, again=True),
            "pre_norm": lambda: _pre_norm(mine, x, mask),
            "norm_before_adding": lambda: _norm_before_adding(mine, x, mask),
        }
        yield from compare("EncoderLayer", mine(x, mask), _right(mine, x, mask), wrong.items())


def _right(mine: nn.Module, x: Tensor, mask: Tensor) -> Tensor:
    d_model, heads, d_ff = SIZES
    layer = nn.TransformerEncoderLayer(d_model, heads, d_ff, dropout=0, batch_first=True)
    copy_attention(mine.get_submodule("self_attention"), layer.self_attn)
    names = {
        "linear1": "inner",
        "linear2": "outer",
        "norm1": "attention_norm",
        "norm2": "feed_forward_norm",
    }
    for theirs, ours in names.items():
        layer.get_submodule(theirs).load_state_dict(mine.get_submodule(ours).state_dict())
    return layer.eval()(x, src_key_padding_mask=~mask[:, 0, 0])


def copy_attention(mine: nn.Module, theirs: nn.MultiheadAttention) -> None:
    """Gives PyTorch's attention a student's weights."""
    parts = [mine.get_submodule(name) for name in ("query", "key", "value")]
    states = [part.state_dict() for part in parts]
    theirs.in_proj_weight = nn.Parameter(torch.cat([state["weight"] for state in states]))
    theirs.in_proj_bias = nn.Parameter(torch.cat([state["bias"] for state in states]))
    theirs.out_proj.load_state_dict(mine.get_submodule("output").state_dict())


def feed_forward(
    mine: nn.Module, x: Tensor, activation: Callable[[Tensor], Tensor] = F.relu
) -> Tensor:
    """The student's two linear layers with an activation between them."""
    return mine.get_submodule("outer")(activation(mine.get_submodule("inner")(x)))


def _layer(
    mine: nn.Module,
    x: Tensor,
    mask: Tensor | None,
    residual: tuple[int, int] = (1, 1),
    norms: tuple[bool, bool] = (True, True),
    activation: Callable[[Tensor], Tensor] = F.relu,
    again: bool = False,
) -> Tensor:
    def norm(name: str, keep: bool, y: Tensor) -> Tensor:
        return mine.get_submodule(name)(y) if keep else y

    attended = multi_head(mine.get_submodule("self_attention"), x, x, mask)
    y = norm("attention_norm", norms[0], residual[0] * x + attended)
    z = feed_forward(mine, y, activation)
    return norm("feed_forward_norm", norms[1], residual[1] * (x if again else y) + z)


def _pre_norm(mine: nn.Module, x: Tensor, mask: Tensor | None) -> Tensor:
    y = mine.get_submodule("attention_norm")(x)
    x = x + multi_head(mine.get_submodule("self_attention"), y, y, mask)
    return x + feed_forward(mine, mine.get_submodule("feed_forward_norm")(x))


def _norm_before_adding(mine: nn.Module, x: Tensor, mask: Tensor | None) -> Tensor:
    attended = multi_head(mine.get_submodule("self_attention"), x, x, mask)
    x = x + mine.get_submodule("attention_norm")(attended)
    return x + mine.get_submodule("feed_forward_norm")(feed_forward(mine, x))
