"""Asking the server as the page does, without one."""

import asyncio
import json
from collections.abc import Coroutine
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

from transformer.serving import Service

Result = TypeVar("Result")


def ask(service: Service, request: object) -> dict[str, Any]:
    """The answer to one request."""
    return json.loads(run(service.answer(request)))


def run(coroutine: Coroutine[Any, Any, Result]) -> Result:
    """What it returns. In another thread: the browser tests leave a loop running in this one."""
    with ThreadPoolExecutor(1) as thread:
        return thread.submit(asyncio.run, coroutine).result()
