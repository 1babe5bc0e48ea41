"""Everything that decides what a training run does."""

import json
import math
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Annotated, Any, Literal, get_args, get_type_hints

from ..checkpoint.whole import write_whole
from ..model.config import NormPlacement, TiedEmbeddings, TransformerConfig
from ..text.tokenizer import BOS_ID, PAD_ID, UNK_ID
from .errors import TrainingError

Optimizer = Literal["adamw", "sgd", "muon"]
Schedule = Literal["inverse-sqrt", "cosine"]
Precision = Literal["auto", "fp32", "bf16"]

CHANGEABLE = frozenset(
    {"steps", "learning_rate", "eval_every", "save_every", "patience", "average", "precision"}
)
"""What may differ when a run goes on: the rest would make it another run."""


@dataclass(frozen=True, kw_only=True)
class Recipe:
    """The settings of one training run; each is an option of `python -m transformer train`."""

    train: Annotated[
        tuple[str, ...],
        "files to learn from: `source TAB target` lines, or plain text if `decoder_only`.",
    ]
    dev: Annotated[str, "a file of the same kind, to measure on."]
    decoder_only: Annotated[bool, "train a language model."] = False
    start_from: Annotated[
        str,
        "a checkpoint to go on from, by name or folder: its weights, which must have the shape "
        "asked for (d_ff may be larger), and, between the same languages, its tokenizers, if they "
        "are of the kind asked for. In a vocabulary of its own, a piece starts with the embedding "
        "that it has there, or with the mean of those pieces that spell it there.",
    ] = ""
    source_language: Annotated[str, 'code such as "en"; empty if it is no language.'] = ""
    target_language: Annotated[str, "likewise; it decides how BLEU cuts words."] = ""
    plain_share: Annotated[
        float,
        "of the sources, the share learnt a second time in lower case and without closing "
        "punctuation, as people type.",
    ] = 0.0
    typo_share: Annotated[
        float,
        "of the sources, the share learnt a second time with a typo or two, in words that are no "
        "names.",
    ] = 0.0
    normalise: Annotated[
        bool,
        "read sources, now and when it translates, without emoji, with plain quotes and dashes, "
        "and in lower case where one is all in capitals.",
    ] = False
    vocab_size: Annotated[int, "SentencePiece pieces, shared by both languages."] = 4000
    source_vocab_size: Annotated[
        int,
        "give each language a vocabulary of its own instead, the source's of so many pieces, made "
        "to keep words whole; 0 is none.",
    ] = 0
    target_vocab_size: Annotated[int, "likewise, the target's."] = 0
    characters: Annotated[
        bool, "make every piece a single character; there may be fewer than `vocab_size`."
    ] = False
    sampling_alpha: Annotated[
        float,
        "if above 0, texts are cut into pieces anew each time, by chance; the nearer to 0, the "
        'more freely (Kudo 2018, "Subword Regularization"; try 0.2).',
    ] = 0.0
    num_layers: Annotated[int, "of each tower."] = 3
    d_model: Annotated[int, "width of every token's vector."] = 256
    num_heads: Annotated[int, "a layer; each sees d_model / num_heads dimensions."] = 8
    d_ff: Annotated[int, "width of the feed-forward network's inner layer."] = 1024
    dropout: Annotated[float, "probability of dropping an activation in training."] = 0.2
    norm_placement: Annotated[
        NormPlacement,
        'LayerNorm after each residual connection, "post", or before each sublayer, "pre".',
    ] = "post"
    tied_embeddings: Annotated[
        TiedEmbeddings,
        '"output" shares the decoder\'s embedding with the output projection, "all" the '
        "encoder's, too.",
    ] = "all"
    max_length: Annotated[
        int, "the longest source or target, in tokens, special ones included."
    ] = 128
    batch_tokens: Annotated[
        int,
        "the most tokens, padding included, on either side of a batch, over all processes "
        "together.",
    ] = 1500
    steps: Annotated[int, "number of batches to learn from."] = 10_000
    optimizer: Annotated[
        Optimizer,
        '"adamw" (β 0.9 and 0.98), "sgd" with momentum 0.9, or "muon" for matrices, with AdamW for '
        "the rest: a quarter more time a step, and far fewer steps from noise.",
    ] = "adamw"
    learning_rate: Annotated[float, "the highest, reached at the end of the warm-up."] = 1e-3
    schedule: Annotated[
        Schedule,
        'after a linear warm-up, "inverse-sqrt" as in the paper, or "cosine" to zero at the last '
        "step.",
    ] = "inverse-sqrt"
    warmup: Annotated[int, "steps until the learning rate is at its highest."] = 1000
    weight_decay: Annotated[
        float, "of matrices; not of biases and norms, nor, with muon, of embeddings."
    ] = 0.01
    label_smoothing: Annotated[
        float, "share of the target's probability spread over the vocabulary."
    ] = 0.1
    unlikelihood: Annotated[
        float,
        "weight of a loss on tokens, digits aside, that stand earlier in the target, against "
        'stutter (Welleck et al. 2020, "Neural Text Generation with Unlikelihood Training"; try '
        "20).",
    ] = 0.0
    clip: Annotated[float, "the most that the gradient's norm may be."] = 1.0
    precision: Annotated[
        Precision, 'of the linear layers; "auto" takes bf16 where the hardware multiplies it.'
    ] = "auto"
    eval_every: Annotated[int, "steps between measurements on `dev`."] = 500
    save_every: Annotated[
        int, "steps between saves of the state from which a run resumes; ten minutes at most."
    ] = 250
    patience: Annotated[
        int, "stop after so many measurements without a better one; 0 never stops early."
    ] = 0
    average: Annotated[
        int, "how many of the last measured models the averaged model is made of."
    ] = 5
    seed: Annotated[int, "of initialisation, order and dropout."] = 1

    def __post_init__(self) -> None:
        for name, kind in get_type_hints(type(self)).items():
            value = getattr(self, name)
            if get_args(kind) and isinstance(value, str) and value not in get_args(kind):
                choices = ", ".join(get_args(kind))
                raise TrainingError(f"{option(name)} must be one of {choices}, not {value!r}")
        for name in ("batch_tokens", "steps", "warmup", "eval_every", "save_every", "average"):
            if getattr(self, name) < 1:
                raise TrainingError(f"{option(name)} must be at least 1")
        for name in ("learning_rate", "clip"):
            if not getattr(self, name) > 0:
                raise TrainingError(f"{option(name)} must be more than 0")
        if bool(self.source_vocab_size) != bool(self.target_vocab_size):
            raise TrainingError(
                "--source-vocab-size and --target-vocab-size go together: one shared vocabulary "
                "is --vocab-size"
            )
        if self.own_vocabularies and (self.characters or self.decoder_only):
            other = "characters" if self.characters else "decoder_only"
            raise TrainingError(f"--source-vocab-size cannot be combined with {option(other)}")
        for name in ("plain_share", "typo_share"):
            if not 0 <= getattr(self, name) <= 1:
                raise TrainingError(f"{option(name)} must lie in [0, 1]")
        for name in ("sampling_alpha", "unlikelihood"):
            if not getattr(self, name) >= 0:
                raise TrainingError(f"{option(name)} must be at least 0")
        if not 0 <= self.label_smoothing < 1:
            raise TrainingError("--label-smoothing must lie in [0, 1)")

    @property
    def own_vocabularies(self) -> bool:
        """Whether source and target have tokenizers of their own."""
        return self.source_vocab_size > 0

    def config(self, src_vocab_size: int, tgt_vocab_size: int) -> TransformerConfig:
        """The model's configuration.

        Raises:
            TrainingError: an impossible combination.
        """
        decoder_only = self.decoder_only
        apart = decoder_only or self.own_vocabularies
        tied = "output" if apart and self.tied_embeddings == "all" else self.tied_embeddings
        try:
            return TransformerConfig(
                src_vocab_size=0 if decoder_only else src_vocab_size,
                tgt_vocab_size=tgt_vocab_size,
                num_encoder_layers=0 if decoder_only else self.num_layers,
                num_decoder_layers=self.num_layers,
                d_model=self.d_model,
                num_heads=self.num_heads,
                d_ff=self.d_ff,
                dropout=self.dropout,
                max_length=self.max_length,
                norm_placement=self.norm_placement,
                final_norms=self.norm_placement == "pre",
                tied_embeddings=tied,
                banned_ids=(PAD_ID, BOS_ID, UNK_ID),
            )
        except ValueError as error:
            raise TrainingError(str(error)) from error

    def learning_rate_at(self, step: int) -> float:
        """The learning rate of a step, counted from 1."""
        if step <= self.warmup:
            return self.learning_rate * step / self.warmup
        if self.schedule == "inverse-sqrt":
            return self.learning_rate * math.sqrt(self.warmup / step)
        progress = (step - self.warmup) / max(1, self.steps - self.warmup)
        return self.learning_rate * (1 + math.cos(math.pi * min(progress, 1))) / 2

    def save(self, path: Path) -> None:
        """Writes the recipe as JSON."""
        write_whole(path, (json.dumps(asdict(self), indent=2) + "\n").encode())

    def check_continues(self, path: Path) -> None:
        """Refuses to go on with a run that another recipe started.

        Raises:
            TrainingError: the file at `path` holds another recipe; the sentence names a difference.
        """
        started: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
        for field in fields(self):
            # JSON knows lists, no tuples.
            value = json.loads(json.dumps(getattr(self, field.name)))
            before = started.get(field.name, field.default)  # It may be newer than the run.
            if before != value and field.name not in CHANGEABLE:
                raise TrainingError(
                    f"{path.parent} was started with {option(field.name)} {before}, not {value}: "
                    "say the same, choose another name, or delete that folder to start afresh"
                )


def option(name: str) -> str:
    """A setting's name on the command line."""
    return "--" + name.replace("_", "-")
