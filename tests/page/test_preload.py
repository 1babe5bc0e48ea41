"""The page asks for the viewer in its first bytes, before Gradio's own script."""

import re
from functools import partial

from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import HTMLResponse
from starlette.routing import Route
from starlette.testclient import TestClient

from headlight.preload import Preload
from transformer.show.head import preload_links, preload_texts

GRADIO = '<script type="module" src="gradio.js"></script>'
PAGE = f"<html><head><title>Headlight</title>{GRADIO}</head><body></body></html>"


def page(_: Request) -> HTMLResponse:
    return HTMLResponse(PAGE)


def test_the_viewer_starts_and_gradio_waits_on_the_page_alone() -> None:
    links, texts = preload_links("headlight/1"), partial(preload_texts, "headlight/1")
    app = Starlette(
        routes=[Route("/", page), Route("/other", page)],
        middleware=[Middleware(Preload, links=links, texts=texts)],
    )
    client = TestClient(app)
    for wish, language in (("zh-CN,zh;q=0.9,en;q=0.8", "zh"), ("FR", "fr"), ("xx, zh", "en")):
        answer = client.get("/", headers={"Accept-Language": wish})
        head = f'{links}{texts(wish)}<template id="gradio">{GRADIO}</template>'
        assert answer.text == PAGE.replace(GRADIO, head)
        assert re.findall(r"/locales/(\w+)", answer.text) == [language]
        assert int(answer.headers["content-length"]) == len(answer.content)
        assert answer.headers["vary"] == "Accept-Language"
    assert client.get("/other").text == PAGE
