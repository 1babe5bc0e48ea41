"""Run the last commit as a Hugging Face Space does, open it in Chromium, and say what holds.

A clean folder, the packages of requirements.txt and what these need, nothing else; a Space's
variables; a home and a folder that cannot be written to; two cores. Then once more with the library
of guests, and one of them, with random weights, to open with. Linux only.
"""

import os
import re
import signal
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib.metadata import Distribution, PackageNotFoundError, distribution
from pathlib import Path
from tempfile import TemporaryDirectory
from time import monotonic, sleep
from urllib.request import urlopen

from packaging.requirements import Requirement
from playwright.sync_api import ConsoleMessage, Page, expect, sync_playwright

from headlight.guests import LIBRARY, SETTING
from scripts.browser import find_chromium
from tests.guests.folders import decoder

ROOT = Path(__file__).parents[1]
CORES = 2
SENTENCE = "Where is the station?"
PROMPT = "The bank of the"
WAIT_SECONDS = 60


def check_out(folder: Path) -> None:
    """The last commit, as someone who uploads it sends it."""
    folder.mkdir(parents=True)
    archive = subprocess.run(
        ["git", "archive", "HEAD"], cwd=ROOT, capture_output=True, check=True
    ).stdout
    subprocess.run(["tar", "-x"], cwd=folder, input=archive, check=True)


def required(requirements: Path, *more: str) -> dict[str, Distribution]:
    """The installed packages that a file of requirements asks for, and all that these ask for.

    Args:
        requirements: the file.
        more: what else is asked for.
    """
    lines = (line.partition("#")[0].strip() for line in requirements.read_text().splitlines())
    wanted = [Requirement(line) for line in filter(None, (*lines, *more))]
    distributions: dict[str, Distribution] = {}
    seen: set[tuple[str, str]] = set()
    while wanted:
        requirement = wanted.pop()
        for extra in ("", *requirement.extras):
            name = re.sub(r"[-_.]+", "-", requirement.name).lower()
            if (name, extra) in seen:
                continue
            seen.add((name, extra))
            package = distributions[name] = distribution(requirement.name)
            needs = (Requirement(text) for text in package.requires or [])
            wanted += [n for n in needs if n.marker is None or n.marker.evaluate({"extra": extra})]
    return distributions


def lend(packages: dict[str, Distribution], folder: Path) -> None:
    """Links what these packages have installed, and nothing else, into a folder."""
    folder.mkdir()
    for package in packages.values():
        for top in {file.parts[0] for file in package.files or []} - {"..", "__pycache__"}:
            link = folder / top
            if not link.is_symlink():
                link.symlink_to(Path(str(package.locate_file(top))).resolve())


@contextmanager
def space(app: Path, packages: Path, home: Path, models: str = "") -> Iterator[str]:
    """The app, running, with these guests; gives its address."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    environment = {
        "GRADIO_SERVER_NAME": "0.0.0.0",
        "GRADIO_SERVER_PORT": str(port),
        "HOME": str(home),
        "PATH": os.environ["PATH"],
        "PYTHONPATH": str(packages),
        "SPACE_ID": "someone/headlight",
        "SYSTEM": "spaces",
        **({SETTING: models} if models else {}),
    }
    for folder in (home, app):
        folder.chmod(0o555)
    # To root no folder is read-only, unless it gives that power up.
    drop = ("setpriv", "--bounding-set=-dac_override", "--inh-caps=-dac_override", "--")
    powerless = drop if os.geteuid() == 0 else ()
    command = [*powerless, sys.executable, "-S", "app.py"]  # -S: without this environment's own
    allowed = sorted(os.sched_getaffinity(0))[:CORES]
    with subprocess.Popen(
        command, cwd=app, env=environment, preexec_fn=lambda: os.sched_setaffinity(0, allowed)
    ) as process:
        try:
            url = f"http://127.0.0.1:{port}"
            wait_for(url, process)
            yield url
        finally:
            process.send_signal(signal.SIGTERM)
            status = process.wait(WAIT_SECONDS)
            for folder in (home, app):
                folder.chmod(0o755)
    if status:
        raise SystemExit(f"error: told to stop, it ended with {status}")


def wait_for(url: str, process: "subprocess.Popen[bytes]") -> None:
    """Waits until the address answers."""
    start = monotonic()
    while not answers_at(url):
        if process.poll() is not None or monotonic() - start > WAIT_SECONDS:
            raise SystemExit("error: it did not start")
        sleep(0.1)


def answers_at(url: str) -> bool:
    """Whether somebody does."""
    try:
        urlopen(url, timeout=5).close()
    except OSError:
        return False
    return True


def visit(url: str, look: Callable[[Page], None]) -> list[str]:
    """What is wrong with the page, as a visitor sees it who looks at it in some way."""
    wrong: list[str] = []

    def listen(message: ConsoleMessage) -> None:
        if message.type in ("error", "warning"):
            wrong.append(f"the console says: {message.text}")

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=find_chromium())
        page = browser.new_page(locale="en-US")
        page.on("console", listen)
        page.on("pageerror", lambda error: wrong.append(f"a script failed: {error}"))
        hosts = (url, "data:", "blob:")
        page.on(
            "request",
            lambda request: None if request.url.startswith(hosts) else wrong.append(request.url),
        )
        start = monotonic()
        page.goto(url)
        page.locator("[data-ready]").wait_for()
        print(f"first picture after {monotonic() - start:.1f} s")
        look(page)
        if page.get_by_role("tab", name="BertViz").count():
            wrong.append("there is a BertViz tab, whose files are no requirement")
        browser.close()
    return wrong


def translate(page: Page) -> None:
    """A sentence is typed, and translated."""
    page.get_by_role("textbox", name="Source sentence").fill(SENTENCE)
    page.keyboard.press("Enter")
    page.get_by_role("listbox", name="Source").get_by_text("station").first.wait_for()
    print(f"{SENTENCE} → {page.locator('output.translation').inner_text()}")


def go_on(page: Page) -> None:
    """A guest goes on with a prompt, and is stepped."""
    status = page.get_by_role("status", name="Step status")
    expect(status).not_to_be_empty(timeout=1000 * WAIT_SECONDS)
    box = page.get_by_role("textbox", name="Prompt")
    box.fill(PROMPT)
    box.press("Enter")
    expect(page.get_by_role("listbox", name="Read so far")).to_contain_text("bank")
    page.get_by_role("button", name="First step").click()
    expect(status).to_contain_text("Step 1 of")
    page.get_by_role("button", name="Next step").click()
    expect(status).to_contain_text("Step 2 of")
    print(f"a guest: {status.inner_text()}")


def main() -> int:
    """The exit status: 1 if something is wrong."""
    with TemporaryDirectory(prefix="space-") as temporary:
        home, packages = Path(temporary, "home"), Path(temporary, "packages")
        app = home / "app"
        check_out(app)
        try:
            distributions = required(app / "requirements.txt")
        except PackageNotFoundError as error:
            raise SystemExit(f"error: {error} is required, and not installed") from error
        lend(distributions, packages)
        print(f"{len(distributions)} packages from requirements.txt and what they need")
        with space(app, packages, home) as url:
            wrong = visit(url, translate)
        lent, guest = Path(temporary, "with-guests"), decoder(Path(temporary, "guest"))
        lend(required(app / "requirements.txt", LIBRARY), lent)
        with space(app, lent, home, str(guest)) as url:
            wrong += visit(url, go_on)
    for line in wrong:
        print(f"error: {line}", file=sys.stderr)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
