"""Strangers' requests: reading them, answering them, many at once.

Nothing here knows of Gradio, or of who asks: what is asked decides the answer.
"""

from .service import Service

__all__ = ["Service"]
