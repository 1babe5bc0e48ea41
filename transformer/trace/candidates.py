"""What a trace says of its tokens: what might have stood in their place, and what they mean."""

from typing import Any, NamedTuple


class Candidate(NamedTuple):
    """A token that the model might have emitted.

    Attributes:
        probability: the model's own.
        drawn: in the distribution that was sampled, after temperature and top-k; None for greedy
            decoding, and in traces of before this was recorded.
    """

    token: str
    id: int
    probability: float
    drawn: float | None = None

    def payload(self) -> dict[str, Any]:
        """JSON values; a trace has so many that `_asdict` would take twice the time."""
        token, id, probability, drawn = self
        return {"token": token, "id": id, "probability": probability, "drawn": drawn}


class Glosses(NamedTuple):
    """What tokens mean in the other language; a word's gloss stands at its first piece.

    Attributes:
        src: of each source token; None where it has none.
        tgt: of each emitted token.
    """

    src: tuple[str | None, ...]
    tgt: tuple[str | None, ...]
