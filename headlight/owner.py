"""The owner, who may change what is installed: whoever is at this machine, or its operator lets.

Headers alone do not tell: behind a proxy on this machine, every stranger comes from it, and under
the name that the proxy gives. So the page that the command opens brings a secret along.
"""

import os
import secrets
from typing import Any

from starlette.requests import HTTPConnection

from .guard import from_our_page_or_a_program
from .hosts import bound, is_loopback

SETTING = "HEADLIGHT_DOWNLOADS"
"""1 lets everybody download who reaches the page, 0 nobody; otherwise it is the person here."""

SECRET = secrets.token_urlsafe(16)
"""The owner's, of this process alone, behind the # of the address that the command opens: browsers
send that to nobody, and the page takes it out of the address (assets/start.js)."""

HEADER = "X-Headlight-Owner"


def is_owner(request: HTTPConnection, demo: Any) -> bool:
    """Whether a request may download and remove models.

    Args:
        request: what was asked.
        demo: the Blocks that answer it.
    """
    headers, setting = request.headers, os.environ.get(SETTING)
    # Replicas have another server than Gradio's, and know nothing of each other's downloads.
    addresses = list(bound(getattr(demo, "server", None)))
    if setting == "0" or not addresses or not from_our_page_or_a_program(headers):
        return False
    if setting == "1":
        return "origin" in headers
    return (
        "SPACE_ID" not in os.environ
        and not demo.share
        and all(map(is_loopback, addresses))
        and secrets.compare_digest(headers.get(HEADER, "").encode(), SECRET.encode())
    )
