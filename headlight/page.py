"""The Gradio page. Wiring only: what people see is drawn by the viewer in assets/."""

import gc
import hashlib
import os
from collections.abc import Callable
from functools import partial
from importlib.util import find_spec
from threading import Thread
from typing import Any

import torch
from fastapi import FastAPI
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles
from starlette.types import ASGIApp

from transformer.checkpoint.hub.proxies import without_proxies
from transformer.show.head import arriving, manifest_json, preload_links, preload_texts
from transformer.show.viewer import scripts, styles
from transformer.trace.came_along import came_along

from .answer_route import answer_routes
from .calls import Calls
from .class_routes import Class
from .doors import keep_doors, most_connections
from .frames import FRAMES
from .gradio_alone import gr
from .guard import Guard, safe_headers
from .hosts import HOSTS, SERVER_NAME, bound, is_loopback
from .owner import is_owner
from .packed import Packed, Packer
from .preload import Preload
from .programs import NAMES, leave_tools_only, offer, service
from .resting import notices_at_rest
from .rooms.rooms import Rooms
from .subpath import Subpath
from .teacher import ADDRESS, addresses
from .yielding import Yielding

ASSETS = came_along("assets")
FILES = sorted(path for path in ASSETS.rglob("*") if path.is_file())
SCRIPTS, STYLES = scripts("start.js"), styles()
VERSION = hashlib.sha256(
    b"".join(
        [
            *(path.read_bytes() for path in FILES),
            *(text.encode() for text in (STYLES, *SCRIPTS.values())),
        ]
    )
).hexdigest()[:12]
"""A hash in every asset's address, so that no browser shows an old viewer after an upgrade."""

