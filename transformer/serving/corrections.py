"""Models that somebody teaches: one correction at a time, piece by piece among the traces.

A piece is a job of the batcher's thread, so that a trace waits for one of them at most. What a
correction changed is kept in memory for a while, and otherwise taught again: the same one makes the
same weights.
"""

from collections.abc import Callable
from functools import partial
from typing import TypeVar

from ..ask.pieces import Pieces
from ..errors import HeadlightError
from ..teach.change import Change
from ..teach.correction import Correction, read
from ..teach.forgetting import compare
from ..teach.teach import learn
from ..translator import Translator
from .ready import Ready
from .sharing.batcher import Run
from .sharing.client import NOBODY, Client
from .sharing.desk import Desk, left
from .sharing.freeing import give_back
from .sharing.kept import Kept
from .wire.answers import as_json

CHANGES_BYTES = 800_000_000
"""Bytes of what corrections changed: a class of sixty has one each of `en-zh`, of 11 to 14 MB."""

CHANGES_EACH = 3
"""The most of these that one page has at a time: a whole class finds room."""

PAYLOAD_BYTES = 8_000_000
"""Bytes of runs' payloads, some 130 kB each at ten words and ten steps."""

MOST_PARAMETERS = 30_000_000
"""Parameters of a model that strangers may teach: its copy takes 120 MB."""

Returned = TypeVar("Returned")
DONE = object()


class Corrections:
    """Teaches models for whoever asks.

    Args:
        run: does a piece in its turn among the traces.
    """

    def __init__(self, run: Run) -> None:
        self._run = run
        # One thread: a second copy that learns would make neither of them quicker.
        self._desk = Desk(threads=1, share=1)
        self._changes = Kept[tuple[str, Correction], Change](CHANGES_BYTES, CHANGES_EACH)
        self._payloads = Kept[tuple[str, Correction], bytes](PAYLOAD_BYTES)

    async def taught(
        self, translator: Translator, correction: Correction, client: Client = NOBODY
    ) -> Ready:
        """A model that was corrected.

        Args:
            translator: as it was.
            correction: what to teach it.
            client: who asks; whoever leaves ends it.
        Raises:
            HeadlightError: the correction is out of bounds, or was undone: its rate is too high.
        """
        key = _check(translator, correction)
        if (change := self._changes.get(key)) is None:
            change = await self._learn(self._teach, translator, correction, client)
        if change.hash == translator.checkpoint:
            raise HeadlightError(
                "correction_undone",
                f"The loss rose: with {correction.how} the rate is too high, and all was undone.",
            )
        return Ready(translator, change)

    async def payload(
        self, translator: Translator, correction: Correction, client: Client = NOBODY
    ) -> bytes:
        """The payload of a correction's run: {"taught": `Taught.payload` and "forgetting"
        (`Forgetting.payload`, None where all was undone)}. Arguments and errors are those of
        `taught`, but that a run that was undone has a payload, too.
        """
        key = _check(translator, correction)
        if (payload := self._payloads.get(key)) is None:
            payload = await self._learn(self._tell, translator, correction, client)
        return payload

    async def _learn(
        self,
        how: Callable[[Translator, Correction, Client], Returned],
        translator: Translator,
        correction: Correction,
        client: Client,
    ) -> Returned:
        """What comes of a correction, once the memory that it took is the system's again."""

        def work() -> Returned:
            try:
                return how(translator, correction, client)
            finally:
                give_back()

        return await self._desk.run(work, client)

    # Both in the desk's thread: who asked for the same before may have had it done meanwhile.

    def _teach(self, translator: Translator, correction: Correction, client: Client) -> Change:
        key = _key(translator, correction)
        if (change := self._changes.get(key)) is not None:
            return change
        taught = self._through(learn(translator, correction, watched=False), client)
        self._changes.put(key, taught.change, client)
        return taught.change

    def _tell(self, translator: Translator, correction: Correction, client: Client) -> bytes:
        key = _key(translator, correction)
        if (payload := self._payloads.get(key)) is not None:
            return payload
        taught = self._through(learn(translator, correction, watched=True), client)
        self._changes.put(key, taught.change, client)
        cost = None
        if not taught.undone:
            cost = self._through(compare(translator, taught.translator), client).payload()
        payload = as_json({"taught": {**taught.payload(), "forgetting": cost}})
        self._payloads.put(key, payload)
        return payload

    def _through(self, pieces: Pieces[Returned], client: Client) -> Returned:
        """The pieces of a run, each in its turn among the traces."""
        ended: list[Returned] = []

        def noted() -> Pieces[None]:
            ended.append((yield from pieces))

        each = noted()
        while self._run(partial(next, each, DONE), client).result() is not DONE:
            if left():
                raise HeadlightError("cancelled", "This was cancelled before it was done.")
        return ended[0]


def _key(translator: Translator, correction: Correction) -> tuple[str, Correction]:
    return f"{translator.name} {translator.checkpoint}", correction


def _check(translator: Translator, correction: Correction) -> tuple[str, Correction]:
    """Refuses what cannot be taught before anybody waits for it."""
    read(translator, correction)
    size = sum(parameter.numel() for parameter in translator.model.parameters())
    if size > MOST_PARAMETERS:
        raise HeadlightError(
            "too_large_to_teach",
            f"{translator.name} has {size:,} parameters; here models of up to "
            f"{MOST_PARAMETERS:,} are taught. In Python, `teach.teach` takes any.",
            model=translator.name,
            limit=MOST_PARAMETERS // 1_000_000,
        )
    return _key(translator, correction)
