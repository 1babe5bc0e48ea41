"""Visit the page without a server in Chromium, Firefox and WebKit, and say what holds in each.

A first visit, a second one, a new version behind caching headers, a host's policy, a frame that
sends no forms, and no network. Engines that are not installed are named and left out.
"""

import sys
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from time import monotonic, sleep

from playwright.sync_api import Error

from scripts.engines import Tab, installed
from tests.browser.site_server import Host, another, hosted
from transformer import Translator
from transformer.site.contents import Contents, contents_of
from transformer.site.folder import write_folder

MODEL = "reverse"
SENTENCES = ("abc", "hello", "seven")
WAIT_SECONDS = 60
ENGINES = ("Chromium", "Firefox", "WebKit")

READY = "return document.querySelector('[data-ready]') !== null"
SAID = "return document.querySelector('.translation')?.textContent ?? ''"
BUILD = """
    const script = document.querySelector("script[src$='/joined/site.js']");
    return script?.getAttribute("src").split("/")[0] ?? "";
"""
KEPT = "return navigator.serviceWorker.controller !== null"
SIZES = """
    const sizes = [];
    for (const name of await caches.keys()) {
        const cache = await caches.open(name);
        for (const request of await cache.keys()) {
            if (!request.url.includes(`/models/`)) continue;
            sizes.push((await (await cache.match(request)).arrayBuffer()).byteLength);
        }
    }
    return sizes.sort((one, other) => one - other);
"""
UPDATED = """
    const registration = await navigator.serviceWorker.getRegistration();
    await registration.update();
    return registration.waiting !== null;
"""


class SiteError(Exception):
    """What was waited for did not come."""


def until(tab: Tab, script: str, wanted: object) -> None:
    """Waits until a page says this."""
    answer, end = None, monotonic() + WAIT_SECONDS
    while answer != wanted:
        if monotonic() > end:
            raise SiteError(f"{' '.join(script.split())[:60]}… is {answer!r}, not {wanted!r}")
        sleep(0.1)
        with suppress(RuntimeError, Error):  # one page goes, and another comes
            answer = tab.run(script)


def ask(tab: Tab, model: Translator, sentence: str) -> None:
    """Types a sentence, and waits for what the model says in Python."""
    until(tab, READY, True)
    tab.enter(sentence)
    until(tab, SAID, model.translate(sentence))


def look(tab: Tab, contents: Contents, folder: Path) -> None:
    """Visits a site as a class does, in all the ways in which one broke.

    Raises:
        SiteError: something is not as it should be.
    """
    model = Translator.load(MODEL)
    [files] = [each.files for each in contents.models if each.name == MODEL]
    write_folder(folder, contents)
    with hosted(folder) as host:
        host.headers = {"Cache-Control": "max-age=600"}
        tab.open(host.address)
        until(tab, READY, True)
        until(tab, KEPT, True)
        ask(tab, model, SENTENCES[0])
        until(tab, SIZES, sorted(map(len, files.values())))
        print("  a first visit, and the model is kept whole")
        before = fetched(host)
        tab.open(host.address)
        ask(tab, model, SENTENCES[1])
        if fetched(host) != before:
            raise SiteError("a model that was kept is fetched again")
        print("  a second visit, which fetches no model")
        newer = another(contents, "Another version")
        write_folder(folder, newer)
        until(tab, UPDATED, True)
        tab.run("setTimeout(() => location.reload())")
        until(tab, BUILD, newer.build)
        ask(tab, model, SENTENCES[2])
        print("  a new version in place of the old one")
    for sentence in SENTENCES:
        tab.open(host.address)
        ask(tab, model, sentence)
    print("  no network")
    with hosted(folder) as host:
        host.headers = {"Content-Security-Policy": "script-src 'self'; worker-src 'self'"}
        tab.open(host.address)
        ask(tab, model, SENTENCES[0])
        print("  a host with a policy of its own")
    # Without `allow-same-origin`, WebKit takes the page's own host for a stranger: it stays empty.
    sandbox = "allow-scripts allow-same-origin"
    (folder / "course.html").write_text(f'<iframe src="./" sandbox="{sandbox}"></iframe>')
    with hosted(folder) as host:
        tab.open(f"{host.address}course.html")
        tab.into_frame()
        ask(tab, model, SENTENCES[0])
        print("  a frame that sends no forms")


def fetched(host: Host) -> int:
    """How many files of models were asked for."""
    return sum(times for path, times in host.asked.items() if path.startswith("/models/"))


def main() -> int:
    """The exit status: 1 if something is wrong in one of the engines that are here."""
    contents = contents_of([MODEL])
    here, failed = installed(), False
    for name in ENGINES:
        print(name if name in here else f"{name} is not installed")
        if name not in here:
            continue
        with TemporaryDirectory(prefix="site-") as temporary, here[name]() as tab:
            try:
                look(tab, contents, Path(temporary, "site"))
            except SiteError as error:
                print(f"  error: {error}", file=sys.stderr)
                failed = True
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
