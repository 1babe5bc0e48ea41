"""A guest's answer as it crosses from its process to the server, which keeps it a while."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, cast

from ...ask.options import bad_request
from ...trace.head_names import parse_choice
from ...trace.kinds import KINDS, Kind
from ...trace.parts import HeadsInParts
from ..wire.answers import as_json


@dataclass(frozen=True, eq=False)
class Answered:
    """An answer, and of a large trace all of its heads, which travel as they are asked for.

    Attributes:
        body: JSON; of a large trace, what travels first, but for its heads.
        heads: by kind; none of what travels whole.
        openings: the heads that a page opens with, "cross.L2H4".
    """

    body: bytes
    heads: Mapping[Kind, HeadsInParts] = field(default_factory=dict[Kind, HeadsInParts])
    openings: tuple[str, ...] = ()

    def __len__(self) -> int:
        """Bytes of memory."""
        return len(self.body) + sum(each.parts.nbytes for each in self.heads.values())

    def header(self) -> dict[str, Any]:
        """What is to be read, as JSON values; `buffers` are that, one after the other."""
        heads = {kind: it.payload() | {"bytes": it.parts.nbytes} for kind, it in self.heads.items()}
        return {"size": len(self.body), "heads": heads, "openings": list(self.openings)}

    def buffers(self) -> list[Any]:
        """The bytes of it."""
        return [self.body, *(each.parts.data for each in self.heads.values())]

    @classmethod
    def read(cls, header: Mapping[str, Any], read: Callable[[int], bytes]) -> "Answered":
        """The inverse of `header` and `buffers`.

        Args:
            header: as `header` has it.
            read: so many of the bytes that follow.
        """
        body = read(header["size"])
        heads: dict[Kind, HeadsInParts] = {
            cast(Kind, kind): HeadsInParts.read(it, read(it["bytes"]))
            for kind, it in header["heads"].items()
        }
        return cls(body, heads, tuple(header["openings"]))

    def trace(self, names: Sequence[str]) -> bytes:
        """What travels first: with the heads that a page opens with, and those that it shows.

        Args:
            names: as `weights` takes them; what another model has, this one may lack.
        """
        if not self.heads:
            return self.body
        wanted = dict.fromkeys((*self.openings, *filter(self._has, names)))
        return self.body[:-1] + b"," + self.weights([*wanted])[1:]

    def weights(self, names: Sequence[str]) -> bytes:
        """Heads and aggregates: {"weights": {kind: {"names", "packed"}}}.

        Args:
            names: "cross.L2H4", "decoder_self.L3.mean".
        Raises:
            HeadlightError: there is no such head here.
        """
        by_kind: dict[Kind, list[str]] = {}
        for name in names:
            if not self._has(name):
                raise bad_request(f"{name[:60]!r} is no head that could be sent alone.")
            kind, choice = name.split(".", 1)
            by_kind.setdefault(cast(Kind, kind), []).append(choice)
        packed = {
            kind: {"names": own, "packed": self.heads[kind].packed(own)}
            for kind, own in by_kind.items()
        }
        return as_json({"weights": packed})

    def _has(self, name: str) -> bool:
        kind, _, choice = name.partition(".")
        try:
            return (
                kind in KINDS and kind in self.heads and self.heads[kind].has(parse_choice(choice))
            )
        except ValueError:
            return False
