"""Finding a port that nobody uses."""

import socket

FIRST = 7860
"""Gradio's own."""


def free_port(host: str, wanted: int) -> int | None:
    """The first of a hundred ports from `wanted` that nobody serves at.

    Returns:
        None if there is none: `host` is not this machine, say.
    """
    return next((p for p in range(wanted, min(wanted + 100, 2**16)) if _is_free(host, p)), None)


def _is_free(host: str, port: int) -> bool:
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
        family, kind, protocol, _, address = found[0]
        with socket.socket(family, kind, protocol) as tried:
            # As the server does it: a port whose last connections are closing is free.
            tried.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            tried.bind(address)
    except OSError:
        return False
    return True
