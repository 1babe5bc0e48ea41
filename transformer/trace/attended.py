"""Sentences and the attention that was paid in them: a trace, or one sentence of a corpus."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol

from .candidates import Glosses
from .kinds import Kind, Tokens
from .packing import Weights


class Attended(Tokens, Protocol):
    """A sentence (pair) and the attention that was paid in it: a trace, say."""

    def weights(self, kind: Kind) -> Weights | None:
        """The weights of one kind, [layer, head, query, key]."""
        ...


@dataclass(frozen=True, eq=False)
class Observed:
    """One sentence of a corpus, its target forced.

    Attributes:
        src, tgt_in, tgt_out: labels of tokens, as in a trace.
        by_kind: float32 [layer, head, query, key] for each kind that the model has.
        glosses: of `src` and `tgt_out`; None of a model without a lexicon.
    """

    src: tuple[str, ...]
    tgt_in: tuple[str, ...]
    tgt_out: tuple[str, ...]
    by_kind: Mapping[Kind, Weights]
    glosses: Glosses | None = None

    def weights(self, kind: Kind) -> Weights | None:
        """The weights of one kind, [layer, head, query, key]."""
        return self.by_kind.get(kind)
