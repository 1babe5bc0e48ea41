"""Batches made for probing, out of the tokens and the padding of the user's own."""

from dataclasses import dataclass, replace
from itertools import islice
from typing import cast

import torch
from torch import Tensor


@dataclass(frozen=True)
class Batch:
    """Token ids: `src` [batch, src] (None for one tower alone) and `tgt` [batch, tgt].

    Attributes:
        encoder: the one tower is an encoder, which may look ahead.
    """

    src: Tensor | None
    tgt: Tensor
    encoder: bool = False

    def with_token(self, side: str, row: int, position: int, token: int) -> "Batch":
        """A copy in which one token is another."""
        ids = self.ids_of(side).clone()
        ids[row, position] = token
        return replace(self, **{side: ids})

    def swapped(self, side: str, first: int, second: int) -> "Batch":
        """A copy in which two tokens have changed places, in every row."""
        ids = self.ids_of(side).clone()
        ids[:, [first, second]] = ids[:, [second, first]]
        return replace(self, **{side: ids})

    def ids_of(self, side: str) -> Tensor:
        """The ids of a side, "src" or "tgt", which must be there: int64 [batch, length]."""
        ids = self.src if side == "src" else self.tgt
        assert ids is not None
        return ids

    def rows(self, order: list[int]) -> "Batch":
        """A batch of some of the rows, in a given order."""
        return replace(self, src=None if self.src is None else self.src[order], tgt=self.tgt[order])


@dataclass(frozen=True)
class Maker:
    """Makes batches like the user's.

    Attributes:
        own: the user's batch.
        pad_id: the padding token.
        src_vocab, tgt_vocab: how many tokens the embeddings know; 0 if unknown.
        avoid: a token that may be padding, too; None if there is none.
    """

    own: Batch
    pad_id: int
    src_vocab: int = 0
    tgt_vocab: int = 0
    avoid: int | None = None

    def pool(self, side: str) -> list[int]:
        """Tokens to choose from: the user's own, then any other that the embedding knows."""
        ids, vocab = self.own.ids_of(side), self.src_vocab if side == "src" else self.tgt_vocab
        seen = distinct(ids[:, 1:]) or distinct(ids)
        used = [i for i in seen if i not in {self.pad_id, self.avoid} and i >= 0]
        first = int(ids[0, 0]) if side == "src" else self.start
        used = [i for i in used if i != first] or used
        taken = {*used, self.pad_id, self.avoid, first}
        spare = (i for i in range(vocab - 1, 2, -1) if i not in taken)
        return used + list(islice(spare, max(0, 40 - len(used))))

    @property
    def start(self) -> int:
        """The token that targets begin with; padding only if all of them do, as Marian's."""
        firsts = distinct(self.own.tgt[:, 0])
        return next((token for token in firsts if token != self.pad_id), self.pad_id)

    def plain(self, batch: int, src: int, tgt: int) -> Batch:
        """Rows without padding, in which no token comes twice where there are enough of them."""
        made_tgt = self._rows("tgt", batch, tgt)
        made_tgt[:, 0] = self.start
        if self.own.src is None:
            return replace(self.own, tgt=made_tgt)
        return Batch(self._rows("src", batch, src), made_tgt)

    def _rows(self, side: str, batch: int, length: int) -> Tensor:
        pool = self.pool(side)
        while len(pool) < length:
            pool = pool + pool
        generator = torch.Generator().manual_seed(1)
        rows = [torch.randperm(len(pool), generator=generator)[:length] for _ in range(batch)]
        ids = torch.tensor(pool)[torch.stack(rows)]
        return ids.to(self.own.tgt.device)

    def other(self, side: str, *avoid: int) -> int:
        """A token that is none of these."""
        pool = self.pool(side)
        return next((i for i in pool if i not in avoid), pool[0])

    def padded(self, plain: Batch) -> Batch:
        """A batch with padding, more or less of it, at the ends of all rows but the first.

        One row alone is padded, too.
        """
        of_src, of_tgt = ([2], [1]) if len(plain.tgt) == 1 else ([0, 2, 1], [0, 1, 2])
        src = None if plain.src is None else self._pad(plain.src, of_src, self.left(plain.src))
        return replace(plain, src=src, tgt=self._pad(plain.tgt, of_tgt, self.left(self.own.tgt)))

    def left(self, ids: Tensor) -> bool:
        """Whether the user's rows of this side, [batch, length], are padded on the left.

        Two leading padding tokens are no start token.
        """
        own = self.own.src if ids is not self.own.tgt else self.own.tgt
        if own is None or own.size(1) < 3:
            return False
        return bool((own[:, :2] == self.pad_id).all(1).any())

    def _pad(self, ids: Tensor, counts: list[int], left: bool) -> Tensor:
        ids = ids.clone()
        for row, count in zip(ids, counts * len(ids), strict=False):
            count = min(count, len(row) - 2)
            if count > 0:
                row[slice(0, count) if left else slice(-count, None)] = self.pad_id
        return ids


def distinct(numbers: Tensor) -> list[int]:
    """The different whole numbers of a tensor of any shape, smallest first."""
    return sorted(set(cast(list[int], numbers.flatten().tolist())))


def is_padded(own: Batch, pad_id: int) -> bool:
    """Whether rows end in padding, or begin with more of it than one token to start with.

    An id that occurs between others is a word, as in data of single characters.
    """
    return any(_is_filled(ids, pad_id) for ids in (own.src, own.tgt) if ids is not None)


def _is_filled(ids: Tensor, pad_id: int) -> bool:
    inside = ids == pad_id
    after, before = _run(inside.flip(1)).flip(1), _run(inside)
    before &= inside[:, 1:2]  # one alone starts a target
    within = inside & ~after & ~before
    return bool((after | before).any()) and not bool(within[:, 1:].any())


def _run(inside: Tensor) -> Tensor:
    """The cells, bool as `inside`, that begin a row without a gap."""
    return inside.long().cumprod(1).bool()


def other_padding(own: Batch, pad_id: int) -> int | None:
    """A token that looks like the padding: rows end in runs of it, and `pad_id` never occurs.

    None where there is none.
    """
    every = [ids for ids in (own.src, own.tgt) if ids is not None]
    if any(bool((ids == pad_id).any()) for ids in every):
        return None
    for ids in every:
        for last in distinct(ids[:, -1]):
            inside = ids == last
            trailing = _run(inside.flip(1)).flip(1)
            if bool(trailing[:, -2:].all(1).any()) and bool((trailing == inside).all()):
                return last
    return None
