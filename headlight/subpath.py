"""The page under a path of a larger site, whether a proxy cuts that path off or hands it on."""

from urllib.parse import urlsplit

from starlette.types import ASGIApp, Receive, Scope, Send

from .guard import is_served


class Subpath:
    """ASGI middleware: whatever comes in has the path that it would have at a site of its own.

    Gradio is told of the path by $GRADIO_ROOT_PATH, and has all requests carry it as their
    `root_path`. Starlette takes that for a part of their path, which a proxy has mostly cut off:
    then it finds no file, or takes `/headlight/…`, where the viewer lies, for the path itself.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Passes everything on, and requests without the path that leads here."""
        if scope["type"] == "http":
            root = urlsplit(str(scope.get("root_path", ""))).path  # it may be a whole address
            scope = {**scope, "root_path": "", "path": _inner(scope["path"], root)}
        await self._app(scope, receive, send)


def _inner(path: str, root: str) -> str:
    inner = path.removeprefix(root.rstrip("/"))
    return inner if inner.startswith("/") and is_served(inner) else path
