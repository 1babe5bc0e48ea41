"""The teacher, who may open a room for a class, and the addresses where students find the page."""

import os
import re
import secrets
import socket
from collections.abc import Iterator
from contextlib import suppress
from ipaddress import ip_address
from urllib.parse import urlsplit

from .hosts import HOSTS, is_loopback, named_hosts

SETTING = "HEADLIGHT_ROOMS"
"""1 lets everybody open a room who reaches the page; otherwise it is whoever knows the secret."""

ADDRESS = "HEADLIGHT_ADDRESS"
"""Names the address at which students find the page: `https://headlight.example.org/`, say."""

SECRET = secrets.token_urlsafe(16)
"""The teacher's, of this process alone, and not the owner's: it opens rooms and nothing else. It
stands behind the # of the address for the teacher."""

HEADER, PERSON = "X-Headlight-Teacher", "X-Headlight-Person"

_SECRET = re.compile(r"[\w-]{20,64}", re.ASCII)

ELSEWHERE = (("192.0.2.1", socket.AF_INET), ("2001:db8::1", socket.AF_INET6))
"""Addresses of networks for examples: only the way there is looked up, and nothing is sent."""

SIOCGIFADDR = 0x8915
"""Asks Linux for the address of an interface."""


def may_teach(secret: str) -> bool:
    """Whether a secret opens a room here."""
    if not _SECRET.fullmatch(secret):
        return False
    if os.environ.get(SETTING) == "1":
        return True
    return secrets.compare_digest(secret.encode(), SECRET.encode())


def named_address(named: str) -> str:
    """The address of the page that the setting names, which ends in a slash; "" for none.

    Raises:
        ValueError: it is no address of a page.
    """
    if not named:
        return ""
    try:
        split = urlsplit(named)
        lies_there = split.scheme in ("http", "https") and bool(split.hostname)
        wrong = not lies_there or bool(split.query or split.fragment)
    except ValueError:
        wrong = True
    if wrong or any(not each.isprintable() or each == " " for each in named):
        raise ValueError(
            f"{ADDRESS} holds {named!r}, which is no address of a page: write "
            "http://192.168.1.20:7860 or https://headlight.example.org"
        )
    return named.rstrip("/") + "/"


def addresses(host: str, port: int) -> list[str]:
    """Where students find a page that is served at a host and a port: the setting's, else the
    names that a proxy is asked by, else one for each of this machine's addresses in a network, the
    one that leads outward first.
    """
    if named := named_address(os.environ.get(ADDRESS, "")):
        return [named]
    if hosts := named_hosts(os.environ.get(HOSTS, "")):
        return [f"https://{each}/" for each in sorted(hosts)]  # by the proxy, which has TLS
    if is_loopback(host):
        return []  # a tunnel
    everywhere = host in ("", "0.0.0.0", "::")
    reachable = [*_networks(six=host == "::")] if everywhere else [host]
    written = (f"[{each}]" if ":" in each else each for each in dict.fromkeys(reachable))
    return [f"http://{each}:{port}/" for each in written]


def _networks(*, six: bool) -> Iterator[str]:
    """This machine's addresses that others can reach, IPv4 before IPv6."""
    networks = [*_outward(), *_interfaces(), *_of_its_name()]
    for version in (4, 6) if six else (4,):
        for each in networks:
            with suppress(ValueError):  # a zone stands behind it
                address = ip_address(each)
                bare = address.is_loopback or address.is_link_local or address.is_unspecified
                if address.version == version and not bare:
                    yield each


def _outward() -> Iterator[str]:
    for elsewhere, family in ELSEWHERE:
        with suppress(OSError), socket.socket(family, socket.SOCK_DGRAM) as asking:
            asking.connect((elsewhere, 9))
            yield asking.getsockname()[0]


def _interfaces() -> Iterator[str]:
    try:
        import fcntl
    except ImportError:  # Windows
        return
    with suppress(OSError), socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as asking:
        for _, name in socket.if_nameindex():
            with suppress(OSError):  # it has no such address
                reply = fcntl.ioctl(
                    asking.fileno(), SIOCGIFADDR, name.encode()[:15].ljust(256, b"\0")
                )
                yield socket.inet_ntoa(reply[20:24])


def _of_its_name() -> Iterator[str]:
    with suppress(OSError):
        for entry in socket.getaddrinfo(socket.gethostname(), None):
            yield str(entry[4][0])
