"""How far a download is, told to whoever watches."""

import threading
from collections.abc import Callable
from typing import Literal

from ...errors import HeadlightError

Stage = Literal["asking", "fetching", "installing", "done"]


class Progress:
    """How far a download is; whoever watches it may end it.

    Args:
        changed: called with the progress itself whenever it has changed, in the download's thread.

    Attributes:
        stage: what is being done.
        received: bytes that are on this machine, those of an earlier call included.
        total: bytes altogether; 0 while the hub is being asked.
    """

    def __init__(self, changed: Callable[["Progress"], object] | None = None) -> None:
        self.stage: Stage = "asking"
        self.received = self.total = 0
        self._changed = changed
        self._cancelled = threading.Event()

    def cancel(self) -> None:
        """Ends the download soon; what was fetched stays, and another call goes on from there."""
        self._cancelled.set()

    def set(self, stage: Stage, received: int | None = None, total: int | None = None) -> None:
        """Tells that it has come so far.

        Raises:
            HeadlightError: somebody has cancelled it.
        """
        self.stage = stage
        self.received = self.received if received is None else received
        self.total = self.total if total is None else total
        if self._changed:
            self._changed(self)
        if self._cancelled.is_set() and stage != "done":
            raise HeadlightError("download_cancelled", "the download was cancelled")
