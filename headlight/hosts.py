"""Names that this server may be asked by.

A page of the web can have its own name lead to this machine (DNS rebinding); to the browser, all
that is here is then that page's own. But its name goes along with each request, and no page can
change it.
"""

import os
import re
from collections.abc import Iterable
from contextlib import suppress
from functools import lru_cache
from ipaddress import ip_address
from socket import AF_INET, AF_INET6
from typing import Any
from urllib.parse import urlsplit

HOSTS = "HEADLIGHT_HOSTS"
"""Names the hosts that a proxy before this server is asked by, `headlight.example.org`, say; blanks
between them."""

SERVER_NAME = "GRADIO_SERVER_NAME"
"""Names the address to serve at."""

_NAME = re.compile(r"[a-z0-9_-]+(?:\.[a-z0-9_-]+)*", re.IGNORECASE)


def is_host(header: str, is_open: bool) -> bool:
    """Whether a request may be answered that was made to a host.

    Args:
        header: the host, as a request's header has it.
        is_open: whether others reach this server. Then any name may be its own, unless they were
            named; and so is an address, which no page can lead elsewhere.
    Raises:
        ValueError: what was named are no hosts.
    """
    name = _name(header)
    if names := named_hosts(os.environ.get(HOSTS, "")):
        allowed = name in names or (is_open and _is_address(name))
    else:
        allowed = is_open and bool(name)
    return allowed or is_loopback(name)


@lru_cache(1)
def named_hosts(named: str) -> frozenset[str]:
    """The hosts that the setting names.

    Raises:
        ValueError: one is no host: an address of a page, say, or with a port.
    """
    for host in named.split():
        if not _NAME.fullmatch(host) and not _is_address(host.strip("[]")):
            raise ValueError(
                f"{HOSTS} holds {host!r}, which is no host: write headlight.example.org"
            )
    return frozenset(host.strip("[]").lower() for host in named.split())


def is_loopback(host: str) -> bool:
    """Whether an address or a name is this machine's own, which no other can reach."""
    if host == "localhost":
        return True
    with suppress(ValueError):
        return ip_address(host).is_loopback
    return False


def bound(server: Any) -> Iterable[str]:
    """The addresses that a running server listens at; one that is none is a file's."""
    for listening in getattr(server, "servers", ()):
        for socket in listening.sockets:
            with suppress(OSError):  # it has been closed
                named = socket.family in (AF_INET, AF_INET6)
                yield socket.getsockname()[0] if named else ""


def _name(header: str) -> str:
    """The name in a header, without the port; empty if it is none."""
    try:
        split = urlsplit(f"//{header}")
        name = split.hostname or ""
    except ValueError:
        return ""
    alone = split.username is None and not split.path
    return name if alone and (_NAME.fullmatch(name) or _is_address(name)) else ""


def _is_address(name: str) -> bool:
    with suppress(ValueError):
        return bool(ip_address(name))
    return False
