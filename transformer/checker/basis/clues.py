"""What a probe or a look inside has found, before it is put into words."""

from dataclasses import dataclass, field
from typing import Literal

Severity = Literal["error", "warning", "advice"]

# An error keeps a model from learning what it should or makes its figures wrong; a warning costs
# quality, speed of learning or memory; advice is about what may well be meant.
ERRORS = (
    *("future_leak", "causal_off_by_one", "mask_inverted", "padding_attended", "cross_mask_wrong"),
    *("mask_after_softmax", "mask_value_too_small", "nan_on_padded_row", "softmax_axis"),
    *("heads_mixed", "batch_leak", "no_positions", "positions_not_reset", "cross_reads_target"),
    *("memory_ignored", "residual_missing", "layers_not_run", "made_in_forward"),
    *("dropout_in_eval", "scale_inverted", "target_not_shifted", "target_shift_wrong"),
    *("softmax_before_cross_entropy", "log_softmax_missing", "logits_reshaped"),
    *("not_registered", "gradient_cut", "prefix_differs", "norm_inverted"),
)
WARNINGS = (
    *("scale_missing", "scale_wrong", "positions_twice", "shared_layers", "value_from_key"),
    *("key_from_query", "output_projection_missing", "activation_missing", "residual_from_norm"),
    *("norm_missing", "parameter_unused", "pad_in_loss"),
)
ADVICE = ("embedding_scale", "weights_after_dropout", "causal_in_encoder")
SEVERITIES: dict[str, Severity] = {
    **dict.fromkeys(ERRORS, "error"),
    **dict.fromkeys(WARNINGS, "warning"),
    **dict.fromkeys(ADVICE, "advice"),
}
CODES = tuple(SEVERITIES)
OF_CROSS = {"cross_mask_wrong", "cross_reads_target", "memory_ignored"}
OF_TARGET = {"future_leak", "causal_off_by_one", "prefix_differs"}
OF_LOSS = {
    *("target_not_shifted", "target_shift_wrong", "pad_in_loss", "softmax_before_cross_entropy"),
    *("log_softmax_missing", "logits_reshaped"),
}
INSIDE = {
    *("mask_after_softmax", "mask_value_too_small", "softmax_axis", "heads_mixed"),
    *("scale_missing", "scale_inverted", "scale_wrong", "value_from_key", "key_from_query"),
    *("output_projection_missing", "residual_missing", "residual_from_norm", "norm_missing"),
    *("activation_missing", "embedding_scale", "positions_twice", "shared_layers"),
    *("layers_not_run", "weights_after_dropout", "causal_in_encoder"),
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


@dataclass(frozen=True)
class Reason:
    """Why a code could not be judged: a sentence of the locale files, and its values."""

    name: str
    values: dict[str, Number] = field(default_factory=dict[str, Number])


class Clues:
    """All clues of one check, the codes that could not be judged, and why."""

    def __init__(self) -> None:
        self.items: list[Clue] = []
        self.unknown: dict[str, Reason] = {}

    def add(self, code: str, evidence: str = "", /, **values: Number) -> None:
        """Notes a clue; its evidence is called as the code is, unless there are several."""
        self.items.append(Clue(code, evidence or code, values))

    def cannot_tell(self, reason: str, *codes: str, **values: Number) -> None:
        """Notes that codes could not be judged here; the first reason stays."""
        for code in codes:
            self.unknown.setdefault(code, Reason(reason, values))

    def take(self, other: "Clues") -> None:
        """Goes on with what somebody else found, too."""
        self.items += other.items
        self.unknown = {**other.unknown, **self.unknown}

    def has(self, *codes: str) -> bool:
        """Whether one of these has been found."""
        return any(clue.code in codes for clue in self.items)
