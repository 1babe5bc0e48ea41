"""Text files of any length, as the sentences that a model reads: one line after another."""

import re
from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import NamedTuple

from ..ask.observed import Ids
from ..decoding import decode
from ..errors import HeadlightError
from ..model.padding import pad
from ..text.lines import is_blank, read_lines
from ..translator import Translator

ROWS = 32
"""Lines that are translated at a time."""

Pair = tuple[Ids, Ids]

_COLUMNS = re.compile(r"(.+?)(?::([1-9]),([1-9]))?", re.DOTALL)


class DataFile(NamedTuple):
    """A file of sentences.

    Attributes:
        path: where it lies.
        columns: the TAB-separated columns of source and target, from 1; None where a line holds
            nothing else.
    """

    path: Path
    columns: tuple[int, int] | None = None

    @classmethod
    def parse(cls, text: str) -> "DataFile":
        """A corpus from "FILE" or "FILE:SOURCE,TARGET"."""
        match = _COLUMNS.fullmatch(text)
        path, source, target = match.groups() if match else (text, None, None)
        return cls(Path(path), (int(source), int(target)) if source and target else None)

    def pairs(self) -> Iterator[tuple[str, str]]:
        """The lines that hold both a source and a target.

        Raises:
            HeadlightError: the file is no text.
            OSError: it cannot be read.
        """
        for line in read_lines(self.path):
            if pair := self.pair(line.split("\t")):
                yield pair

    def pair(self, texts: list[str]) -> tuple[str, str] | None:
        """Source and target among a line's columns, if it has both."""
        source, target = self.columns or (1, 2)
        return (texts[source - 1], texts[target - 1]) if max(source, target) <= len(texts) else None


class Corpus:
    """The sentences of some files, read as they are asked for.

    A line is `source TAB target`; or only a source, which the model then translates itself; or,
    for a decoder-only model, a text. Blank lines are skipped.

    Attributes:
        too_long: how many lines were left out so far, because the model takes no more tokens.
    """

    def __init__(self, translator: Translator, files: Sequence[DataFile]) -> None:
        self.translator = translator
        self.files = files
        self.too_long = 0

    def pairs(self, read: Callable[[int], object] = lambda _: None) -> Iterator[Pair]:
        """The ids of source and target, as `observe` wants them.

        Args:
            read: told, line by line, how many bytes were read.
        Raises:
            HeadlightError: a file is not UTF-8, or a line has more than two columns of which none
                are named.
            OSError: it cannot be read.
        """
        lines = (line for file in self.files for line in self._lines(file, read))
        while batch := list(islice(lines, ROWS)):
            yield from self._encode(batch)

    def _lines(self, file: DataFile, read: Callable[[int], object]) -> Iterator[tuple[str, str]]:
        for number, text in enumerate(read_lines(file.path, read), 1):
            columns = text.split("\t")
            if file.columns:
                columns = [*(file.pair(columns) or ())]
            elif len(columns) > (1 if self.translator.config.decoder_only else 2):
                raise HeadlightError(
                    "bad_data",
                    f"{file.path}, line {number} has {len(columns)} columns, with TABs between "
                    "them: name two, as FILE:SOURCE,TARGET",
                )
            source, target = (*(column.strip() for column in columns), "", "")[:2]
            if not is_blank(source):
                yield source, "" if is_blank(target) else target

    def _encode(self, lines: list[tuple[str, str]]) -> Iterator[Pair]:
        translator, config = self.translator, self.translator.config
        encoded: list[tuple[list[int], list[int] | None]] = []
        for first, second in lines:
            ids = translator.encode(first)
            if config.decoder_only:
                src, tgt = [], [config.bos_id, *ids, config.eos_id]
            else:
                src, tgt = [*ids, config.eos_id], None
                if second:
                    written = translator.tgt_tokenizer.encode(second)
                    tgt = [config.bos_id, *written, config.eos_id]
            # The decoder reads a target without its last token.
            if max(len(src), len(tgt or []) - 1) > config.max_length:
                self.too_long += 1
            else:
                encoded.append((src, tgt))
        written = iter(self._translate([src for src, tgt in encoded if tgt is None]))
        for src, tgt in encoded:
            yield src, tgt or next(written)

    def _translate(self, sources: list[list[int]]) -> list[list[int]]:
        if not sources:
            return []
        translator, config = self.translator, self.translator.config
        batch = pad(sources, config.pad_id, translator.device)
        return [[config.bos_id, *h.ids] for h in decode(translator.model, batch, top_k=0)]
