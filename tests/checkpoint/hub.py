"""A hub of our own on loopback: what the Hugging Face Hub answers, as far as an import asks it."""

import hashlib
import json
import re
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

LARGE = (".bin", ".safetensors")

MODEL = "Helsinki-NLP/opus-mt-en-zh"
"""What the fixture `hub` has."""


@dataclass
class Hub:
    """The models of a hub, and what is wrong with it.

    Attributes:
        url: for $HF_ENDPOINT.
        models: folders by name and revision: a commit, or "refs/pr/1".
        requests: pull requests by model: number, author and title.
        asked: every path and range that was asked for, in order.
        cut: end a large file after so many bytes, as a network does.
        damage: send other bytes than were announced.
        damaged: the same of these small files.
        overrides: what is told of every model instead.
        ranges: whether a part of a file can be asked for.
        hold: large files wait for it.
        closed: whether discussions are.
        commit: what every commit is called, if not by its hash.
    """

    url: str = ""
    models: dict[str, dict[str, Path]] = field(default_factory=dict[str, dict[str, Path]])
    requests: dict[str, list[tuple[int, str, str]]] = field(
        default_factory=dict[str, list[tuple[int, str, str]]]
    )
    asked: list[str] = field(default_factory=list[str])
    cut: int = 0
    damage: bool = False
    damaged: set[str] = field(default_factory=set[str])
    overrides: dict[str, Any] = field(default_factory=dict[str, Any])
    ranges: bool = True
    hold: threading.Event = field(default_factory=threading.Event)
    closed: bool = False
    commit: str = ""

    def describe(self, model: str, revision: str) -> dict[str, Any]:
        folder = self.models[model][revision]
        config = folder / "config.json"
        payload = json.loads(config.read_text(encoding="utf-8")) if config.exists() else {}
        siblings: list[dict[str, Any]] = []
        for path in sorted(folder.iterdir()):
            content = path.read_bytes()
            sibling: dict[str, Any] = {"rfilename": path.name, "size": len(content)}
            if path.suffix in LARGE:
                digest = hashlib.sha256(content).hexdigest()
                sibling["lfs"] = {"size": len(content), "sha256": digest, "pointerSize": 134}
            else:
                blob = f"blob {len(content)}\0".encode() + content
                sibling["blobId"] = hashlib.sha1(blob).hexdigest()
            siblings.append(sibling)
        commit = hashlib.sha1(f"{model} {revision}".encode()).hexdigest()
        self.models[model].setdefault(commit, folder)
        return {
            "id": model,
            "sha": self.commit or commit,
            "private": False,
            "config": {"model_type": payload.get("model_type")} if payload else None,
            "cardData": {"license": "cc-by-4.0"},
            "siblings": siblings,
            **self.overrides,
        }

    def named(self, model: str, revision: str, file: Path) -> dict[str, str]:
        """The headers by which the library knows a file's version."""
        size, commit = file.stat().st_size, self.describe(model, revision)["sha"]
        etag = hashlib.sha256(file.read_bytes()).hexdigest()
        return {"X-Repo-Commit": commit, "ETag": f'"{etag}"', "X-Linked-Size": str(size)}

    def discussions(self, model: str) -> dict[str, Any]:
        items = [
            {
                "title": title,
                "num": number,
                "author": {"name": author},
                "createdAt": "2024-01-01T00:00:00.000Z",
                "status": "open",
                "repo": {"name": model, "type": "model"},
                "isPullRequest": True,
            }
            for number, author, title in self.requests.get(model, [])
        ]
        return {"count": len(items), "start": 0, "discussions": items}


@contextmanager
def running() -> Iterator[Hub]:
    """A hub without a model, until the end of the block."""
    hub = Hub()
    hub.hold.set()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def log_message(self, format: str, *args: Any) -> None:
            pass

        def do_HEAD(self) -> None:
            self.do_GET()

        def do_GET(self) -> None:
            path = unquote(urlsplit(self.path).path)
            hub.asked.append(f"{path} {self.headers.get('Range', '')}".strip())
            if match := re.fullmatch(r"/api/models/([^/]+/[^/]+)/discussions", path):
                if hub.closed:
                    self._send(403, b"", {})
                else:
                    self._json(hub.discussions(match[1]))
            elif match := re.fullmatch(r"/api/models/([^/]+/[^/]+)(?:/revision/(.+))?", path):
                revision = match[2] or "main"
                if revision in hub.models.get(match[1], {}):
                    self._json(hub.describe(match[1], revision))
                else:
                    self._missing("RepoNotFound" if match[1] not in hub.models else "")
            elif match := re.fullmatch(r"/([^/]+/[^/]+)/resolve/(.+)/([^/]+)", path):
                folder = hub.models.get(match[1], {}).get(match[2])
                if folder is None:
                    self._missing("RepoNotFound" if match[1] not in hub.models else "")
                elif not (file := folder / match[3]).is_file():
                    self._missing("EntryNotFound")
                elif match[3].endswith(LARGE):  # as the hub does, which stores them elsewhere
                    self._send(302, b"", {"Location": f"{hub.url}/stored{self.path}"})
                else:
                    self._file(file, hub.named(match[1], match[2], file))
            elif match := re.fullmatch(r"/stored/([^/]+/[^/]+)/resolve/(.+)/([^/]+)", path):
                file = hub.models[match[1]][match[2]] / match[3]
                self._file(file, hub.named(match[1], match[2], file))
            else:  # a folder of a model's is none of the double's
                self._missing("EntryNotFound" if "/tree/" in path else "")

        def _json(self, content: dict[str, Any]) -> None:
            self._send(200, json.dumps(content).encode(), {"Content-Type": "application/json"})

        def _missing(self, code: str) -> None:
            self._send(404, b"", {"X-Error-Code": code or "RevisionNotFound"})

        def _file(self, path: Path, named: Mapping[str, str] | None = None) -> None:
            content = path.read_bytes()
            if path.name in hub.damaged:
                content = b"0" * len(content)
            status, headers = 200, dict(named or {})
            asked = re.fullmatch(r"bytes=(\d+)-", self.headers.get("Range", ""))
            if asked and hub.ranges:
                start = int(asked[1])
                headers["Content-Range"] = f"bytes {start}-{len(content) - 1}/{len(content)}"
                status, content = 206, content[start:]
            if path.suffix in LARGE:
                if hub.damage:
                    content = bytes(len(content))
                if hub.cut:
                    headers["Content-Length"] = str(len(content))
                    content = content[: hub.cut]
                    self.close_connection = True
            self._send(status, content, headers, hold=path.suffix in LARGE)

        def _send(
            self, status: int, content: bytes, headers: dict[str, str], hold: bool = False
        ) -> None:
            self.send_response(status)
            for name, value in ({"Content-Length": str(len(content))} | headers).items():
                self.send_header(name, value)
            self.end_headers()
            if self.command == "HEAD":
                return
            half = len(content) // 2 if hold else 0
            self.wfile.write(content[:half])
            if hold:
                hub.hold.wait(30)
            self.wfile.write(content[half:])

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    # Half a second by default, which `shutdown` waits for.
    thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    hub.url = f"http://127.0.0.1:{server.server_port}"
    try:
        yield hub
    finally:
        hub.hold.set()
        server.shutdown()
        server.server_close()
        thread.join()
