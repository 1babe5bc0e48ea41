"""The nine exercises, one a file: what a right answer is, and what the usual wrong ones are."""

from . import (
    attention,
    decoder_layer,
    decoding,
    encoder_layer,
    loss,
    masks,
    multi_head,
    positions,
    training,
)
from .exercise import Exercise

EXERCISES: dict[str, Exercise] = {
    "attention": Exercise(attention.judge),
    "masks": Exercise(masks.judge),
    "heads": Exercise(multi_head.judge, needs=("attention",)),
    "positions": Exercise(positions.judge),
    "encoder_layer": Exercise(encoder_layer.judge, needs=("attention", "heads")),
    "decoder_layer": Exercise(decoder_layer.judge, needs=("attention", "heads")),
    "loss": Exercise(loss.judge),
    "decoding": Exercise(decoding.judge),
    "training": Exercise(training.judge, needs=("loss",)),
}
"""Exercises in the order of the course; each is a file of this name in a student's folder."""
