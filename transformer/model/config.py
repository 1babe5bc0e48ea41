"""The sizes and choices that make one Transformer differ from another."""

from dataclasses import asdict, dataclass, fields
from typing import Any, Literal, cast, get_args, get_origin, get_type_hints

Activation = Literal["relu", "gelu", "silu"]
NormPlacement = Literal["post", "pre"]
TiedEmbeddings = Literal["none", "output", "all"]
Positions = Literal["interleaved", "concatenated"]


LONGEST = 2**14
"""Positions at most: each is a row of a table that no file holds, but that fills memory."""

LARGEST = 2**31 - 1
"""The longest side that a matrix may have."""


@dataclass(frozen=True, kw_only=True)
class TransformerConfig:
    """What tutorials and published Transformers vary; the defaults are the paper's base model.

    With `num_encoder_layers=0` it describes a decoder-only language model.

    Attributes:
        src_vocab_size: number of tokens the encoder can read.
        tgt_vocab_size: number of tokens the decoder can read and emit.
        d_model: width of every token's vector.
        num_heads: attention heads a layer; each sees d_model / num_heads dimensions.
        d_ff: width of the feed-forward network's inner layer.
        dropout: probability of dropping an activation in training.
        max_length: the longest source or target, in tokens, special ones included.
        activation: of the feed-forward network.
        norm_placement: "post", LayerNorm(x + sublayer(x)), as in the paper; "pre",
            x + sublayer(LayerNorm(x)), which trains more steadily when deep.
        final_norms: one more LayerNorm at the end of each tower.
        scale_embeddings: multiply token embeddings by √d_model.
        tied_embeddings: "output" shares the decoder's embedding with the output projection,
            "all" shares the encoder's too.
        positions: sine and cosine "interleaved" as in the paper, or "concatenated" as in
            tensor2tensor and Marian.
        output_bias: whether the output projection adds a bias.
        pad_id: the token that fills batches up; never attended to.
        bos_id: the token decoding starts from (Marian starts from its padding token).
        eos_id: the token that ends a sentence.
        banned_ids: tokens that decoding never emits (Marian bans its padding token).
        longest_target: the most tokens that decoding emits, where that is less than max_length.
        ends_longest: whether the last of so many is eos_id, whatever the model says (as OPUS-MT's
            models have it).

    Raises:
        ValueError: the combination is impossible; the sentence names the values.
    """

    src_vocab_size: int
    tgt_vocab_size: int
    d_model: int = 512
    num_heads: int = 8
    num_encoder_layers: int = 6
    num_decoder_layers: int = 6
    d_ff: int = 2048
    dropout: float = 0.1
    max_length: int = 512
    activation: Activation = "relu"
    norm_placement: NormPlacement = "post"
    final_norms: bool = False
    scale_embeddings: bool = True
    tied_embeddings: TiedEmbeddings = "none"
    positions: Positions = "interleaved"
    output_bias: bool = True
    pad_id: int = 0
    bos_id: int = 1
    eos_id: int = 2
    banned_ids: tuple[int, ...] = ()
    longest_target: int = 0
    ends_longest: bool = False

    def __post_init__(self) -> None:
        self._check_types()
        sizes = ("tgt_vocab_size", "d_model", "num_heads", "num_decoder_layers", "d_ff")
        for name in (*sizes, "max_length"):
            if getattr(self, name) < 1:
                raise ValueError(f"{name} must be at least 1, not {getattr(self, name)}")
        if self.max_length > LONGEST:
            raise ValueError(f"max_length can be {LONGEST} at most, not {self.max_length}")
        if self.num_encoder_layers < 0:
            raise ValueError(f"num_encoder_layers cannot be {self.num_encoder_layers}")
        if self.longest_target < 0:
            raise ValueError(f"longest_target cannot be {self.longest_target}")
        if self.src_vocab_size < (0 if self.decoder_only else 1):
            raise ValueError(f"src_vocab_size cannot be {self.src_vocab_size}")
        if self.d_model % self.num_heads:
            raise ValueError(
                f"d_model ({self.d_model}) must be divisible by num_heads ({self.num_heads}), "
                "so that every head gets the same number of dimensions"
            )
        if self.d_model % 2:
            raise ValueError(
                f"d_model ({self.d_model}) must be even: positions pair sines with cosines"
            )
        if not 0 <= self.dropout < 1:
            raise ValueError(f"dropout must lie in [0, 1), not {self.dropout}")
        if self.tied_embeddings == "all" and self.src_vocab_size != self.tgt_vocab_size:
            raise ValueError(
                "tied_embeddings='all' needs one vocabulary for both languages, but "
                f"src_vocab_size is {self.src_vocab_size} and tgt_vocab_size {self.tgt_vocab_size}"
            )
        if self.tied_embeddings == "all" and self.decoder_only:
            raise ValueError(
                "a decoder-only model has no encoder embedding to tie: use tied_embeddings='output'"
            )
        ids = [(name, getattr(self, name)) for name in ("pad_id", "bos_id", "eos_id")]
        for name, token in [*ids, *(("banned_ids", token) for token in self.banned_ids)]:
            if not 0 <= token < self.tgt_vocab_size:
                raise ValueError(
                    f"{name} ({token}) lies outside the vocabulary of {self.tgt_vocab_size} tokens"
                )
        if self.eos_id in self.banned_ids:
            raise ValueError(f"banned_ids holds eos_id ({self.eos_id}): no sentence could end")

    def _check_types(self) -> None:
        """A config may come from a hand-edited file: refuse "256" and unknown choices alike."""
        for name, kind in get_type_hints(type(self)).items():
            value = getattr(self, name)
            if get_origin(kind) is tuple:
                tokens = cast(tuple[Any, ...], value) if type(value) is tuple else (None,)
                if any(type(token) is not int for token in tokens):
                    raise ValueError(f"{name} must be a tuple of whole numbers, not {value!r:.80}")
                continue
            choices = get_args(kind)
            if choices and value not in choices:
                raise ValueError(f"{name} must be one of {', '.join(choices)}, not {value!r:.80}")
            if not choices and type(value) is not kind and not (kind is float and value == 0):
                raise ValueError(f"{name} must be of type {kind.__name__}, not {value!r:.80}")
            if kind is int and value > LARGEST:
                raise ValueError(f"{name} can be {LARGEST} at most, not {value}")

    @property
    def most_emitted(self) -> int:
        """The most tokens of a target that decoding emits."""
        return min(self.longest_target or self.max_length, self.max_length)

    @property
    def d_head(self) -> int:
        """Dimensions of one head."""
        return self.d_model // self.num_heads

    @property
    def decoder_only(self) -> bool:
        """Whether there is no encoder, and so no source and no cross-attention."""
        return self.num_encoder_layers == 0

    def to_dict(self) -> dict[str, Any]:
        """The config as JSON-ready values."""
        return asdict(self)

    @classmethod
    def from_dict(cls, values: dict[str, Any]) -> "TransformerConfig":
        """The inverse of `to_dict`.

        Raises:
            ValueError: a name is unknown or missing, or a value impossible.
        """
        names = {field.name for field in fields(cls)}
        if unknown := sorted(values.keys() - names):
            raise ValueError(f"unknown settings: {', '.join(unknown)}")
        if missing := sorted({"src_vocab_size", "tgt_vocab_size"} - values.keys()):
            raise ValueError(f"missing settings: {', '.join(missing)}")
        if type(banned := values.get("banned_ids")) is list:  # JSON has no tuples
            values = {**values, "banned_ids": tuple(cast(list[Any], banned))}
        return cls(**values)
