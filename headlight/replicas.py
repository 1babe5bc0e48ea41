"""The same page and programs from several processes behind one address, which Ray Serve runs.

No replica knows anything of who asks, so any of them answers. One that ends is replaced, and what
it was computing can be asked for again. `start` opens the page's port to others, and no other port;
`serve run headlight.replicas:app` serves the same page in a cluster, which listens at its nodes.
"""

# Ray is installed where it is wanted, and typed in part.
# pyright: basic, reportMissingImports=false

import atexit
import logging
import os
import secrets
import shutil
import tempfile
from pathlib import Path
from typing import Any

from starlette.types import ASGIApp

from .hosts import SERVER_NAME

os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")  # it would report to its makers
# Ray reads this as it is imported. Without clusters, which it otherwise lacks on Windows and macOS
# alone, it takes 127.0.0.1 as it is given; with them for this machine's address in the network.
os.environ["RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER"] = "0"

import ray
from ray import serve
from ray._common.network_utils import build_address
from ray._common.utils import get_default_system_temp_dir
from ray.serve.config import HTTPOptions

NAME = "headlight"
LOCAL = "127.0.0.1"
"""Where Ray's processes listen for one another."""

MEMORY = 100_000_000
"""Bytes that processes share, which these hardly do; by default Ray takes a third of the memory."""

WAITING = 1_000
"""Requests that a replica takes at once: they are batched there, so it must see many."""


def page() -> ASGIApp:
    """The page that each replica serves."""
    from .page import replica

    _listen_at_node()
    return replica()


def _listen_at_node() -> None:
    """Has this replica listen for the others at its node's address.

    Ray Serve 2.60 would open that port on all addresses, and asks nobody; only this private name
    decides it, so this project holds that version.
    """
    from ray.serve._private import replica as process

    node = build_address(ray.util.get_node_ip_address(), 0)
    open_port = process.add_port_to_grpc_server
    process.add_port_to_grpc_server = lambda server, _everywhere: open_port(server, node)


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
    Raises:
        RuntimeError: Ray would listen where others reach it; what it started has ended.
    """
    os.environ[SERVER_NAME] = host  # which the replicas inherit
    # Ray would keep its key in a file that everybody on this machine may read, and its sockets and
    # logs in a folder where everybody may write.
    os.environ.setdefault("RAY_AUTH_TOKEN", secrets.token_hex(32))
    folder = Path(tempfile.mkdtemp(prefix="headlight-", dir=get_default_system_temp_dir()))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    ray.init(
        address="local",
        _node_ip_address=LOCAL,
        _temp_dir=str(folder / "ray"),
        include_dashboard=False,
        object_store_memory=MEMORY,
        logging_level=logging.WARNING,
        log_to_driver=False,
    )
    node = ray.util.get_node_ip_address()
    if node != LOCAL:
        ray.shutdown()
        raise RuntimeError(f"Ray listens at {node}, not at {LOCAL}: it was imported before this")
    serve.start(http_options=HTTPOptions(host=host, port=port))
    many = Replica.options(num_replicas=replicas)
    serve.run(many.bind(), name=NAME, route_prefix="/")


def end() -> None:
    """Answers what has been asked, and ends all that was started."""
    serve.shutdown()
    ray.shutdown()
