"""Everything that decides what a training run does."""

import json
import math
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any, Literal, get_args, get_type_hints

from ..model.config import NormPlacement, TiedEmbeddings, TransformerConfig
from ..text.tokenizer import BOS_ID, PAD_ID, UNK_ID
from .errors import TrainingError
from .files import write_whole

Optimizer = Literal["adamw", "sgd"]
Schedule = Literal["inverse-sqrt", "cosine"]
Precision = Literal["auto", "fp32", "bf16"]

CHANGEABLE = frozenset(
    {"steps", "learning_rate", "eval_every", "save_every", "patience", "average", "precision"}
)
"""What may differ when a run goes on: the rest would make it another run."""


@dataclass(frozen=True, kw_only=True)
class Recipe:
    """The settings of one training run; each is an option of `python -m transformer train`.

    Attributes:
        train: files to learn from: `source TAB target` lines, or plain text if `decoder_only`.
        dev: a file of the same kind, to measure on.
        decoder_only: train a language model.
        start_from: a checkpoint to go on from, by name or folder: its weights, which must have the
            shape asked for (d_ff may be larger), and, between the same languages, its tokenizers,
            if they are of the kind asked for. In a vocabulary of its own, a piece starts with the
            embedding that it has there, or with the mean of those pieces that spell it there.
        source_language: code such as "en"; empty if it is no language.
        target_language: likewise; it decides how BLEU cuts words.
        plain_share: of the sources, the share learnt a second time in lower case and without
            closing punctuation, as people type.
        vocab_size: SentencePiece pieces, shared by both languages.
        source_vocab_size, target_vocab_size: give each language a vocabulary of its own instead,
            of so many pieces, made to keep words whole; 0 is none.
        characters: make every piece a single character; there may be fewer than `vocab_size`.
        sampling_alpha: if above 0, texts are cut into pieces anew each time, by chance; the nearer
            to 0, the more freely (Kudo 2018, "Subword Regularization"; try 0.2).
        num_layers: of each tower.
        d_model, num_heads, d_ff, dropout, norm_placement, tied_embeddings, max_length: see
            `TransformerConfig`.
        batch_tokens: the most tokens, padding included, on either side of a batch, over all
            processes together.
        steps: number of batches to learn from.
        optimizer: "adamw" (β 0.9 and 0.98), or "sgd" with momentum 0.9.
        learning_rate: the highest, reached at the end of the warm-up.
        schedule: after a linear warm-up, "inverse-sqrt" as in the paper, or "cosine" to zero at
            the last step.
        warmup: steps until the learning rate is at its highest.
        weight_decay: of matrices; not of biases and norms.
        label_smoothing: share of the target's probability spread over the vocabulary.
        unlikelihood: weight of a loss on tokens, digits aside, that stand earlier in the target,
            against stutter (Welleck et al. 2020, "Neural Text Generation with Unlikelihood
            Training"; try 20).
        clip: the most that the gradient's norm may be.
        precision: of the linear layers; "auto" takes bf16 where the hardware multiplies it.
        eval_every: steps between measurements on `dev`.
        save_every: steps between saves of the state from which a run resumes.
        patience: stop after so many measurements without a better one; 0 never stops early.
        average: how many of the last measured models the averaged model is made of.
        seed: of initialisation, order and dropout.
    """

    train: tuple[str, ...]
    dev: str
    decoder_only: bool = False
    start_from: str = ""
    source_language: str = ""
    target_language: str = ""
    plain_share: float = 0.0
    vocab_size: int = 4000
    source_vocab_size: int = 0
    target_vocab_size: int = 0
    characters: bool = False
    sampling_alpha: float = 0.0
    num_layers: int = 3
    d_model: int = 256
    num_heads: int = 8
    d_ff: int = 1024
    dropout: float = 0.2
    norm_placement: NormPlacement = "post"
    tied_embeddings: TiedEmbeddings = "all"
    max_length: int = 128
    batch_tokens: int = 1500
    steps: int = 10_000
    optimizer: Optimizer = "adamw"
    learning_rate: float = 1e-3
    schedule: Schedule = "inverse-sqrt"
    warmup: int = 1000
    weight_decay: float = 0.01
    label_smoothing: float = 0.1
    unlikelihood: float = 0.0
    clip: float = 1.0
    precision: Precision = "auto"
    eval_every: int = 500
    save_every: int = 250
    patience: int = 0
    average: int = 5
    seed: int = 1

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
        if not 0 <= self.plain_share <= 1:
            raise TrainingError("--plain-share must lie in [0, 1]")
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
