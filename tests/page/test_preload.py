"""The page asks for the viewer in its first bytes, before Gradio's own script."""

from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import HTMLResponse
from starlette.routing import Route
from starlette.testclient import TestClient

from headlight.preload import Preload
from transformer.show.head import preload_links

GRADIO = '<script type="module" src="gradio.js"></script>'
PAGE = f"<html><head><title>Headlight</title>{GRADIO}</head><body></body></html>"


def page(_: Request) -> HTMLResponse:
    return HTMLResponse(PAGE)


def test_the_viewer_starts_and_gradio_waits_on_the_page_alone() -> None:
    links = preload_links("headlight/1")
    app = Starlette(
        routes=[Route("/", page), Route("/other", page)],
        middleware=[Middleware(Preload, links=links)],
    )
    client = TestClient(app)
    answer = client.get("/")
    assert answer.text == PAGE.replace(GRADIO, f'{links}<template id="gradio">{GRADIO}</template>')
    assert int(answer.headers["content-length"]) == len(answer.content)
    assert client.get("/other").text == PAGE
