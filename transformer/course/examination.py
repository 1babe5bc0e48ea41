"""Looking at a student's folder: one exercise at a time, in words."""

import importlib
import sys
import traceback
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType

from ..errors import HeadlightError
from .exercises import EXERCISES
from .exercises.exercise import Remark
from .wording import Language, Words


@dataclass(frozen=True)
class Verdict:
    """What is said of one exercise.

    Attributes:
        exercise: its name.
        remarks: what is wrong, nothing if it is right; `code` is for programs.
        sentences: the same for people.
    """

    exercise: str
    remarks: tuple[Remark, ...]
    sentences: tuple[str, ...]

    @property
    def right(self) -> bool:
        """Whether nothing is wrong."""
        return not self.remarks

    def __str__(self) -> str:
        return "\n".join(self.sentences)

    __repr__ = __str__


def examine(exercise: str, folder: str | Path = ".", language: Language | None = None) -> Verdict:
    """Runs one exercise's functions and says what is right or wrong with them.

    Args:
        exercise: such as "attention": the name of a file in the folder.
        folder: a student's, as `python -m transformer course FOLDER` made it.
        language: "en" or "zh"; by default the one that the folder was made in.
    Raises:
        HeadlightError: there is no such exercise.
    """
    if exercise not in EXERCISES:
        known = ", ".join(EXERCISES)
        raise HeadlightError("unknown_exercise", f"No exercise {exercise!r}; there are {known}.")
    words = Words(language, Path(folder))
    for needed in EXERCISES[exercise].needs:
        if _judge(needed, Path(folder)):
            remarks = (Remark("first", {"exercise": words.title(needed)}),)
            break
    else:
        remarks = _judge(exercise, Path(folder))
    sentences = tuple(map(words.remark, remarks)) or (words.text("right", exercise),)
    return Verdict(exercise, remarks, sentences)


def _judge(exercise: str, folder: Path) -> tuple[Remark, ...]:
    try:
        with opened(folder, exercise) as module, warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return tuple(EXERCISES[exercise].judge(module))
    except NotImplementedError:
        return (Remark("not_written", {"file": f"{exercise}.py"}),)
    except FileNotFoundError:
        return (Remark("no_file", {"file": f"{exercise}.py", "folder": str(folder)}),)
    except Exception as error:  # a student's code may raise anything
        return (_raised(error, exercise, folder),)


@contextmanager
def opened(folder: Path, name: str) -> Iterator[ModuleType]:
    """A student's module as it now stands in the file, with those that it imports.

    Raises:
        FileNotFoundError: there is no such file.
    """
    folder = folder.resolve()
    if not (folder / f"{name}.py").is_file():
        raise FileNotFoundError(folder / f"{name}.py")
    hidden = {part: sys.modules.pop(part) for part in _names(folder) if part in sys.modules}
    sys.path.insert(0, str(folder))
    importlib.invalidate_caches()
    try:
        yield importlib.import_module(name)
    finally:
        sys.path.remove(str(folder))
        for part in _names(folder):
            sys.modules.pop(part, None)
        sys.modules.update(hidden)


def _names(folder: Path) -> list[str]:
    return [path.stem for path in folder.glob("*.py")]


def _raised(error: Exception, exercise: str, folder: Path) -> Remark:
    """Where in the student's own lines it happened, and what."""
    told = {"type": type(error).__name__, "error": str(error).strip().split("\n")[0]}
    if isinstance(error, SyntaxError):
        place = {"file": Path(error.filename or f"{exercise}.py").name, "line": error.lineno or 0}
        return Remark("raised", {**place, **told, "error": error.msg})
    own = str(folder.resolve())
    lines = [frame for frame in traceback.extract_tb(error.__traceback__) if own in frame.filename]
    if not lines:  # a name that is not there, or arguments that do not fit
        return Remark("does_not_fit", {"file": f"{exercise}.py", **told})
    place = {"file": Path(lines[-1].filename).name, "line": lines[-1].lineno or 0}
    return Remark("raised", {**place, **told})
