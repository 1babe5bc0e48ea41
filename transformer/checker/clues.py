"""What a probe or a look inside has found, before it is put into words."""

from dataclasses import dataclass, field

CODES = (
    "future_leak",
    "causal_off_by_one",
    "mask_inverted",
    "padding_attended",
    "cross_mask_wrong",
    "mask_after_softmax",
    "mask_value_too_small",
    "nan_on_padded_row",
    "softmax_axis",
    "heads_mixed",
    "scale_missing",
    "scale_inverted",
    "batch_leak",
    "no_positions",
    "positions_not_reset",
    "embedding_scale",
    "shared_layers",
    "value_from_key",
    "output_projection_missing",
    "cross_reads_target",
    "memory_ignored",
    "residual_missing",
    "norm_missing",
    "dropout_in_eval",
    "weights_after_dropout",
    "target_not_shifted",
    "pad_in_loss",
    "softmax_before_cross_entropy",
)
ADVICE = {"embedding_scale"}
NEEDS_SOURCE = {"padding_attended", "cross_mask_wrong", "cross_reads_target", "memory_ignored"}
OF_LOSS = {"target_not_shifted", "pad_in_loss", "softmax_before_cross_entropy"}
INSIDE = {
    "mask_after_softmax",
    "mask_value_too_small",
    "softmax_axis",
    "heads_mixed",
    "scale_missing",
    "scale_inverted",
    "value_from_key",
    "output_projection_missing",
    "residual_missing",
    "norm_missing",
    "embedding_scale",
    "shared_layers",
    "weights_after_dropout",
}

Number = int | float | str


@dataclass(frozen=True)
class Clue:
    """One sign of one bug.

    Attributes:
        code: of the table.
        evidence: which sentence of the locale files tells it.
        values: its numbers and names.
    """

    code: str
    evidence: str
    values: dict[str, Number] = field(default_factory=dict[str, Number])


class Clues:
    """All clues of one check, and the codes that could not be judged."""

    def __init__(self) -> None:
        self.found: list[Clue] = []
        self.unknown: set[str] = set()

    def add(self, code: str, evidence: str, **values: Number) -> None:
        """Notes a clue."""
        self.found.append(Clue(code, evidence, values))

    def cannot_tell(self, *codes: str) -> None:
        """Notes that codes could not be judged here."""
        self.unknown.update(codes)

    def has(self, *codes: str) -> bool:
        """Whether one of these has been found."""
        return any(clue.code in codes for clue in self.found)
