"""Text files → token ids → batches of about the same number of tokens."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from torch import Tensor, nn

from ..errors import HeadlightError
from ..model.padding import pad
from ..text.lines import is_blank, read_lines
from ..text.normalise import normalised
from ..text.tokenizer import BOS_ID, EOS_ID, PAD_ID, Tokenizer
from .errors import TrainingError

POOL = 50
"""Batches whose examples are sorted by length together."""


@dataclass(frozen=True)
class Text:
    """One line of a corpus; `source` is empty in text for a decoder-only model."""

    source: str
    target: str


@dataclass(frozen=True)
class Example:
    """A `Text` as ids: `src` ends in </s>; `tgt` starts with <s> and ends in </s>."""

    text: Text
    src: list[int]
    tgt: list[int]


def read_pairs(path: Path) -> list[Text]:
    """Reads `source TAB target` lines.

    Raises:
        TrainingError: the file is missing, empty or not UTF-8, or a line is not a pair.
    """
    texts: list[Text] = []
    for number, line in enumerate(lines_of(path), start=1):
        columns = line.split("\t")
        if is_blank(line) and len(columns) != 2:
            raise TrainingError(f"{path}, line {number} is blank: take it out")
        if len(columns) != 2:
            raise TrainingError(
                f"{path}, line {number}: a pair is two columns with one TAB between them, "
                f"but this line has {len(columns)}"
            )
        source, target = (column.strip() for column in columns)
        if is_blank(source) or is_blank(target):
            side = "first" if is_blank(source) else "second"
            raise TrainingError(f"{path}, line {number}: the {side} column is empty")
        texts.append(Text(source, target))
    return texts


def read_text(path: Path) -> list[Text]:
    """Reads plain text, one example a line, for a decoder-only model; blank lines are skipped.

    Raises:
        TrainingError: the file is missing, empty or not UTF-8.
    """
    texts = [Text("", line.strip()) for line in lines_of(path) if not is_blank(line)]
    if not texts:
        raise TrainingError(f"{path} holds only blank lines")
    return texts


def lines_of(path: Path) -> list[str]:
    """The lines of a text file.

    Raises:
        TrainingError: it is missing, empty or not UTF-8.
    """
    try:
        lines = list(read_lines(path))
    except OSError as error:
        raise TrainingError(f"cannot read {path}: {error.strerror}") from error
    except HeadlightError as error:
        raise TrainingError(str(error)) from error
    if lines in ([], [""]):
        raise TrainingError(f"{path} is empty")
    return lines


def encode(
    texts: Sequence[Text],
    tokenizer: Tokenizer,
    max_length: int,
    sampling_alpha: float = 0.0,
    *,
    tgt_tokenizer: Tokenizer | None = None,
    normalise: bool = False,
    bos_id: int = BOS_ID,
    eos_id: int = EOS_ID,
) -> list[Example]:
    """The texts as ids, without those that are longer than `max_length` tokens.

    Args:
        texts: what to encode.
        tokenizer: of both languages, or of the source's.
        max_length: the most tokens that either side may have.
        sampling_alpha: if above 0, texts are cut by chance: see `Tokenizer.sample`.
        tgt_tokenizer: the target's own, if it has one.
        normalise: whether the model reads sources, or a decoder alone its text, normalised.
        bos_id: what a target starts with.
        eos_id: what both sides end in.

    Raises:
        TrainingError: every one of them is too long.
    """

    def cut(cutter: Tokenizer, text: str) -> list[int]:
        return cutter.sample(text, sampling_alpha) if sampling_alpha else cutter.encode(text)

    def as_read(text: Text) -> Text:
        if not normalise:
            return text
        if text.source:
            return replace(text, source=normalised(text.source, tokenizer))
        return replace(text, target=normalised(text.target, tokenizer))

    examples = [
        Example(
            text,
            [*cut(tokenizer, read.source), eos_id] if read.source else [],
            [bos_id, *cut(tgt_tokenizer or tokenizer, read.target), eos_id],
        )
        for text, read in ((text, as_read(text)) for text in texts)
    ]
    # The decoder reads `tgt` without its last token.
    fitting = [e for e in examples if max(len(e.src), len(e.tgt) - 1) <= max_length]
    if not fitting:
        raise TrainingError(f"every example is longer than max_length ({max_length} tokens)")
    return fitting


def longest_source(examples: Sequence[Example]) -> int:
    """How many tokens, without the one that ends it, all sources but one in a hundred have at most.

    0 for a model without an encoder. Measured on `en-zh`, where it is 25: of one sentence it writes
    0.83 tokens for each that it reads; of several at once, 20, 30 and 51 tokens long, 0.76, 0.63
    and 0.45.
    """
    lengths = sorted(max(0, len(example.src) - 1) for example in examples)
    return lengths[(len(lengths) - 1) * 99 // 100]


def batch_stream(
    examples: Sequence[Example], batch_tokens: int, seed: int
) -> Iterator[tuple[int, list[int]]]:
    """Endless batches, the same for the same seed: a position in it is just a number of steps.

    Within an epoch examples of like length share a batch, so that little is spent on padding, and
    batches come in random order. An epoch is parted at random into pools of about `POOL` batches:
    sorted as a whole, all copies of a short phrase would share one batch, one update of its words.

    Args:
        examples: what to batch.
        batch_tokens: the most tokens, padding included, on either side of a batch; an example
            longer than that is a batch of its own.
        seed: of the order.
    Yields:
        the epoch, from 0, and the batch's indices into `examples`.
    """
    src_lengths = np.array([len(example.src) for example in examples])
    tgt_lengths = np.array([len(example.tgt) - 1 for example in examples])
    widths = np.maximum(src_lengths, tgt_lengths)
    pools = max(1, int(widths.sum()) // (POOL * batch_tokens))
    epoch = 0
    while True:
        generator = np.random.default_rng((seed, epoch))
        shuffled = generator.random(len(examples))
        order = np.lexsort((shuffled, src_lengths, tgt_lengths, np.floor(shuffled * pools)))
        batches: list[list[int]] = [[]]
        width = 0
        for index in order.tolist():
            width = max(width, int(widths[index]))
            if batches[-1] and width * (len(batches[-1]) + 1) > batch_tokens:
                batches.append([])
                width = int(widths[index])
            batches[-1].append(index)
        for number in generator.permutation(len(batches)).tolist():
            yield epoch, batches[number]
        epoch += 1


def collate(examples: Sequence[Example], pad_id: int = PAD_ID) -> tuple[Tensor, Tensor]:
    """Examples, padded at the end → src int64 [batch, src] and tgt int64 [batch, tgt + 1]."""
    return pad([e.src for e in examples], pad_id), pad([e.tgt for e in examples], pad_id)


def predict(model: nn.Module, src: Tensor, tgt: Tensor) -> Tensor:
    """Teacher forcing: logits [batch, tgt, vocab] for each of `tgt` [batch, tgt + 1] but its first.

    An empty source, [batch, 0], is a decoder-only model's.
    """
    return model(src, tgt[:, :-1]) if src.size(1) else model(tgt[:, :-1])
