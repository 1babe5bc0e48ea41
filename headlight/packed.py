"""Text travels compressed: once for everybody who is sent the same, and off the event loop."""

import asyncio
import gzip
import hashlib
import os
import sys
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from threading import get_native_id
from typing import Any

import brotli
from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from transformer.serving.sharing.kept import Kept

_brotli: Any = brotli  # which has no types

KINDS = (
    *("text/", "image/svg+xml", "application/json", "application/manifest+json"),
    "application/javascript",  # as Python called it before 3.12
)

SMALLEST = 400
"""Bytes of a body that is worth it."""

AT_ONCE = 16_000
"""Bytes of a body that the event loop compresses itself, sooner than a thread would begin to."""

KEPT = 16_000_000
"""Bytes of compressed bodies that are kept."""

FILES, WAITING = 16_000_000, 4_000_000
"""Bytes of well compressed files, kept for good, and of files that wait to be: nobody can have more
done."""

QUICK, WELL = {"br": 4, "gzip": 4}, {"br": 11, "gzip": 9}
"""Qualities of an encoding: for an answer, and for a file that is compressed before it is asked."""


class Packer:
    """Compressed bodies, kept by what they say; but for `prepare`, for one event loop alone."""

    def __init__(self) -> None:
        self._threads = ThreadPoolExecutor(2, "packing")
        self._patient = ThreadPoolExecutor(1, "packing well", _let_others_go_first)
        self._prepared: dict[str, bytes] = {}
        self._names: dict[bytes, str] = {}  # of what is prepared: a file that is sent as it is
        self._bodies = Kept[str, bytes](KEPT)
        self._coming: dict[str, asyncio.Future[bytes]] = {}
        self._well: dict[str, int] = {}  # files begun to be compressed well: bytes, at most
        self._waiting = 0

    def prepare(self, bodies: Iterable[bytes]) -> None:
        """Compresses well what everybody will be sent; who asks earlier gets it done quickly."""
        for body in bodies:
            self._names[body] = _digest(body)
            for encoding, quality in WELL.items():
                self._prepared[self.key(body, encoding)] = _compress(body, encoding, quality)

    def key(self, body: bytes, encoding: str) -> str:
        """What names a body in an encoding. Python keeps the hash of a body that is sent again, so
        that what everybody is sent is not read whole for each.
        """
        digest = self._names.get(body) or _digest(body)
        return f"{digest}-{encoding}" if encoding else digest

    async def packed(
        self, body: bytes, encoding: str, key: str = "", *, is_file: bool = False
    ) -> bytes:
        """A body in an encoding, "" for none; who asks while it is compressed waits for the same.

        Equal bodies are one in memory, however many clients have not read theirs yet. A file of the
        disk, which others will be sent, too, is compressed quickly for whoever asks first, and well
        for them: once.
        """
        is_small = len(body) <= AT_ONCE
        if is_small and not is_file:
            return _compress(body, encoding, QUICK[encoding]) if encoding else body
        key = key or self.key(body, encoding)
        if stored := self._prepared.get(key) or self._bodies.get(key):
            return stored
        if not encoding:
            self._bodies.put(key, body)
            return body
        if is_small:
            packed = _compress(body, encoding, QUICK[encoding])
        else:
            packed = await asyncio.shield(self._being_packed(body, encoding, key))
        self._bodies.put(key, packed)
        if is_file and key not in self._well:
            self._begin_well(body, encoding, key, len(packed))
        return packed

    def _being_packed(self, body: bytes, encoding: str, key: str) -> asyncio.Future[bytes]:
        if not (coming := self._coming.get(key)):
            loop = asyncio.get_running_loop()
            coming = loop.run_in_executor(self._threads, _compress, body, encoding, QUICK[encoding])
            self._coming[key] = coming
            coming.add_done_callback(lambda _: self._coming.pop(key, None))
        return coming

    def _begin_well(self, body: bytes, encoding: str, key: str, most: int) -> None:
        if self._waiting + len(body) > WAITING or sum(self._well.values()) + most > FILES:
            return
        self._well[key] = most
        self._waiting += len(body)
        loop = asyncio.get_running_loop()

        def keep(packed: bytes) -> None:
            self._waiting -= len(body)
            self._prepared[key] = packed

        def pack() -> None:
            packed = _compress(body, encoding, WELL[encoding])
            with suppress(RuntimeError):  # the server has stopped
                loop.call_soon_threadsafe(keep, packed)

        self._patient.submit(pack)


