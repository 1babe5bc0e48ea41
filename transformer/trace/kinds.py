"""The three kinds of attention, and the one owner of their queries, keys and masks."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Generic, Literal, Protocol, TypeVar, get_args

import numpy as np
import numpy.typing as npt

Kind = Literal["encoder_self", "decoder_self", "cross"]
KINDS: tuple[Kind, ...] = get_args(Kind)

CausalMask = Literal["kept", "off", "inverted"]
"""The decoder's mask as it should be; or taken away; or hiding what comes before."""

TITLES: dict[Kind, str] = {
    "encoder_self": "Encoder self-attention",
    "decoder_self": "Decoder self-attention",
    "cross": "Cross-attention",
}


T = TypeVar("T", covariant=True)


@dataclass(frozen=True, kw_only=True, eq=False)
class ByKind(Generic[T]):
    """A value for each kind of attention; None for a kind that there is nothing of."""

    encoder_self: T | None
    decoder_self: T | None
    cross: T | None

    def of(self, kind: Kind) -> T | None:
        """The value of one kind."""
        return getattr(self, kind)

    def present(self) -> Iterator[tuple[Kind, T]]:
        """Kinds that there is something of, each with its value."""
        for kind in KINDS:
            if (weights := self.of(kind)) is not None:
                yield kind, weights


class Tokens(Protocol):
    """Labels of what a model read and wrote: see `AttentionTrace`."""

    @property
    def src(self) -> tuple[str, ...]: ...  # noqa: D102
    @property
    def tgt_in(self) -> tuple[str, ...]: ...  # noqa: D102
    @property
    def tgt_out(self) -> tuple[str, ...]: ...  # noqa: D102


def query_tokens(tokens: Tokens, kind: Kind) -> tuple[str, ...]:
    """Labels of a matrix's rows: of the tokens that ask."""
    return tokens.src if kind == "encoder_self" else tokens.tgt_in


def key_tokens(tokens: Tokens, kind: Kind) -> tuple[str, ...]:
    """Labels of a matrix's columns: of the tokens that are asked."""
    return tokens.tgt_in if kind == "decoder_self" else tokens.src


def cells_of(kind: Kind, src: int, tgt: int) -> tuple[slice, slice]:
    """The queries and keys that are no padding, of so many source and target tokens."""
    return slice(src if kind == "encoder_self" else tgt), slice(
        tgt if kind == "decoder_self" else src
    )


def predicted_tokens(tokens: Tokens, kind: Kind) -> tuple[str, ...] | None:
    """What each row goes on to predict; None in the encoder, which predicts nothing."""
    return None if kind == "encoder_self" else tokens.tgt_out


def masked(
    kind: Kind, num_queries: int, num_keys: int, causal: CausalMask = "kept"
) -> npt.NDArray[np.bool_]:
    """Which cells the model was not allowed to see, [query, key]; that is not a weight of 0.

    Args:
        kind: which attention.
        num_queries: rows.
        num_keys: columns.
        causal: what interventions have left of the decoder's mask.
    """
    cells = np.zeros((num_queries, num_keys), bool)
    if kind == "decoder_self" and causal == "kept":
        cells[np.triu_indices(num_queries, 1, num_keys)] = True
    if kind == "decoder_self" and causal == "inverted":
        cells[np.tril_indices(num_queries, -1, num_keys)] = True
    return cells


class Sizes(Protocol):
    """How large a model is: its configuration, say."""

    @property
    def decoder_only(self) -> bool: ...  # noqa: D102
    @property
    def num_encoder_layers(self) -> int: ...  # noqa: D102
    @property
    def num_decoder_layers(self) -> int: ...  # noqa: D102
    @property
    def num_heads(self) -> int: ...  # noqa: D102


def num_layers(config: Sizes, kind: Kind) -> int:
    """How many layers of this kind of attention a model of this config has."""
    if kind != "decoder_self" and config.decoder_only:
        return 0
    return config.num_encoder_layers if kind == "encoder_self" else config.num_decoder_layers
