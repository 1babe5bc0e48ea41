"""The blocks that a model is made of, in the order in which data flow through them."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal, TypedDict

from torch import nn

from ..ask.analysis import SAME_FOR_ALL, Result, analysis
from ..model.attention import MultiHeadAttention
from ..model.config import NormPlacement, TiedEmbeddings, TransformerConfig
from ..model.layers import DecoderLayer, EncoderLayer, FeedForward, Residual
from ..model.towers import Decoder, Encoder, Model
from ..translator import Translator

Tap = tuple[nn.Module, int | None]
"""Where a vector is read off: what comes out of a module (None), or one of its arguments."""


@dataclass(frozen=True)
class Block:
    """One box of the picture of a model.

    Attributes:
        taps: by name, where its vectors are read off; each gives [batch, length, size].
        learnt: what its parameters are in, if it has any.
    """

    taps: Mapping[str, Tap]
    learnt: nn.Module | None = None

    @property
    def num_parameters(self) -> int:
        """How many numbers it has learnt; what is shared counts in each of its blocks."""
        return sum(each.numel() for each in self.learnt.parameters()) if self.learnt else 0


def blocks(model: Model) -> dict[str, Block]:
    """Every block by its name, such as "encoder.embedding" or "decoder.L2.cross_attention.norm"."""
    towers = model.towers().items()
    return {f"{name}.{part}": block for name, tower in towers for part, block in _tower(tower)}


class GuestConfig(TypedDict):
    """What a guest's blocks show of its sizes and choices, as `TransformerConfig` names them.

    Attributes:
        activation: as its own configuration names it.
        position_kind: "rotary" and "relative" act within attention.
        embedding_norm: a norm before the first layer.
        gated: the feed-forward.
        key_value_heads: 0 where nobody knows.
        guesses: whether it is an encoder alone that has a head for hidden tokens.
    """

    src_vocab_size: int
    tgt_vocab_size: int
    d_model: int
    num_heads: int
    num_encoder_layers: int
    num_decoder_layers: int
    d_ff: int
    activation: str
    norm_placement: NormPlacement
    final_norms: bool
    scale_embeddings: bool
    tied_embeddings: TiedEmbeddings
    output_bias: bool
    norm: Literal["layer", "rms"]
    position_kind: Literal["sinusoidal", "learned", "rotary", "relative"]
    embedding_norm: bool
    gated: bool
    key_value_heads: int
    d_head: int
    guesses: bool


@dataclass(frozen=True, kw_only=True, eq=False)
class Anatomy(Result):
    """What a model's picture is drawn from.

    Attributes:
        config: its sizes and choices; of a guest, what its blocks showed of them.
        parameters: how many each block has learnt, by name, in the order of the flow.
        total: how many there are, what is shared counted once.
    """

    schema = """
    config: TransformerConfig|GuestConfig
    parameters: integer {block}
    total: integer
    """

    config: Mapping[str, Any]
    parameters: Mapping[str, int]
    total: int


@analysis(by=SAME_FOR_ALL)
def anatomy(translator: Translator) -> Anatomy:
    """What a model is made of."""
    config: TransformerConfig = translator.config
    by_name = blocks(translator.model)
    return Anatomy(
        config=config.to_dict(),
        parameters={name: block.num_parameters for name, block in by_name.items()},
        total=sum(each.numel() for each in translator.model.parameters()),
    )


def _tower(tower: Encoder | Decoder) -> Iterator[tuple[str, Block]]:
    token, position = tower.embedding.token, tower.embedding.position
    yield "embedding", Block({"looked_up": (token, None), "leaves": (position, 0)}, token)
    yield "position", Block({"enters": (position, 0), "leaves": (position, None)})
    for index, layer in enumerate(tower.layers):
        for part, block in _layer(layer):
            yield f"L{index + 1}.{part}", block
    if isinstance(tower.norm, nn.LayerNorm):
        yield "norm", _norm(tower.norm)
    if isinstance(tower, Decoder):
        output = tower.output
        yield "output", Block({"enters": (output, 0), "leaves": (output, None)}, output)


def _layer(layer: EncoderLayer | DecoderLayer) -> Iterator[tuple[str, Block]]:
    for name in ("self_attention", "cross_attention", "feed_forward"):
        sublayer = getattr(layer, name, None)
        if sublayer is None:  # only a decoder that has an encoder looks at one
            continue
        residual = getattr(layer, f"{name}_residual")
        assert isinstance(sublayer, MultiHeadAttention | FeedForward)
        assert isinstance(residual, Residual)
        taps: dict[str, Tap] = {"enters": (sublayer, 0)}
        if name == "cross_attention":
            taps["memory"] = (sublayer, 1)
        if isinstance(sublayer, MultiHeadAttention):
            taps["heads"] = (sublayer.output, 0)
        else:
            taps["inner"] = (sublayer.outer, 0)
        norm = _norm(residual.norm)
        if residual.pre_norm:
            yield f"{name}.norm", norm
        yield name, Block({**taps, "leaves": (sublayer, None)}, sublayer)
        after = getattr(layer, f"after_{name}")
        added: dict[str, Tap] = {"enters": (residual, 0), "added": (sublayer, None)}
        yield f"{name}.add", Block({**added, "leaves": (after, None)})
        if not residual.pre_norm:
            yield f"{name}.norm", norm


def _norm(norm: nn.LayerNorm) -> Block:
    return Block({"enters": (norm, 0), "leaves": (norm, None)}, norm)
