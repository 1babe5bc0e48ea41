"""Which client an address is, and which page asks: what bounds and queues count by."""

import re
from ipaddress import IPv6Address, ip_address

from starlette.datastructures import Headers
from starlette.types import Scope

PAGE = "X-Headlight-Page"
"""The header in which a page says what it calls itself: something random."""

_TOKEN = re.compile(r"[\w-]{1,64}", re.ASCII)

SUBNET = 64
"""Bits of an IPv6 address that a provider gives; the other 64 a host chooses as it likes."""


def client_of(host: str) -> str:
    """The client of an address: an IPv6 address by its /64, an IPv4 address as IPv4 writes it.

    Args:
        host: as a server reads it from the socket, such as "192.0.2.7" or "fe80::1%eth0"; what is
            no address (a Unix socket has none) is a client of that name.
    """
    try:
        address = ip_address(host)
    except ValueError:
        return host
    if not isinstance(address, IPv6Address):
        return str(address)
    if address.ipv4_mapped:  # a socket that listens for both writes IPv4 so
        return str(address.ipv4_mapped)
    network = int(address) >> SUBNET << SUBNET
    return f"{IPv6Address(network)}/{SUBNET}"


def page_of(scope: Scope) -> str:
    """What the page that asks calls itself; "" of a program, or where it is no name."""
    return token(Headers(scope=scope).get(PAGE, ""))


def token(text: str) -> str:
    """What somebody calls a page, if it is short enough to be counted by; else nothing."""
    return text if _TOKEN.fullmatch(text) else ""