packer = Packer()
rooms = Rooms(lambda: most_connections() // 2)
"""Rooms of classes. Their streams are half of all connections at most."""

QUEUE_SECONDS = 60
"""How often Gradio's queue looks for work. Its own 1 ms keeps a tenth of a core busy with nothing,
and nobody's question passes through it: programs call by calls.py."""


async def first_page(_: Request) -> Response:
    """What the viewer shows before anyone asks."""
    answer = await service.answer({"ask": "page"})
    return Response(answer, media_type="application/json", headers={"Cache-Control": "no-store"})


# Nothing to show: the viewer is on the page since before Gradio is (preload.py). Gradio answers
# programs (programs.py), and brings the page onto Spaces, desktops and phones.
with gr.Blocks(title="Headlight", fill_width=True) as demo:
    offer()
# Else, on a Space, the browser asks Hugging Face for a header and Google for its fonts.
demo.space_id = None


def _file(text: str, media_type: str) -> Response:
    """Kept by browsers for good: its address changes with it."""
    headers = {"Cache-Control": "public, max-age=31536000, immutable"}
    return Response(text, media_type=media_type, headers=headers)


def _is_first(address: str, path: str) -> bool:
    """Whether a path's file is of the first picture."""
    first = ("joined/start.js", "joined/viewer.css", "first.json", "locales/")
    return path.startswith(tuple(f"/{address}/{name}" for name in first))


def _manifest(address: str) -> Response:
    return JSONResponse(manifest_json(address), media_type="application/manifest+json")


def _prepare() -> None:
    """Computes on one thread from now on, and compresses what every visitor is sent meanwhile.

    Two OpenMP threads wait for each other at every small product; with one busy core beside them, a
    trace took fifteen times as long.
    """
    torch.set_num_threads(1)
    locales = (path.read_bytes() for path in FILES if path.parent == ASSETS / "locales")
    bodies = [*(text.encode() for text in (STYLES, *SCRIPTS.values())), *locales]
    Thread(target=packer.prepare, args=(bodies,), daemon=True).start()


def launch(**options: Any) -> tuple[Any, str, str]:
    """`demo.launch` with everything that the page relies on; `options` go first.

    Raises:
        ValueError: a setting is wrong.
    """
    _prepare()
    queue = demo._queue  # pyright: ignore[reportPrivateUsage]
    queue.sleep_when_free = queue.progress_update_sleep_when_free = QUEUE_SECONDS
    with without_proxies():  # it asks itself whether it is there
        launched = demo.launch(**_relied_on(_is_open, calls=True) | options)
    keep_doors(demo.server)
    leave_tools_only(demo)
    _freeze_imported()
    return launched


def replica() -> ASGIApp:
    """The app for another server to run, beside others of its kind: it answers without a queue."""
    _prepare()
    service.lacking = ("guests",)
    # Where others serve it, in a cluster, say, nobody has told us at which address.
    is_open = not is_loopback(os.environ.get(SERVER_NAME, ""))
    # Else a page that asks another replica next takes it for a new version of the app.
    demo.app_id = int(VERSION, 16)
    with without_proxies():
        relied_on = _relied_on(lambda: is_open, calls=False)
        app = gr.mount_gradio_app(FastAPI(openapi_url=None), demo, "/", **relied_on)
    leave_tools_only(demo)
    _freeze_imported()
    return app


def _freeze_imported() -> None:
    """Takes what was imported out of the garbage collector's rounds: one took 0.2 seconds."""
    gc.collect()
    gc.freeze()


def _is_open() -> bool:
    """Whether others reach the page: by themselves, a tunnel, or a proxy whose path was named."""
    here_alone = all(map(is_loopback, bound(demo.server)))
    return bool(demo.share or demo.root_path or not here_alone)


def reach() -> list[str] | None:
    """Where students find the page that is served, as far as anybody here knows; None if only this
    machine reaches it.
    """
    if not (_is_open() or os.environ.get(HOSTS) or os.environ.get(ADDRESS)):
        return None
    host, port = demo.server.servers[0].sockets[0].getsockname()[:2]
    return addresses(host, port)


def _relied_on(is_open: Callable[[], bool], calls: bool) -> dict[str, Any]:
    fonts = ["system-ui", "sans-serif"]
    address = f"headlight/{VERSION}"
    headers = safe_headers(os.environ.get(FRAMES, ""))
    # Else browsers ask for /favicon.ico, which under a path is another site's.
    links = f'<link rel="icon" href="{address}/favicon.svg">{arriving()}{preload_links(address)}'
    return {
        "app_kwargs": {
            "middleware": [
                Middleware(Subpath),
                Middleware(Yielding, is_first=partial(_is_first, address)),
                Middleware(Packed, packer=packer),
                Middleware(Guard, headers=headers, is_open=is_open, calls=calls),
                Middleware(Preload, links=links, texts=partial(preload_texts, address)),
            ],
            "routes": [
                # Before Gradio's own, which knows neither our icons nor our colours.
                Route("/manifest.json", _manifest(address)),
                *answer_routes(service, lambda asking: is_owner(asking, demo)),
                *Calls(NAMES).routes(),
                # Of several processes each would have rooms of its own.
                *Class(rooms if calls else None, reach).routes(),
                Route(f"/{address}/first.json", first_page),
                *(
                    Route(f"/{address}/joined/{name}", _file(text, "text/javascript"))
                    for name, text in SCRIPTS.items()
                ),
                Route(f"/{address}/joined/viewer.css", _file(STYLES, "text/css")),
                Mount(f"/{address}", StaticFiles(directory=ASSETS)),
                *(
                    Route(f"/assets/{name}", _file(text, "text/javascript"))
                    for name, text in notices_at_rest()
                ),
            ],
        },
        "favicon_path": ASSETS / "favicon.svg",
        "footer_links": [],
        # The extra `mcp` brings what language models need to ask; a Space has it already.
        "mcp_server": find_spec("mcp") is not None,
        "pwa": True,
        "run_history": False,
        "ssr_mode": False,
        "theme": gr.themes.Base(font=fonts, font_mono=["ui-monospace", "monospace"]),
    }
