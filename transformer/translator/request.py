"""What one trace is made of, as data."""

from dataclasses import dataclass

from ..trace.interventions import Intervention
from ..trace.sampling import Sampling


@dataclass(frozen=True)
class TraceRequest:
    """What one trace is made of: see `Translator.trace`."""

    source: str
    prefix: tuple[int, ...] = ()
    interventions: tuple[Intervention | str, ...] = ()
    sampling: Sampling | None = None
