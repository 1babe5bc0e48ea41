"""The page as an app of its own: how it is called and drawn where people install it."""

from typing import Any

from starlette.responses import JSONResponse
from starlette.routing import Route

PAPER = "#fcfbf8"
"""The page's own background, in assets/styles/theme.css."""


def manifest_route(address: str) -> Route:
    """Answers before Gradio does, whose manifest knows neither our icons nor our colours.

    Args:
        address: of the viewer's files, from the page's.
    """
    manifest = manifest_json(address)

    def answer(_: object) -> JSONResponse:
        return JSONResponse(manifest, media_type="application/manifest+json")

    return Route("/manifest.json", answer)


def manifest_json(address: str) -> dict[str, Any]:
    """The web app manifest; its addresses count from its own, so it may lie under any path.

    Source: https://www.w3.org/TR/appmanifest/
    """
    return {
        "id": "./",
        "name": "Headlight · 注意力探照灯",
        "short_name": "Headlight",
        "description": "See where every attention head of a Transformer looks while it translates.",
        "start_url": "./",
        "scope": "./",
        "display": "standalone",
        "background_color": PAPER,
        "theme_color": PAPER,
        "categories": ["education"],
        "icons": [
            {"src": f"{address}/favicon.svg", "sizes": "any", "type": "image/svg+xml"},
            *(
                {
                    "src": f"{address}/icons/{size}.png",
                    "sizes": f"{size}x{size}",
                    "type": "image/png",
                }
                for size in (192, 512)
            ),
            # With a margin, and no corners of its own: the system cuts its own shape out of it.
            {
                "src": f"{address}/icons/maskable.png",
                "sizes": "512x512",
                "type": "image/png",
                "purpose": "maskable",
            },
        ],
    }
