"""What can be asked for traces: a translator of ours, or a guest."""

from collections.abc import Collection, Sequence
from contextlib import AbstractContextManager
from typing import Any, Protocol

from .recording.hooks import Recording, Site
from .trace.guest import Form
from .trace.interventions import Intervention
from .trace.kinds import Kind
from .trace.sampling import Sampling
from .trace.trace import AttentionTrace


class TracedModel(AbstractContextManager[Any], Protocol):
    """A Transformer that records its attention while it computes.

    Attributes:
        name: for titles and sentences.
    """

    name: str

    @property
    def checkpoint(self) -> str:
        """A short hash of the weights."""
        ...

    @property
    def form(self) -> Form:
        """Which towers there are: "encoder", "decoder" or "encoder-decoder"."""
        ...

    @property
    def offers(self) -> Collection[str]:
        """What analyses may need of it: "cross", "steps", "gradients", say."""
        ...

    def heads(self, kind: Kind) -> tuple[int, ...]:
        """How many heads each layer of a kind has; () where there is no such attention."""
        ...

    def trace(
        self,
        source: str,
        target: str | None = None,
        *,
        prefix: Sequence[int] = (),
        interventions: Sequence[Intervention | str] = (),
        max_steps: int = 64,
        top_k: int = 10,
        sampling: Sampling | None = None,
    ) -> AttentionTrace:
        """What the model reads, writes, and attends to meanwhile.

        Raises:
            HeadlightError: something cannot be; the sentence says what, and what to do.
        """
        ...

    def translate(self, source: str, max_steps: int = 64, sampling: Sampling | None = None) -> str:
        """What the model writes; nothing is recorded.

        Raises:
            HeadlightError: the source is empty or too long.
        """
        ...

    def replay(
        self,
        source: str,
        tgt_ids: Sequence[int],
        interventions: Sequence[Intervention | str] = (),
        sites: Collection[Site] = ("weights",),
    ) -> Recording:
        """One pass over a text that was traced before, recorded.

        Raises:
            HeadlightError: the text, or a change, is none that the model can have.
        """
        ...

    def close(self) -> None:
        """Lets the model go: it is what it was before."""
        ...
