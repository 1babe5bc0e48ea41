"""The façade: text in, translation or trace out."""

from .request import TraceRequest
from .translator import Device, Translator, offers_of

__all__ = ["Device", "TraceRequest", "Translator", "offers_of"]
