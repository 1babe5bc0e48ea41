"""What the server hands out: nothing but what the page and programs need, with safe headers."""

import re

from starlette.datastructures import MutableHeaders
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

# Gradio has many more routes: for uploads, files on the disk, proxying, editing the app.
SERVED = re.compile(
    r"/|/(config|theme\.css|favicon\.ico|robots\.txt|manifest\.json|pwa_icon(/\d+)?)/?"
    r"|/(assets|static|svelte|headlight)/.+"
    r"|/gradio_api/(info|openapi\.json|startup-events|app_id|theme\.css|user|login_check|cancel)/?"
    r"|/gradio_api/reset/?"
    r"|/gradio_api/run/(align|top_heads|trace|trace_summary|translate)/?"
    r"|/gradio_api/(heartbeat|mcp)(/.*)?"
)
# Which `gradio_client` asks, and nobody else.
QUEUE = re.compile(
    r"/gradio_api/(queue/join|queue/data)/?"
    r"|/gradio_api/call/(align|top_heads|trace|trace_summary|translate)(/.*)?"
)

# Gradio's page has inline scripts, and makes functions of the text of `js_on_load`.
HEADERS = {
    "Content-Security-Policy": "; ".join(
        (
            "default-src 'self'",
            "script-src 'self' 'unsafe-inline' 'unsafe-eval'",
            "style-src 'self' 'unsafe-inline'",
            "img-src 'self' data: blob:",
            "font-src 'self' data:",
            "frame-src 'self' blob:",
            "object-src 'none'",
            "base-uri 'self'",
            "form-action 'self'",
            "frame-ancestors 'self' https://huggingface.co https://*.hf.space",
        )
    ),
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "same-origin",
}


class Guard:
    """ASGI middleware: refuses what is not served, and adds the headers to what is."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Passes one request on, or answers it with 404."""

        async def send_guarded(message: Message) -> None:
            if message["type"] == "http.response.start":
                MutableHeaders(scope=message).update(HEADERS)
            await send(message)

        if scope["type"] != "http":
            await self.app(scope, receive, send)
        elif self.serves(scope["path"]):
            await self.app(scope, receive, send_guarded)
        else:
            await PlainTextResponse("Not found", 404)(scope, receive, send_guarded)

    def serves(self, path: str) -> bool:
        """Whether there is anything at a path."""
        return bool(SERVED.fullmatch(path) or QUEUE.fullmatch(path))


class UnqueuedGuard(Guard):
    """For one replica of many: its queue would keep answers from who asks another one for them."""

    def serves(self, path: str) -> bool:
        """Whether there is anything at a path."""
        return bool(SERVED.fullmatch(path))
