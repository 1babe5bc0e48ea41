"""What a run needs to go on exactly where it was killed.

The random numbers and the position in the data are functions of the step, so the step is all that
is saved of them.
"""

import io
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import torch

from ..checkpoint.pickled import why_unread
from ..checkpoint.whole import write_whole
from ..model.towers import Model
from .errors import TrainingError
from .optimizer import AnyOptimizer

FILE = "state.pt"


@dataclass
class Progress:
    """How far a run has come.

    Attributes:
        step: batches learned from.
        seconds: spent on learning.
        loss, tokens, since: summed loss, target tokens and seconds since the last measurement.
        best: the best measurement's figure; higher is better.
        since_best: measurements since then.
        curve: one row a measurement, as in `curve.csv`.
    """

    step: int = 0
    seconds: float = 0.0
    loss: float = 0.0
    tokens: int = 0
    since: float = 0.0
    best: float = -float("inf")
    since_best: int = 0
    curve: list[dict[str, float]] = field(default_factory=list[dict[str, float]])

    @property
    def speed(self) -> float:
        """Target tokens a second since the last measurement."""
        return self.tokens / self.since if self.since else 0.0

    def add(self, loss: float, tokens: int, seconds: float) -> None:
        """Counts one step's summed loss, target tokens and time."""
        self.seconds += seconds
        self.since += seconds
        self.loss += loss
        self.tokens += tokens

    def start_interval(self) -> None:
        """A measurement has been made: the next one counts from here."""
        self.loss, self.tokens, self.since = 0.0, 0, 0.0


def save_state(folder: Path, progress: Progress, model: Model, optimizer: AnyOptimizer) -> None:
    """Writes the state whole, or leaves the earlier one."""
    state = {
        "progress": asdict(progress),
        "model": model.state_dict(),
        "optimizer": optimizer.state_dict(),
    }
    buffer = io.BytesIO()
    torch.save(state, buffer)
    write_whole(folder / FILE, buffer.getvalue())


def load_state(folder: Path, model: Model, optimizer: AnyOptimizer) -> Progress:
    """Restores `model` and `optimizer`; a folder without a state leaves them, at step 0.

    Raises:
        TrainingError: the file is damaged, or this PyTorch's unpickler is not to be trusted.
    """
    path = folder / FILE
    if not path.exists():
        return Progress()
    if reason := why_unread():
        raise TrainingError(f"{path}: {reason}, and the same command goes on from it")
    try:
        # `weights_only`: tensors and plain values, never arbitrary pickled objects.
        state: dict[str, Any] = torch.load(path, map_location="cpu", weights_only=True)
        model.load_state_dict(state["model"])
        optimizer.load_state_dict(state["optimizer"])
        return Progress(**state["progress"])
    except Exception as error:
        raise TrainingError(f"{path} is damaged, so the run cannot go on: {error}") from error
