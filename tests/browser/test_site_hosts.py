"""The page without a server on all sorts of hosts: new versions, neighbours, policies, frames."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, BrowserContext, ConsoleMessage, FrameLocator, Page, expect

from tests.browser.helpers import translation
from tests.browser.site_server import COMPILED, Host, another, hosted
from transformer import Translator
from transformer.site.contents import Contents
from transformer.site.folder import write_file, write_folder

pytestmark = pytest.mark.slow

SENTENCE = "He said, “Yes!” and left."

# `wait_for_function` looks again by what the site's policy forbids.
KEPT = """async () => {
    const { serviceWorker } = navigator;
    const controlled = new Promise((done) => (serviceWorker.oncontrollerchange = done));
    if (!serviceWorker.controller) await controlled;
}"""
NEXT_IS_HERE = """async () => {
    const registration = await navigator.serviceWorker.getRegistration();
    await registration.update();
    const { installing } = registration;
    if (installing) await new Promise((done) => (installing.onstatechange = done));
}"""

# What the site's makers shipped before a second deployment could break it, as far as it answers: a
# build was kept with the first bytes of another one.
STUCK = """
const name = "headlight-0123456789ab";
const page = '<script type="module" src="ba9876543210/joined/site.js"></script>';
addEventListener("install", (event) => event.waitUntil(
    caches.open(name).then((cache) => cache.put(
        "./", new Response(page, { headers: { "Content-Type": "text/html" } })))));
addEventListener("activate", (event) => event.waitUntil(clients.claim()));
addEventListener("message", ({ data }) => data === "take over" && skipWaiting());
addEventListener("fetch", (event) => event.request.mode === "navigate" &&
    event.respondWith(caches.match(new URL("./", location.href).href, { cacheName: name })));
