"""Who may change what is installed: the person at this machine, or whom its operator lets.

Any page on the web can post to a port of this machine, or have its own name lead here (DNS
rebinding). A browser says where a request comes from and what it calls this server, and no page can
make it say otherwise.
"""

import os
from collections.abc import Iterable, Mapping
from contextlib import suppress
from ipaddress import ip_address
from socket import AF_INET, AF_INET6
from typing import Any
from urllib.parse import urlsplit

from starlette.requests import HTTPConnection

SETTING = "HEADLIGHT_DOWNLOADS"
"""1 lets everybody download who reaches the page, 0 nobody; otherwise it is the person here."""


def is_owner(request: HTTPConnection, demo: Any) -> bool:
    """Whether a request may download and remove models.

    Args:
        request: what was asked.
        demo: the Blocks that answer it.
    """
    headers, client = request.headers, request.client.host if request.client else ""
    setting = os.environ.get(SETTING)
    # Replicas have another server than Gradio's, and know nothing of each other's downloads.
    addresses = list(_bound(getattr(demo, "server", None)))
    if setting == "0" or not addresses or not _from_our_page(headers):
        return False
    if setting == "1":
        return True
    names = (headers["host"], _netloc(headers["origin"]))
    return (
        "SPACE_ID" not in os.environ
        and not demo.share
        and all(map(_is_loopback, (*addresses, client)))
        and all(_is_loopback(_hostname(name)) for name in names)
    )


def _from_our_page(headers: Mapping[str, str]) -> bool:
    """Whether the page that asks is this server's, as far as a browser sends it."""
    host, origin = headers.get("host", ""), _netloc(headers.get("origin", ""))
    if not host or not origin:
        return False
    # A proxy may have changed the host, but not this.
    site = headers.get("sec-fetch-site")
    return site == "same-origin" if site else origin == host


def _netloc(origin: str) -> str:
    with suppress(ValueError):
        return urlsplit(origin).netloc
    return ""


def _hostname(netloc: str) -> str:
    with suppress(ValueError):
        return urlsplit(f"//{netloc}").hostname or ""
    return ""


def _is_loopback(host: str) -> bool:
    if host == "localhost":
        return True
    with suppress(ValueError):
        return ip_address(host).is_loopback
    return False


def _bound(server: Any) -> Iterable[str]:
    """The addresses that a running server listens at; one that is none is a file's."""
    for listening in getattr(server, "servers", ()):
        for socket in listening.sockets:
            yield socket.getsockname()[0] if socket.family in (AF_INET, AF_INET6) else ""
