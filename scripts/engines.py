"""Browsers of three engines, as far as a page has to be driven in each, where they are installed.

Chromium by Playwright, Firefox by its own Marionette, WebKit by Debian's `webkit2gtk-driver` under
`xvfb`. Nothing is downloaded.
"""

import json
import os
import shutil
import socket
import subprocess
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from time import monotonic, sleep
from typing import Any, Protocol, TypeVar
from urllib.error import HTTPError
from urllib.request import Request, urlopen

from playwright.sync_api import Page, sync_playwright

from scripts.browser import find_chromium

START_SECONDS = 60
ENTER = "\ue007"
"""The key, as WebDriver writes it."""

ELEMENT = "element-6066-11e4-a52e-4f735466cecf"
"""What WebDriver names an element by."""

ASYNC = "const done = arguments[0]; (async () => {%s})().then(done, (it) => done(String(it)));"
PATHS = {
    "Navigate": "url",
    "ExecuteAsyncScript": "execute/async",
    "FindElement": "element",
    "ElementClear": "element/{id}/clear",
    "ElementSendKeys": "element/{id}/value",
    "SwitchToFrame": "frame",
}
"""WebDriver's commands, by the names that Marionette has for them."""

Found = TypeVar("Found")
Call = Callable[[str, dict[str, Any]], Any]


class Tab(Protocol):
    """A page of a browser."""

    def open(self, address: str) -> None:
        """Shows another page."""
        ...

    def run(self, script: str) -> Any:
        """What the body of an asynchronous function returns, as JSON values.

        Raises:
            RuntimeError, Error: the page is going, for another one.
        """
        ...

    def enter(self, text: str) -> None:
        """Types into the box of the source, and presses Enter."""
        ...

    def into_frame(self) -> None:
        """What follows happens in the page's only frame, until another page is opened."""
        ...


class WebDriverTab:
    """A page by WebDriver's commands."""

    def __init__(self, call: Call) -> None:
        self._call = call

    def open(self, address: str) -> None:
        """See `Tab`."""
        self._call("Navigate", {"url": address})

    def run(self, script: str) -> Any:
        """See `Tab`."""
        return self._call("ExecuteAsyncScript", {"script": ASYNC % script, "args": []})

    def enter(self, text: str) -> None:
        """See `Tab`."""
        box = self._call("FindElement", {"using": "css selector", "value": "#source"})[ELEMENT]
        self._call("ElementClear", {"id": box})
        self._call("ElementSendKeys", {"id": box, "text": text + ENTER})

    def into_frame(self) -> None:
        """See `Tab`."""
        self._call("SwitchToFrame", {"id": 0})


class ChromiumTab:
    """A page of Playwright's."""

    def __init__(self, page: Page) -> None:
        self._page = page
        self._frame = page.main_frame

    def open(self, address: str) -> None:
        """See `Tab`."""
        self._page.goto(address)
        self._frame = self._page.main_frame

    def run(self, script: str) -> Any:
        """See `Tab`."""
        return self._frame.evaluate(f"async () => {{{script}}}")

    def enter(self, text: str) -> None:
        """See `Tab`."""
        self._frame.locator("#source").fill(text)
        self._frame.locator("#source").press("Enter")

    def into_frame(self) -> None:
        """See `Tab`."""
        self._frame = self._page.frames[1]


@contextmanager
def chromium() -> Iterator[Tab]:
    """The one that the tests use."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=find_chromium())
        yield ChromiumTab(browser.new_page(locale="en-US"))
        browser.close()


@contextmanager
def firefox() -> Iterator[Tab]:
    """Mozilla's own build, or Debian's `firefox-esr`."""
    port, command = free_port(), shutil.which("firefox-esr") or "firefox"
    settings = {"marionette.port": port, "intl.accept_languages": "en-US"}
    lines = [f"user_pref({json.dumps(x)}, {json.dumps(y)});\n" for x, y in settings.items()]
    with TemporaryDirectory(prefix="firefox-") as profile:
        Path(profile, "user.js").write_text("".join(lines))
        with (
            running([command, "--headless", "--no-remote", "--marionette", "--profile", profile]),
            once_it_runs(lambda: socket.create_connection(("127.0.0.1", port))) as connection,
            connection.makefile("rb") as messages,
        ):

            def read() -> Any:
                size = b""
                while (sign := messages.read(1)) != b":":
                    size += sign
                return json.loads(messages.read(int(size)))

            def call(name: str, values: dict[str, Any]) -> Any:
                text = json.dumps([0, 1, f"WebDriver:{name}", values]).encode()
                connection.sendall(b"%d:%s" % (len(text), text))
                _, _, error, result = read()
                if error:
                    raise RuntimeError(f"{name}: {error['message']}")
                return result.get("value")

            read()  # who it is
            call("NewSession", {})
            yield WebDriverTab(call)


@contextmanager
def webkit() -> Iterator[Tab]:
    """WebKitGTK's own small browser; Safari has the same engine."""
    port = free_port()
    reader, writer = os.pipe()
    display = ["Xvfb", "-displayfd", str(writer), "-screen", "0", "1400x1000x24"]
    with running(display, pass_fds=[writer]):
        number = os.read(reader, 16).decode().strip()
        environment = {**os.environ, "DISPLAY": f":{number}", "LIBGL_ALWAYS_SOFTWARE": "1"}
        if os.geteuid() == 0:  # whom its sandbox does not let start
            environment["WEBKIT_DISABLE_SANDBOX_THIS_IS_DANGEROUS"] = "1"
        with running(["WebKitWebDriver", f"--port={port}"], env=environment):
            address = f"http://127.0.0.1:{port}/session"
            with once_it_runs(lambda: urlopen(f"http://127.0.0.1:{port}/status")):
                session = f"{address}/{request(address, {'capabilities': {}})['sessionId']}"

            def call(name: str, values: dict[str, Any]) -> Any:
                return request(f"{session}/{PATHS[name].format(**values)}", values)

            yield WebDriverTab(call)
            request(session, None)


def request(address: str, values: dict[str, Any] | None) -> Any:
    """What a driver answers; without values, a session ends."""
    body = None if values is None else json.dumps(values).encode()
    message = Request(address, body, method="DELETE" if values is None else "POST")
    try:
        with urlopen(message) as answer:
            return json.load(answer)["value"]
    except HTTPError as error:
        raise RuntimeError(error.read().decode()) from error


@contextmanager
def running(command: list[str], **options: Any) -> Iterator[None]:
    """A program that says nothing, as long as it is needed."""
    quiet = subprocess.DEVNULL
    with subprocess.Popen(command, stdout=quiet, stderr=quiet, **options) as process:
        try:
            yield
        finally:
            process.terminate()


def once_it_runs(reach: Callable[[], Found]) -> Found:
    """What can be had once a program listens."""
    end = monotonic() + START_SECONDS
    while monotonic() < end:
        with suppress(OSError):
            return reach()
        sleep(0.1)
    return reach()


def free_port() -> int:
    """One where nobody listens."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        return free.getsockname()[1]


def installed() -> dict[str, Callable[[], AbstractContextManager[Tab]]]:
    """The engines that are here, by name."""
    engines: dict[str, Callable[[], AbstractContextManager[Tab]]] = {"Chromium": chromium}
    if shutil.which("firefox-esr") or shutil.which("firefox"):
        engines["Firefox"] = firefox
    if shutil.which("WebKitWebDriver") and shutil.which("Xvfb"):
        engines["WebKit"] = webkit
    return engines
