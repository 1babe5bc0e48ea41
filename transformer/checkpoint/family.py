"""What there is to know of a family of other people's models before one becomes a checkpoint."""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from ..errors import CheckpointError
from ..model.config import TransformerConfig
from ..model.towers import Model
from ..text.tokenizer import Tokenizer


@dataclass(frozen=True, kw_only=True)
class Family:
    """How models of one type are read, out of the folder that `save_pretrained` wrote.

    Attributes:
        files: what is read beside the weights; nothing else is fetched from the hub.
        config: the configuration in our terms.
        tokenizers: of source and target, as the configuration wants them.
        check: refuses weights whose values our Transformer cannot have.
        place: puts every weight in its place, or refuses; asked for shapes alone first, on the meta
            device. What is wrong is the file's at the path.
        card: of a checkpoint of this name: title, languages and examples, as far as files tell.
        readme: the model card of a checkpoint of this name, and where it comes from.
    """

    files: tuple[str, ...]
    config: Callable[[Path], TransformerConfig]
    tokenizers: Callable[[Path, TransformerConfig], tuple[Tokenizer, Tokenizer | None]]
    check: Callable[[TransformerConfig, Mapping[str, Tensor], Path], None]
    place: Callable[[Model, Mapping[str, Tensor], Path], None]
    card: Callable[[str, Path, Tokenizer], dict[str, Any]]
    readme: Callable[[str, str, Path], str]


def place(
    model: Model,
    weights: Mapping[str, Tensor],
    names: Callable[[str], Sequence[Sequence[str]]],
    unread: Collection[str],
    path: Path,
) -> None:
    """Fills a model's parameters with weights of other names.

    Args:
        model: whose.
        weights: by their names, each in its parameter's shape or with fewer rows.
        names: of the parts of one of our parameters, which lie on top of one another; each has one
            name, or is whichever comes first.
        unread: names that may be there, and have no place.
        path: of their file, for the sentence.
    Raises:
        CheckpointError: a weight is missing, unknown, or of another shape.
    """
    expected = {*unread}
    for ours, parameter in model.named_parameters():
        theirs: list[str] = []
        for alternatives in names(ours):
            expected.update(alternatives)
            present = next((name for name in alternatives if name in weights), None)
            if present is None:
                raise CheckpointError(path, f"the weights of {alternatives[0]} are missing")
            theirs.append(present)
        parts = [weights[name] for name in theirs]
        shape = _joint_shape([list(part.shape) for part in parts])
        if shape != list(parameter.shape):
            raise CheckpointError(
                path,
                f"{' and '.join(theirs)} would together have shape {shape}, but config.json asks "
                f"for {list(parameter.shape)}"
                if len(theirs) > 1
                else f"{theirs[0]} has shape {shape}, but config.json asks for "
                f"{list(parameter.shape)}",
            )
        parameter.copy_(torch.cat(parts))
    if unknown := sorted(weights.keys() - expected):
        raise CheckpointError(path, f"config.json describes no weights named {unknown[0]}")


def _joint_shape(shapes: list[list[int]]) -> list[int]:
    """The shape of parts on top of one another; empty if they do not fit."""
    widths = {tuple(shape[1:]) for shape in shapes}
    if len(widths) > 1 or not all(shapes):
        return []
    return [sum(shape[0] for shape in shapes), *widths.pop()]