"""

FRAMES = (
    "",  # as Moodle and Canvas make one of an address
    'sandbox="allow-scripts allow-popups allow-top-navigation-by-user-activation allow-forms '
    'allow-same-origin allow-storage-access-by-user-activation"',  # as Notion does
    'sandbox="allow-scripts allow-same-origin allow-popups allow-downloads"',  # no forms
    'sandbox="allow-scripts"',  # and no origin, as in what is written by hand into Blackboard
)
"""What frames are allowed."""


@pytest.fixture
def folder(tmp_path: Path, contents: Contents) -> Path:
    write_folder(tmp_path / "site", contents)
    return tmp_path / "site"


@pytest.fixture
def host(folder: Path) -> Iterator[Host]:
    with hosted(folder) as host:
        yield host


@pytest.fixture
def context(browser: Browser) -> Iterator[BrowserContext]:
    """Somebody whose browser keeps what it is given."""
    context = browser.new_context(locale="en-US", viewport={"width": 1280, "height": 900})
    yield context
    context.close()


def visit(context: BrowserContext, address: str) -> Page:
    page = context.new_page()
    page.goto(address)
    page.locator("[data-ready]").wait_for()
    return page


def translate(page: Page | FrameLocator, sentence: str = SENTENCE) -> None:
    box = page.get_by_role("textbox", name="Source sentence")
    box.fill(sentence)
    box.press("Enter")


def expect_translation(page: Page | FrameLocator, text: str) -> None:
    expect(translation(page).get_by_text(text, exact=True)).to_be_visible()


def expect_version(page: Page, number: int) -> None:
    expect(page.get_by_role("button", name=f"Translate {number}")).to_be_visible()


def test_a_second_deployment_takes_the_place_of_the_first(
    context: BrowserContext, contents: Contents, host: Host, folder: Path
) -> None:
    host.headers = {"Cache-Control": "max-age=600"}  # as GitHub's pages have it
    page = visit(context, host.address)
    page.evaluate(KEPT)
    write_folder(folder, another(contents, action="Translate 2"))
    page.evaluate(NEXT_IS_HERE)
    page.reload()
    expect_version(page, 2)
    page.close()
    page = visit(context, host.address)
    expect_version(page, 2)


def test_a_page_that_an_earlier_version_left_blank_comes_back_by_itself(
    context: BrowserContext, contents: Contents, host: Host, folder: Path
) -> None:
    (folder / "service-worker.js").write_text(STUCK)
    page = visit(context, host.address)
    page.evaluate(KEPT)
    page.reload()
    expect(page.locator("#late, [data-ready]")).to_have_count(0)
    write_folder(folder, another(contents, action="Translate 2"))
    page.reload()
    expect_version(page, 2)
    assert page.evaluate("caches.has('headlight-0123456789ab')") is False


def test_a_tab_that_was_open_during_a_deployment_offers_the_new_version(
    context: BrowserContext, contents: Contents, host: Host, folder: Path, translator: Translator
) -> None:
    page, other = visit(context, host.address), visit(context, host.address)
    page.evaluate(KEPT)
    write_folder(folder, another(contents, action="Translate 2"))
    host.gone = ("/models/",)
    translate(page)
    message = page.get_by_role("status").filter(has_text="There is a new version of this page")
    load = message.get_by_role("button", name="Load it")
    expect(load).to_be_visible()
    host.gone = ()
    load.click()
    expect_version(page, 2)
    translate(page)
    expect_translation(page, translator.translate(SENTENCE))
    other.close()


def test_what_lies_beside_it_is_not_its_own(
    context: BrowserContext, host: Host, folder: Path
) -> None:
    (folder / "moodle").mkdir()
    for path in ("handout.html", "moodle/index.html"):
        (folder / path).write_text("<title>Mine</title>")
    page = visit(context, host.address)
    page.evaluate(KEPT)
    for path in ("handout.html", "moodle/"):
        page.goto(host.address + path)
        expect(page).to_have_title("Mine")
    context.set_offline(True)
    page.goto(f"{host.address}index.html?step=2")
    page.locator("[data-ready]").wait_for()


def test_two_classes_of_one_host_keep_a_headlight_each(
    context: BrowserContext, contents: Contents, tmp_path: Path
) -> None:
    classes = ("one/", "two/")
    for name in classes:
        write_folder(tmp_path / "both" / name, another(contents, f"Translate {name}"))
    with hosted(tmp_path / "both") as host:
        host.headers = {"Cache-Control": "no-store"}  # else the browser itself would keep a page
        for name in classes:
            page = visit(context, host.address + name)
            page.evaluate(KEPT)
        context.set_offline(True)
        for name in classes:
            visit(context, host.address + name)


def test_a_full_disk_takes_no_answer_away(
    context: BrowserContext, host: Host, translator: Translator
) -> None:
    page = visit(context, host.address)
    page.evaluate(KEPT)
    session = context.new_cdp_session(page)
    full = {"origin": host.address.rstrip("/"), "quotaSize": 1}
    session.send("Storage.overrideQuotaForOrigin", full)
    example = page.get_by_role("group", name="Examples").get_by_role("button").last
    expected = translator.translate(example.inner_text())
    example.click()
    expect_translation(page, expected)
    # Nobody could compute how it learnt, if what the folder has of that were taken away.
    page.get_by_role("tab", name="Training").click()
    expect(
        page.get_by_role("alert").filter(has_text="holds no history of its training")
    ).to_be_visible()


def test_a_host_with_a_policy_of_its_own_shows_it_all(
    context: BrowserContext, host: Host, translator: Translator
) -> None:
    policy = "default-src 'self'; script-src 'self'; worker-src 'self'"
    host.headers = {"Content-Security-Policy": policy}
    page = visit(context, host.address)
    translate(page)
    expect_translation(page, translator.translate(SENTENCE))
    assert [engine.evaluate(COMPILED) for engine in page.workers] == [False]


def test_a_host_that_allows_one_file_no_worker_is_told_of(
    context: BrowserContext, contents: Contents, host: Host, folder: Path
) -> None:
    write_file(folder / "file.html", contents)
    host.headers = {"Content-Security-Policy": "worker-src 'self'"}
    page = visit(context, f"{host.address}file.html")
    translate(page)
    message = page.get_by_role("alert").filter(
        has_text="the site or the frame that shows it forbids"
    )
    expect(message).to_be_visible()


def test_it_works_in_the_frames_of_learning_platforms(
    context: BrowserContext, host: Host, folder: Path, translator: Translator
) -> None:
    host.headers = {"Access-Control-Allow-Origin": "*"}  # as GitHub's pages have it
    frames = [
        f'<iframe src="./?embed=1&step=2" {limits} width="1200" height="800"></iframe>'
        for limits in FRAMES
    ]
    (folder / "course.html").write_text(f'<link rel="icon" href="data:,">{"".join(frames)}')
    page, failed = context.new_page(), list[str]()

    def listen(message: ConsoleMessage) -> None:
        if message.type == "error":
            failed.append(message.text)

    page.on("console", listen)
    page.on("pageerror", lambda error: failed.append(str(error)))
    page.goto(f"{host.address}course.html")
    every = [page.frame_locator("iframe").nth(i) for i in range(len(frames))]
    for frame in every:
        frame.locator("[data-ready]").wait_for()
    assert page.evaluate("document.activeElement.localName") == "body"
    for frame in every:
        translate(frame)
        expect_translation(frame, translator.translate(SENTENCE))
        frame.get_by_role("textbox", name="Source sentence").fill("Don't be late.")
        frame.get_by_role("button", name="Translate").click()
        expect_translation(frame, translator.translate("Don't be late."))
    assert not failed


def test_a_model_that_was_kept_damaged_is_fetched_again_unasked(
    context: BrowserContext, host: Host, translator: Translator
) -> None:
    page = visit(context, host.address)
    page.evaluate(KEPT)
    translate(page)
    expect_translation(page, translator.translate(SENTENCE))
    damaged = page.evaluate(
        """async () => {
            const found = [];
            for (const name of await caches.keys()) {
                const cache = await caches.open(name);
                for (const request of await cache.keys()) {
                    if (!request.url.includes("/models/")) continue;
                    const { byteLength } = await (await cache.match(request)).arrayBuffer();
                    // One as a browser may keep it, one as a disk may.
                    const config = request.url.endsWith("config.json");
                    await cache.put(request, new Response(new Uint8Array(config ? byteLength : 0)));
                    found.push(request.url);
                }
            }
            return found.length;
        }"""
    )
    assert damaged >= 3
    page.reload()
    page.locator("[data-ready]").wait_for()
    translate(page, "Don't be late.")
    expect_translation(page, translator.translate("Don't be late."))
    context.set_offline(True)
    page.reload()
    page.locator("[data-ready]").wait_for()
    translate(page)
    expect_translation(page, translator.translate(SENTENCE))


def test_nothing_is_fetched_twice(
    context: BrowserContext, host: Host, translator: Translator
) -> None:
    page = visit(context, host.address)
    page.evaluate(KEPT)
    assert not [path for path in host.asked if path.endswith("replay.html")]
    host.headers = {"Cache-Control": "no-store"}  # now all that is kept the page keeps itself
    other = visit(context, host.address)
    host.slow = "model.safetensors.bin"
    for each in (page, other):  # at the same time
        translate(each)
    for each in (page, other):
        expect_translation(each, translator.translate(SENTENCE))
    twice = {path for path, times in host.asked.items() if times > 1}
    assert twice <= {"/", "/manifest.json", "/service-worker.js"}


def test_a_folder_that_was_opened_from_a_disk_says_so(
    context: BrowserContext, folder: Path
) -> None:
    page = context.new_page()
    page.goto((folder / "index.html").as_uri())
    expect(page.get_by_text("Use the single file")).to_be_visible()
    expect(page.get_by_text("Check the connection")).to_be_hidden()
