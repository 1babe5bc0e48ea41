"""The page as an app of its own: how it is called and drawn where people install it."""

from starlette.responses import JSONResponse
from starlette.routing import Route

from transformer.show.head import manifest_json


def manifest_route(address: str) -> Route:
    """Answers before Gradio does, whose manifest knows neither our icons nor our colours.

    Args:
        address: of the viewer's files, from the page's.
    """
    manifest = manifest_json(address)

    def answer(_: object) -> JSONResponse:
        return JSONResponse(manifest, media_type="application/manifest+json")

    return Route("/manifest.json", answer)
