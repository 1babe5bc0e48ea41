"""What can go wrong in training and is for the person at the keyboard to mend."""

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from safetensors import SafetensorError

from ..checkpoint.alone import alone


class TrainingError(ValueError):
    """Data, a setting or a run that cannot be trained on; the message says what to do."""


@contextmanager
def writing_to(folder: Path) -> Iterator[None]:
    """Turns what a full or forbidden disk raises into a sentence.

    Raises:
        TrainingError: instead of an OSError, or of safetensors' own.
    """
    try:
        yield
    except (OSError, SafetensorError) as error:
        reason = getattr(error, "strerror", None) or error
        raise TrainingError(
            f"cannot write to {folder}: {reason}. What was saved there before is whole: make "
            "room, and the same command goes on from it"
        ) from error


@contextmanager
def only_one(folder: Path) -> Iterator[None]:
    """Keeps a second training of a run out, which would write the same files.

    Raises:
        TrainingError: this is the second.
    """
    with ExitStack() as held:
        try:
            held.enter_context(alone(folder / ".training.lock"))
        except BlockingIOError as error:
            raise TrainingError(
                f"{folder} is being trained already, by another process: wait for it, stop it with "
                "Ctrl-C, or give this one another name"
            ) from error
        yield
