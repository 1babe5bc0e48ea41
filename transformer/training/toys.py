"""The toys that learn in seconds, from random weights, while people watch: what each is to do.

Words of up to six letters; one seed, so that everybody sees the same.
"""

import string
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np
import torch
from torch import Tensor

from ..decoding import decode
from ..model.config import TransformerConfig
from ..model.padding import pad
from ..model.towers import Model, build_model
from .history import Pair

ToyName = Literal["reverse", "repeat", "one_layer"]
TOY_NAMES: tuple[ToyName, ...] = get_args(ToyName)

LONGEST, SEED = 6, 7
WATCHED = "planet"

SPECIAL = ("<pad>", "<s>", "</s>")
LABELS = (*SPECIAL, *string.ascii_lowercase)
PAD, BOS, EOS = range(3)


@dataclass(frozen=True)
class Reverse:
    """Encoder and decoder spell a word backwards."""

    steps: int = 600

    def fresh(self) -> Model:
        """The model with its random weights, the same each time; nothing is dropped out."""
        return _fresh(encoder=2, decoder=2, heads=4, longest=LONGEST + 2)

    def words(self, generator: np.random.Generator, count: int) -> list[str]:
        """Words drawn by chance, of one to `LONGEST` letters."""
        lengths = generator.integers(1, LONGEST + 1, count).tolist()
        letters = list(string.ascii_lowercase)
        return ["".join(generator.choice(letters, length).tolist()) for length in lengths]

    def answer(self, word: str) -> str:
        """The word, from its end."""
        return word[::-1]

    def batch(self, words: Sequence[str]) -> tuple[Tensor, Tensor]:
        """Words and answers, as sources and targets [batch, length]."""
        src = pad([[*_ids(word), EOS] for word in words], PAD)
        return src, pad([[BOS, *_ids(word[::-1]), EOS] for word in words], PAD)

    def says(self, model: Model, words: Sequence[str]) -> list[str]:
        """What the model makes of words, by greedy decoding."""
        hypotheses = decode(model, self.batch(words)[0], max_steps=LONGEST + 1, top_k=0)
        return [_text(each.ids) for each in hypotheses]

    def pair(self) -> Pair:
        """The word that is watched and its answer, with the labels of their tokens."""
        target = [BOS, *_ids(self.answer(WATCHED)), EOS]
        return _pair(self.answer(WATCHED), target, [*_ids(WATCHED), EOS], WATCHED)


@dataclass(frozen=True)
class Repeat:
    """A decoder alone says a word again and again, which takes two layers.

    Attributes:
        layers: of the decoder; of one, it is never learnt.
    """

    steps: int = 600
    layers: int = 2
    shortest: int = 3
    length: int = 15

    def fresh(self) -> Model:
        """The model with its random weights, the same each time; nothing is dropped out."""
        return _fresh(encoder=0, decoder=self.layers, heads=1, longest=self.length + 2)

    def words(self, generator: np.random.Generator, count: int) -> list[str]:
        """Words drawn by chance, of up to `LONGEST` letters, none twice: the next one is known."""
        lengths = generator.integers(self.shortest, LONGEST + 1, count).tolist()
        letters = list(string.ascii_lowercase)
        return ["".join(generator.choice(letters, n, replace=False).tolist()) for n in lengths]

    def answer(self, word: str) -> str:
        """The word again and again."""
        return (word * self.length)[: self.length]

    def batch(self, words: Sequence[str]) -> tuple[Tensor, Tensor]:
        """Sources without columns, since a decoder alone has none, and targets [batch, length]."""
        tgt = [[BOS, *_ids(self.answer(word)), EOS] for word in words]
        return torch.empty(len(words), 0, dtype=torch.long), torch.tensor(tgt)

    def says(self, model: Model, words: Sequence[str]) -> list[str]:
        """What the model makes of words: how it goes on from each, by greedy decoding."""
        prefixes = [_ids(word) for word in words]
        hypotheses = decode(model, None, prefix=prefixes, max_steps=self.length, top_k=0)
        return [_text(each.ids)[: self.length + 1] for each in hypotheses]

    def pair(self) -> Pair:
        """The answer to the word that is watched, with the labels of its tokens."""
        answer = self.answer(WATCHED)
        return _pair(answer, [BOS, *_ids(answer), EOS], [], "")


Toy = Reverse | Repeat
"""A task that a small Transformer learns in some hundred steps."""

TOYS: dict[ToyName, Toy] = {"reverse": Reverse(), "repeat": Repeat(), "one_layer": Repeat(layers=1)}


def _fresh(*, encoder: int, decoder: int, heads: int, longest: int) -> Model:
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(SEED)
        size = len(LABELS)
        return build_model(
            TransformerConfig(
                src_vocab_size=size if encoder else 0,
                tgt_vocab_size=size,
                d_model=64,
                num_heads=heads,
                num_encoder_layers=encoder,
                num_decoder_layers=decoder,
                d_ff=128,
                dropout=0.0,
                max_length=longest,
                tied_embeddings="all" if encoder else "output",
                banned_ids=(PAD, BOS),
            )
        ).eval()


def _ids(word: str) -> list[int]:
    return [LABELS.index(letter) for letter in word]


def _text(ids: Sequence[int]) -> str:
    return "".join(LABELS[i] for i in ids if i > EOS)


def _pair(answer: str, target: Sequence[int], src: Sequence[int], source: str) -> Pair:
    labels = [LABELS[i] for i in target]
    src_labels = [LABELS[i] for i in src]
    return Pair(
        source=source, target=answer, src=src_labels, tgt_in=labels[:-1], tgt_out=labels[1:]
    )
