"""What is computed for each request that is no trace: plain functions of the request."""

import base64
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from ..inside.arithmetic import work_out
from ..show.bertviz import bertviz_html, bertviz_installed
from ..translator import Translator
from .requests import BertVizAsked, FileAsked, WorkedOutAsked, read_trace


def file(asked: FileAsked) -> dict[str, Any]:
    """What `AttentionTrace.save` writes, as base64.

    Raises:
        HeadlightError: what was sent is no trace.
    """
    trace = read_trace(asked.trace)
    with TemporaryDirectory() as folder:
        path = Path(folder, f"trace.{asked.format}")
        trace.save(path)
        return {"file": base64.b64encode(path.read_bytes()).decode()}


def bertviz(asked: BertVizAsked) -> dict[str, Any]:
    """BertViz's page, for a sandboxed frame.

    Raises:
        HeadlightError: what was sent is no trace, or BertViz is not installed.
    """
    return {"bertviz": bertviz_html(read_trace(asked.trace), asked.view, asked.theme)}


def lacking() -> list[str]:
    """The page's tabs that cannot be filled here."""
    return [] if bertviz_installed() else ["bertviz"]


def worked_out(asked: WorkedOutAsked, translator: Translator) -> dict[str, Any]:
    """One head's queries, keys, values, scores and weights.

    Raises:
        HeadlightError: the model has no such head, or the source or target is none of its own.
    """
    a = asked
    shown = work_out(translator, a.source, a.target, a.kind, a.layer, a.head, a.interventions)
    return {"worked_out": shown.to_dict()}
