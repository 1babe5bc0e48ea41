"""Finding a port that nobody uses."""

import socket

FIRST = 7860
"""Gradio's own."""


def free_port(host: str, wanted: int) -> int | None:
    """The first of a hundred ports from `wanted` that nobody serves at.

    Returns:
        None if there is none: `host` is not this machine, say.
    """
    try:
        # Once: a name server that knows no such name may take its time to say so.
        addresses = socket.getaddrinfo(host, wanted, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError):
        return None
    family, _, _, _, (name, _, *scope) = addresses[0]
    ports = range(wanted, min(wanted + 100, 2**16))
    return next((port for port in ports if _is_free(family, (name, port, *scope))), None)


def _is_free(family: int, address: tuple[str | int, ...]) -> bool:
    with socket.socket(family, socket.SOCK_STREAM) as tried:
        # As the server does it: a port whose last connections are closing is free.
        tried.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            tried.bind(address)
        except OSError:
            return False
    return True
