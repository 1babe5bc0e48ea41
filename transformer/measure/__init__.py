"""A model measured over many sentences, into its card: its heads, its words, what it opens on."""

from .telling import telling_heads, telling_heads_over

__all__ = ["telling_heads", "telling_heads_over"]
