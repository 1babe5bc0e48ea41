"""What the head of a page names: the viewer's files, and how it looks once it is installed."""

from typing import Any

PAPER = "#fcfbf8"
"""The page's own background, in assets/styles/theme.css."""


def preload_links(address: str, door: str = "start") -> str:
    """What the page is to start with: the viewer's script and styles, and what these ask for first.

    Args:
        address: of the viewer's files, as the page sees it.
        door: the name of the joined script.
    """
    # English stands in wherever another language lacks a text.
    asked = ("first.json", "locales/en.json")
    answers = (f'<link rel="preload" as="fetch" crossorigin href="{address}/{x}">' for x in asked)
    return (
        f'<script type="module" src="{address}/joined/{door}.js"></script>'
        f'<link rel="stylesheet" href="{address}/joined/viewer.css">{"".join(answers)}'
    )


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