class Packed:
    """ASGI middleware: sends text by brotli or gzip, whichever the client reads.

    Whatever may be kept gets an ETag, by what it says; a browser that has it is sent nothing.
    """

    def __init__(self, app: ASGIApp, packer: Packer) -> None:
        self._app = app
        self._packer = packer

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Passes one request on, and its answer compressed."""
        start: Message = {}
        pieces: list[bytes] = []

        async def gather(message: Message) -> None:
            nonlocal start
            if message["type"] == "http.response.start" and _is_packable(message):
                start = message
            elif not start:
                await send(message)
            else:
                pieces.append(message.get("body", b""))
                if not message.get("more_body", False):
                    body = b"".join(pieces)
                    pieces.clear()
                    await self._send(start, body, scope, send)

        # What has no length is sent while it is made, and passed on so.
        is_read = scope["type"] == "http" and scope["method"] in ("GET", "POST")
        await self._app(scope, receive, gather if is_read else send)

    async def _send(self, start: Message, body: bytes, scope: Scope, send: Send) -> None:
        request_headers, headers = Headers(scope=scope), MutableHeaders(raw=list(start["headers"]))
        encoding = encoding_for(request_headers.get("accept-encoding", ""))
        headers.add_vary_header("Accept-Encoding")
        key = self._packer.key(body, encoding)
        is_cacheable = scope["method"] == "GET" and "no-store" not in headers.get(
            "cache-control", ""
        )
        if is_cacheable:
            headers["ETag"] = tag = f'"{key}"'
            if tag in request_headers.get("if-none-match", ""):
                del headers["content-length"]
                await send({**start, "status": 304, "headers": headers.raw})
                await send({"type": "http.response.body"})
                return
        if len(body) < SMALLEST:
            encoding = ""
        # Of other answers there are as many as addresses by which a client may ask.
        is_file = is_cacheable and "last-modified" in headers
        body = await self._packer.packed(body, encoding, key, is_file=is_file)
        if encoding:
            headers["Content-Encoding"] = encoding
            del headers["Accept-Ranges"]
        headers["Content-Length"] = str(len(body))
        await send({**start, "headers": headers.raw})
        await send({"type": "http.response.body", "body": body})


def encoding_for(accepted: str) -> str:
    """The encoding that a client takes: brotli, else gzip; "" if it takes neither.

    Source: https://www.rfc-editor.org/rfc/rfc9110#field.accept-encoding
    """
    taken: dict[str, bool] = {}
    for each in accepted.lower().split(","):
        name, _, quality = each.replace(" ", "").partition(";q=")
        taken[name] = not quality or quality.strip("0.") != ""
    return next((name for name in QUICK if taken.get(name, taken.get("*", False))), "")


def _is_packable(start: Message) -> bool:
    headers = Headers(raw=start["headers"])
    return (
        start["status"] == 200
        and "content-length" in headers
        and "content-encoding" not in headers
        and headers.get("content-type", "").startswith(KINDS)
    )


def _digest(body: bytes) -> str:
    return hashlib.blake2b(body, digest_size=16).hexdigest()


def _compress(body: bytes, encoding: str, quality: int) -> bytes:
    if encoding == "br":
        return _brotli.compress(body, quality=quality)
    return gzip.compress(body, quality, mtime=0)


def _let_others_go_first() -> None:
    """Has this thread's work done when no other wants the processor, where threads have a rank."""
    if sys.platform == "linux":
        os.setpriority(os.PRIO_PROCESS, get_native_id(), 19)
