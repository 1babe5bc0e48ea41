"""The eight exercises, one a file: what a right answer is, and what the usual wrong ones are."""

from . import (
    attention,
    decoder_layer,
    decoding,
    encoder_layer,
    heads,
    loss,
    masks,
    positions,
)
from .exercise import Exercise

EXERCISES: dict[str, Exercise] = {
    "attention": Exercise(attention.judge),
    "masks": Exercise(masks.judge),
    "heads": Exercise(heads.judge, needs=("attention",)),
    "positions": Exercise(positions.judge),
    "encoder_layer": Exercise(encoder_layer.judge, needs=("attention", "heads")),
    "decoder_layer": Exercise(decoder_layer.judge, needs=("attention", "heads")),
    "loss": Exercise(loss.judge),
    "decoding": Exercise(decoding.judge),
}
"""In the order of the course; each is a file of this name in a student's folder."""
