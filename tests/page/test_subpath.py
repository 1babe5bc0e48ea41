"""A path that leads to the page: what a server that was told of it makes of a request."""

import pytest
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import PlainTextResponse
from starlette.routing import Mount
from starlette.testclient import TestClient
from starlette.types import Receive, Scope, Send

from headlight.subpath import Subpath


async def echo(scope: Scope, receive: Receive, send: Send) -> None:
    path = scope["path"].removeprefix(scope["root_path"])
    await PlainTextResponse(f"{path} of {Request(scope).base_url.path}")(scope, receive, send)


APP = Starlette(routes=[Mount("/headlight", echo)], middleware=[Middleware(Subpath)])


@pytest.mark.parametrize(
    "root_path", ["", "/headlight", "/lab/headlight", "https://school.test/lab/"]
)
def test_a_file_is_found_whether_the_path_was_cut_off_or_handed_on(root_path: str) -> None:
    client = TestClient(APP, root_path=root_path)
    prefix = root_path.removeprefix("https://school.test").rstrip("/")
    for path in ("/headlight/1/assets/a.js", f"{prefix}/headlight/1/assets/a.js"):
        assert client.get(path).text.startswith("/1/assets/a.js of ")
