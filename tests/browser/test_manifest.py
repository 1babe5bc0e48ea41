"""The page can be installed as an app, under its own name and with its own icons."""

from io import BytesIO
from typing import Any
from urllib.parse import urljoin

import httpx
from PIL import Image

from tests.browser.conftest import Open


def test_a_browser_would_install_it(address: str, open_page: Open) -> None:
    page = open_page()
    browser = page.context.new_cdp_session(page)
    manifest = browser.send("Page.getAppManifest")
    assert manifest["url"] == f"{address}manifest.json"
    assert manifest["errors"] == []
    # A test's browser is always "incognito"; nothing else may speak against it.
    against = browser.send("Page.getInstallabilityErrors")["installabilityErrors"]
    assert {error["errorId"] for error in against} <= {"in-incognito"}


def test_its_name_icons_and_colours_are_ours(address: str, open_page: Open) -> None:
    url = f"{address}manifest.json"
    response = httpx.get(url)
    assert response.headers["content-type"] == "application/manifest+json"
    manifest: dict[str, Any] = response.json()
    assert manifest["short_name"] == "Headlight"
    assert urljoin(url, manifest["start_url"]) == address
    assert manifest["display"] == "standalone"

    paper = open_page().evaluate(
        "getComputedStyle(document.querySelector('.headlight')).getPropertyValue('--paper')"
    )
    assert manifest["theme_color"] == manifest["background_color"] == paper

    sizes: set[tuple[str, str]] = set()
    for icon in manifest["icons"]:
        source = httpx.get(urljoin(url, icon["src"]))
        assert source.headers["content-type"].startswith(icon["type"])
        sizes.add((icon["sizes"], icon.get("purpose", "any")))
        if icon["type"] == "image/png":
            picture = Image.open(BytesIO(source.content))
            assert f"{picture.width}x{picture.height}" == icon["sizes"]
            # One that the system cuts to its own shape has no corners of its own.
            corner = picture.convert("RGBA").tobytes()[:4]
            assert (corner[3] == 255) == (icon.get("purpose") == "maskable")
    assert sizes >= {("192x192", "any"), ("512x512", "any"), ("512x512", "maskable")}
