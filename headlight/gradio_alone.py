"""Gradio, imported here alone: it serves this machine's page, and is to ask nobody for anything."""

import os

from transformer.checkpoint.hub.proxies import spare_loopback, without_proxies

# It reads its settings, and makes its clients of HTTP, as it is imported.
os.environ["GRADIO_ANALYTICS_ENABLED"] = "False"
spare_loopback()
with without_proxies():
    import gradio as gr

__all__ = ["gr"]
