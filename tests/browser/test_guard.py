"""Only what is listed is served, whatever is tried; what is served comes with safe headers."""

import http.client
import shutil
from pathlib import Path
from urllib.parse import quote, urlsplit

import pytest
from starlette.routing import Mount

from headlight.page import ASSETS, VERSION, demo
from tests.browser.conftest import Open, Visitors

SECRET = b"the planted secret"


def get(
    address: str, path: str, method: str = "GET", body: bytes = b""
) -> tuple[int, bytes, dict[str, str]]:
    """As a stranger sends it: nothing is tidied up on the way."""
    connection = http.client.HTTPConnection(urlsplit(address).netloc, timeout=30)
    try:
        headers = {"Content-Type": "multipart/form-data; boundary=x"} if body else {}
        connection.request(method, path, body, headers)
        response = connection.getresponse()
        return response.status, response.read(), dict(response.getheaders())
    finally:
        connection.close()


@pytest.fixture
def secret(tmp_path: Path) -> Path:
    file = tmp_path / "secret.js"
    file.write_bytes(SECRET)
    return file


@pytest.fixture
def links(address: str, secret: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Symbolic links among what is served: to the secret, and to its folder.

    The viewer is served from a copy meanwhile: other tests read the folder itself.
    """
    served = tmp_path / "assets"
    shutil.copytree(ASSETS, served)
    (served / "planted.js").symlink_to(secret)
    (served / "planted").symlink_to(secret.parent)
    path = f"/headlight/{VERSION}"
    mounts = (route for route in demo.app.routes if isinstance(route, Mount))
    [mount] = [mount for mount in mounts if mount.path == path]
    monkeypatch.setattr(mount.app, "all_directories", [served])
    (served / "honest.js").write_text("1")
    assert get(address, f"{path}/honest.js")[:2] == (200, b"1")
    return ["planted.js", f"planted/{secret.name}"]


def test_a_planted_secret_stays_secret(address: str, secret: Path, links: list[str]) -> None:
    up = "../" * 12
    tries = [f"{mount}/{up}{secret}" for mount in (f"/headlight/{VERSION}", "/static", "/assets")]
    tries += [f"/headlight/{VERSION}/{quote(up + str(secret), safe='')}"]
    tries += [f"/headlight/{VERSION}/{name}" for name in ("..%2f..%2fapp.py", *links)]
    tries += [f"/headlight/{VERSION}//{secret}", f"//{secret}", f"/headlight/{secret}"]
    tries += [f"{api}/file{sep}{secret}" for api in ("", "/gradio_api") for sep in "=/"]
    tries += ["/gradio_api/file=app.py", "/gradio_api/file=/etc/passwd", "/svelte/../app.py"]
    tries += [f"/gradio_api/proxy={address}config", "/gradio_api/custom_component/1/client/x/y.js"]
    for path in tries:
        status, content, _ = get(address, path)
        assert status in (400, 403, 404), path
        assert SECRET not in content
        assert b"root:" not in content


@pytest.mark.parametrize("path", ["upload", "vibe-edit", "stream/1", "process_recording", "login"])
def test_nobody_puts_anything_on_the_disk(address: str, path: str) -> None:
    head = b'Content-Disposition: form-data; name="files"; filename="a.txt"'
    part = b"--x\r\n" + head + b"\r\n\r\nhi\r\n--x--\r\n"
    assert get(address, f"/gradio_api/{path}", "POST", part)[0] == 404


@pytest.mark.parametrize(
    "path", ["/pwa_icon/9", "/static/" + "x" * 300, "/gradio_api/heartbeat/x", "/gradio_api/reset"]
)
def test_what_nobody_needs_is_not_there(address: str, path: str) -> None:
    assert get(address, path)[:2] == (404, b"Not found")


def test_what_is_served_says_how_to_treat_it(address: str) -> None:
    for path in ("/", f"/headlight/{VERSION}/main.js", "/config", "/nowhere"):
        _, _, headers = get(address, path)
        assert headers["x-content-type-options"] == "nosniff"
        assert headers["referrer-policy"] == "same-origin"
        policy = headers["content-security-policy"]
        assert "default-src 'self'" in policy
        assert "frame-ancestors 'self' https://huggingface.co" in policy


@pytest.mark.parametrize(
    ("host", "shown"), [("https://huggingface.co", True), ("https://example.org", False)]
)
def test_a_space_may_show_it_in_a_frame_and_others_may_not(
    address: str, visitors: Visitors, host: str, shown: bool
) -> None:
    page = visitors.context(locale="en-US").new_page()
    frame = f'<iframe src="{address}" style="width: 1000px; height: 700px"></iframe>'
    page.route(f"{host}/**", lambda route: route.fulfill(body=frame, content_type="text/html"))
    # Handed on here: else the browser asks its user whether a site may reach this very machine.
    page.route(f"{address}**", lambda route: route.fulfill(response=route.fetch(max_retries=3)))
    page.goto(f"{host}/spaces/someone/headlight")
    viewer = page.frame_locator("iframe").locator("[data-ready]")
    if shown:
        viewer.wait_for()
    else:
        page.wait_for_function("frames.length === 1")
        [_, inside] = page.frames
        inside.wait_for_url("chrome-error://**")
        assert viewer.count() == 0
    page.close()


def test_the_browser_keeps_the_page_to_its_own_host(open_page: Open, complaints: list[str]) -> None:
    page = open_page()
    refused = page.evaluate(
        "fetch('http://127.0.0.1:9/').then(() => 'sent', (error) => String(error))"
    )
    assert refused != "sent"
    assert any("Content Security Policy" in text for text in complaints)
    complaints.clear()
