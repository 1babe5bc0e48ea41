"""Models that somebody teaches: one lesson at a time, piece by piece among the traces.

A piece is a job of the batcher's thread, so that a trace waits for one of them at most. What was
taught is kept in memory for a while, and otherwise taught again: the same lesson makes the same
weights.
"""

from collections import OrderedDict
from collections.abc import Hashable
from functools import partial
from typing import Any, Generic, TypeVar

from ..errors import HeadlightError
from ..inside.forgetting import compare
from ..inside.lesson import Lesson, read
from ..inside.pieces import Pieces
from ..inside.teach import learn
from ..translator import Translator
from .batcher import Batcher
from .desk import Desk, left

MODELS = 2
"""That were taught, in memory; one more is being taught."""

TOLD = 32
"""Lessons whose course is kept, of 130 kB each at ten words and ten steps."""

MOST_PARAMETERS = 30_000_000
"""Of a model that strangers may teach: its copy takes 120 MB."""

Key = TypeVar("Key", bound=Hashable)
Value = TypeVar("Value")
Returned = TypeVar("Returned")
DONE = object()


class Latest(Generic[Key, Value]):
    """The latest used of some values."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._kept: OrderedDict[Key, Value] = OrderedDict()

    def __len__(self) -> int:
        """How many there are."""
        return len(self._kept)

    def get(self, key: Key) -> Value | None:
        """One of them; None if it is not, or no longer, there."""
        if key in self._kept:
            self._kept.move_to_end(key)
        return self._kept.get(key)

    def put(self, key: Key, value: Value) -> None:
        """Keeps one, in the place of the one that was not used for longest."""
        self._kept[key] = value
        self._kept.move_to_end(key)
        while len(self._kept) > self._most:
            self._kept.popitem(last=False)


class Lessons:
    """Teaches models for whoever asks.

    Args:
        batcher: of traces, on whose thread pieces are done.
    """

    def __init__(self, batcher: Batcher[Any, Any, Any]) -> None:
        self._batcher = batcher
        # One thread: a second copy that learns would make neither of them quicker.
        self._desk = Desk(threads=1, share=1)
        self._models = Latest[tuple[str, Lesson], Translator](MODELS)
        self._told = Latest[tuple[str, Lesson], dict[str, Any]](TOLD)

    async def taught(self, translator: Translator, lesson: Lesson, client: str = "") -> Translator:
        """A model that has had a lesson.

        Args:
            translator: as it was.
            lesson: what to teach it.
            client: who asks; whoever leaves ends it.
        Raises:
            HeadlightError: the lesson cannot be, or was undone: its rate is too high.
        """
        key = _check(translator, lesson)
        if (known := self._models.get(key)) is None:
            work = partial(self._teach, translator, lesson, False, client)
            known = await self._desk.run(work, client)
        if known is translator:
            raise HeadlightError(
                "lesson_undone",
                f"The loss rose: with {lesson.how} the rate is too high, and all was undone.",
            )
        return known

    async def told(
        self, translator: Translator, lesson: Lesson, client: str = ""
    ) -> dict[str, Any]:
        """The course of a lesson: `Taught.payload`, and "forgetting" (`Forgetting.payload`, None
        where all was undone). Arguments and errors as above; what is undone is told, too.
        """
        key = _check(translator, lesson)
        if self._told.get(key) is None:
            await self._desk.run(partial(self._teach, translator, lesson, True, client), client)
        told = self._told.get(key)
        assert told is not None
        return told

    def _teach(
        self, translator: Translator, lesson: Lesson, watched: bool, client: str
    ) -> Translator:
        """In the desk's thread. Who asked for the same before may have had it done meanwhile."""
        key = _key(translator, lesson)
        known = self._models.get(key)
        if known is not None and (not watched or self._told.get(key) is not None):
            return known
        taught = self._through(learn(translator, lesson, watched), client)
        if watched:
            cost = None
            if not taught.undone:
                cost = self._through(compare(translator, taught.translator), client).payload()
            self._told.put(key, {**taught.payload(), "forgetting": cost})
        self._models.put(key, taught.translator)
        return taught.translator

    def _through(self, pieces: Pieces[Returned], client: str) -> Returned:
        """Each piece in its turn among the traces."""
        ended: list[Returned] = []

        def noted() -> Pieces[None]:
            ended.append((yield from pieces))

        each = noted()
        while self._batcher.run(partial(next, each, DONE), client).result() is not DONE:
            if left():
                raise HeadlightError("cancelled", "This was cancelled before it was done.")
        return ended[0]


def _key(translator: Translator, lesson: Lesson) -> tuple[str, Lesson]:
    return f"{translator.name} {translator.checkpoint}", lesson


def _check(translator: Translator, lesson: Lesson) -> tuple[str, Lesson]:
    """Refuses what cannot be taught before anybody waits for it."""
    read(translator, lesson)
    size = sum(parameter.numel() for parameter in translator.model.parameters())
    if size > MOST_PARAMETERS:
        raise HeadlightError(
            "too_large_to_teach",
            f"{translator.name} has {size:,} parameters; here models of up to "
            f"{MOST_PARAMETERS:,} are taught. In Python, `inside.teach` takes any.",
            model=translator.name,
            limit=MOST_PARAMETERS // 1_000_000,
        )
    return _key(translator, lesson)
