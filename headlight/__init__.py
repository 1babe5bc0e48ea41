"""What people import, `headlight.load`, `trace`, `view`; the page, and the command that opens it.

The page is the only place that knows Gradio. What is computed belongs in `transformer/`, what is
drawn in `assets/`.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .loading import load
    from .tracing import trace
    from .viewing import view

__all__ = ["load", "trace", "view"]

_MODULES = {"load": ".loading", "trace": ".tracing", "view": ".viewing"}


def __getattr__(name: str) -> Any:
    # Each name brings what it needs, when it is asked for: a notebook that draws needs NumPy alone.
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_MODULES[name], __name__), name)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
