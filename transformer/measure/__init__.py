"""A model measured over many sentences, into its card: its heads, its words, what it opens on."""

from ..trace.representative import representative_heads
from .representative import representative_heads_over

__all__ = ["representative_heads", "representative_heads_over"]
