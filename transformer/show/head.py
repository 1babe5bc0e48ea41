"""What the head of a page names: the viewer's files, and how it looks once it is installed."""

import html
import json
import re
from typing import Any

from ..texts import template
from .viewer import ASSETS, script

PAPER = "#fcfbf8"
"""The page's own background, in assets/styles/theme.css."""

MANIFEST = template("transformer.show", "manifest.json")


def preload_links(address: str, door: str = "start") -> str:
    """What the page is to start with: the viewer's script and styles, and what these ask for first.

    Args:
        address: of the viewer's files, as the page sees it.
        door: the name of the joined script.
    """
    return (
        f'<script type="module" src="{address}/joined/{door}.js"></script>'
        f'<link rel="stylesheet" href="{address}/joined/viewer.css">'
        f"{_preload(address, 'first.json')}"
    )


def preload_texts(address: str, wish: str) -> str:
    """Asks for the texts of the language that a browser will choose (assets/kit/i18n.js).

    Args:
        address: of the viewer's files, as the page sees it.
        wish: what the browser says of languages (Accept-Language), the best first.
    """
    languages = {path.stem for path in (ASSETS / "locales").glob("*.json")}
    first = re.split(r"[-,;]", wish.strip().lower())[0]
    return _preload(address, f"locales/{first if first in languages else 'en'}.json")


def _preload(address: str, file: str) -> str:
    return f'<link rel="preload" as="fetch" crossorigin href="{address}/{file}">'


def arriving() -> str:
    """What goes before the links: it asks again for what of them did not come whole, and says so.

    In every language: until the viewer runs nobody knows which.
    """
    texts = {
        path.stem: json.loads(path.read_text(encoding="utf-8"))
        for path in sorted((ASSETS / "locales").glob("*.json"))
    }
    sentences = (
        f'<p lang="{language}">{html.escape(text["error.page_lost"])}</p>'
        for language, text in texts.items()
        if "error.page_lost" in text
    )
    return (
        f'<template id="lost">{"".join(sentences)}</template>'
        f"<script>{script('arriving.js', classic=True)}</script>"
    )


def manifest_json(address: str) -> dict[str, Any]:
    """The web app manifest; its addresses count from its own, so it may lie under any path.

    Its maskable icon has a margin and no corners: the system cuts its own shape out of it.

    Source: https://www.w3.org/TR/appmanifest/
    """
    return json.loads(MANIFEST.substitute(address=address, paper=PAPER))
