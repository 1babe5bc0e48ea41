"""The same page and programs from several processes behind one address, which Ray Serve runs.

No replica knows anything of who asks, so any of them answers. One that ends is replaced, and what
it was computing can be asked for again. `serve run headlight.replicas:app` does it, too.
"""

# Ray is installed where it is wanted, and typed in part.
# pyright: basic, reportMissingImports=false

import logging
import os
from typing import Any

from starlette.types import ASGIApp

os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")  # it would report to its makers

import ray
from ray import serve
from ray.serve.config import HTTPOptions

NAME = "headlight"
MEMORY = 100_000_000
"""Bytes that processes share, which these hardly do; by default Ray takes a third of the memory."""

WAITING = 1_000
"""Requests that a replica takes at once: they are batched there, so it must see many."""


def page() -> ASGIApp:
    """What each replica serves."""
    from .page import replica

    return replica()


class Process:
    """One, with the page, its models and its cache."""


# A call, and no decorator: type checkers would go on to take it for the class.
Replica: Any = serve.deployment(
    serve.ingress(page)(Process),
    max_ongoing_requests=WAITING,
    ray_actor_options={"num_cpus": 0},
)
app = Replica.bind()


def start(host: str, port: int, replicas: int) -> None:
    """Starts Ray on this machine alone, and the replicas; returns once they answer.

    Args:
        host: address to serve at.
        port: port to serve at.
        replicas: how many processes answer.
    """
    ray.init(
        address="local",
        _node_ip_address="127.0.0.1",
        include_dashboard=False,
        object_store_memory=MEMORY,
        logging_level=logging.WARNING,
        log_to_driver=False,
    )
    serve.start(http_options=HTTPOptions(host=host, port=port))
    many = Replica.options(num_replicas=replicas)
    serve.run(many.bind(), name=NAME, route_prefix="/")


def end() -> None:
    """Answers what has been asked, and ends all that was started."""
    serve.shutdown()
    ray.shutdown()
