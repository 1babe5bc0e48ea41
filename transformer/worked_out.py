"""One head's arithmetic, from queries and keys to weights: what a trace leaves out."""

from dataclasses import asdict, dataclass
from typing import Any

from torch import Tensor

from .config import TransformerConfig
from .errors import HeadlightError
from .hooks import Kind, Projections, Recording, num_layers
from .trace import Weights, pack, read_only


@dataclass(frozen=True, kw_only=True, eq=False)
class WorkedOut:
    """Everything that one head computed, all of it float32.

    The softmax of a row of `scores`, over the keys that the row may attend to, is its row of
    `weights`; these times `value` are the head's output.

    Attributes:
        query: [query, d_head]
        key: [key, d_head]
        value: [key, d_head]
        scores: [query, key], q·k / √d_head before masking, after any intervention.
        weights: [query, key], each row sums to 1; 0 if an intervention switched the head off.
    """

    query: Weights
    key: Weights
    value: Weights
    scores: Weights
    weights: Weights

    def to_dict(self) -> dict[str, Any]:
        """Each array as {"shape", "dtype", "data"}, as a trace packs its weights."""
        return {name: pack(array, "float32") for name, array in asdict(self).items()}


def check_head(config: TransformerConfig, kind: Kind, layer: int, head: int) -> None:
    """Refuses a head that a model of this config does not have.

    Raises:
        HeadlightError: naming what the model has.
    """
    layers = num_layers(config, kind)
    if not (0 <= layer < layers and 0 <= head < config.num_heads):
        raise HeadlightError(
            "unknown_head",
            f"There is no head {head} in layer {layer} of {kind}: this model has {layers} layers "
            f"of it with {config.num_heads} heads each, both counted from 0.",
        )


def worked_out(
    projections: Projections, recording: Recording, kind: Kind, layer: int, head: int
) -> WorkedOut:
    """One head of what was recorded in a pass over a batch of one."""

    def of_head(tensor: Tensor) -> Weights:
        return read_only(tensor[0, head].cpu().numpy())

    return WorkedOut(
        query=of_head(projections.query),
        key=of_head(projections.key),
        value=of_head(projections.value),
        scores=of_head(recording.scores[kind][layer]),
        weights=of_head(recording.weights[kind][layer]),
    )
