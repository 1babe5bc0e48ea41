"""Connections as a stranger has them: whatever is sent is sent as it is, from any address."""

import socket
from urllib.parse import urlsplit

from headlight.clients import PAGE
from transformer.serving.sharing.client import Client


def connect(address: str) -> socket.socket:
    """A connection to the page's server."""
    url = urlsplit(address)
    return socket.create_connection((url.hostname or "", url.port or 0), timeout=60)


def head(path: str, length: int, client: Client) -> bytes:
    """The head of a request as a proxy on this machine hands it on for a client."""
    lines = [f"POST {path} HTTP/1.1", "Host: localhost", "Content-Type: application/json"]
    lines += [f"Content-Length: {length}", "Connection: close"]
    lines += [f"X-Forwarded-For: {client.address}", f"{PAGE}: {client.page}", "", ""]
    return "\r\n".join(lines).encode()


def read(line: socket.socket) -> bytes:
    """All that still comes."""
    return b"".join(iter(lambda: line.recv(1 << 16), b""))
