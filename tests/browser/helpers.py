"""What several browser tests do on the page, and read off it."""

import base64
import json
import re
from typing import Any

import numpy.typing as npt
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import FrameLocator, Locator, Page, expect

from headlight.answer_route import ADDRESS
from transformer.trace.kinds import Kind

REQUEST = f"**/{ADDRESS}"
"""What the viewer asks of its server."""

TITLES: dict[Kind, str] = {
    "encoder_self": "Encoder self-attention",
    "decoder_self": "Decoder self-attention",
    "cross": "Cross-attention",
}


def translate(page: Page, sentence: str) -> None:
    """Fills the box in, presses Enter, and waits for the picture of this very sentence."""
    page.get_by_role("textbox", name="Source sentence").fill(sentence)
    page.keyboard.press("Enter")
    expect(page.get_by_role("listbox", name="Source")).to_have_text(source_text(sentence))
    expect(page.get_by_role("button", name="Translate")).to_have_attribute("aria-busy", "false")


def source_text(sentence: str) -> re.Pattern[str]:
    """How the source's tokens read in one line: spaces are marks, and the end is marked too."""
    return re.compile(re.escape(re.sub(r"\s+", "␣", sentence.strip())) + "</s>$")


def show_kind(page: Page, kind: Kind) -> None:
    """The matrix of this kind, where there is a choice; with the keyboard as it was."""
    switch = kinds(page).get_by_role("button", name=TITLES[kind], exact=True)
    if switch.is_visible() and switch.get_attribute("aria-pressed") == "false":
        switch.click()


def from_menu(page: Page, item: str, kind: Kind = "cross") -> None:
    """Opens a panel's menu, and does one of the things in it."""
    show_kind(page, kind)
    page.get_by_role("button", name=f"More: {TITLES[kind]}").click()
    page.get_by_role("button", name=item, exact=True).click()


def leave_box(page: Page) -> None:
    page.get_by_role("heading", name="Headlight").click()


def status(page: Page) -> str:
    return page.get_by_role("status", name="Step status").inner_text()


def settle(page: Page) -> None:
    """Two frames: who waits to be seen, or for another size, has been told and has painted."""
    page.evaluate(
        "() => new Promise((go) => requestAnimationFrame(() => requestAnimationFrame(go)))"
    )


def cell(matrix: Locator, queries: int, keys: int, query: int, key: int) -> tuple[float, float]:
    """The middle of a cell, in CSS pixels from the matrix's corner."""
    box = matrix.bounding_box()
    assert box
    return (key + 0.5) * box["width"] / keys, (query + 0.5) * box["height"] / queries


def canvas_cells(matrix: Locator, queries: int, keys: int) -> list[list[list[list[int]]]]:
    """The colours of pixels across the middle of every cell, [query][key][pixel][rgb]."""
    settle(matrix.page)
    cells = matrix.evaluate(
        """(canvas, [queries, keys]) => {
            const copy = new OffscreenCanvas(canvas.width, canvas.height);
            const context = copy.getContext("2d", { willReadFrequently: true });
            context.drawImage(canvas, 0, 0);
            const [width, height] = [canvas.width / keys, canvas.height / queries];
            const pixels = (query, key) => {
                const [x, y] = [(key + 0.25) * width, (query + 0.5) * height];
                const { data } = context.getImageData(x, y, Math.ceil(width / 2), 1);
                const pixel = (i) => [...data.slice(4 * i, 4 * i + 3)];
                return Array.from({ length: data.length / 4 }, (_, i) => pixel(i));
            };
            return JSON.stringify(Array.from({ length: queries }, (_, query) =>
                Array.from({ length: keys }, (_, key) => pixels(query, key))));
        }""",
        [queries, keys],
    )
    return json.loads(cells)  # Playwright itself takes seconds for so many numbers


def module_address(page: Page, name: str) -> str:
    """Where a module of assets/ can be had by itself: the page has all of them in one piece."""
    joined = page.locator("script[src*='/joined/']")
    return joined.evaluate("(script, name) => new URL(`../${name}`, script.src).href", name)


def color_module(page: Page, script: str) -> list[list[int]]:
    """What a function of draw/color.js and of 256 `levels` returns."""
    colors = page.evaluate(
        f"""async (address) => {{
            const levels = Array.from({{ length: 256 }}, (_, i) => i);
            const use = {script};
            return JSON.stringify(use(await import(address)));
        }}""",
        module_address(page, "draw/color.js"),
    )
    return json.loads(colors)


def kinds(page: Page) -> Locator:
    """The choice of a kind of attention, in any language."""
    return page.locator(".kinds [role=group]").first


def plot(figure: Locator) -> Locator:
    """What scrolls in a matrix or a map: its cells, under and beside their labels."""
    return figure.locator(".plot")


def axes(part: Page | Locator, side: str = "") -> Locator:
    """Where labels stand along cells: "columns", "rows", the nearer "rows.second", or all."""
    return part.locator(f".axis.{side}" if side else ".axis")


def labels(part: Page | Locator, side: str, which: str = "label") -> Locator:
    """An axis's labels, or those that are "current", "ahead", "under" the pointer or "turned"."""
    return axes(part, side).locator(f".{which}")


def head_title(part: Page | Locator) -> Locator:
    """Which head a large matrix shows, and what it does."""
    return part.locator(".head-title")


def tip(part: Page | Locator) -> Locator:
    """What is said of the cell that is pointed at."""
    return part.locator(".tip")


def lit_rows(page: Page) -> Locator:
    """Both rows of words, and the light between them."""
    return page.locator(".lit-rows")


def light(page: Page) -> Locator:
    """The canvas between the rows of words."""
    return page.locator("canvas.light")


def sentence(page: Page) -> Locator:
    """What the picture shows at this step, in a sentence below the words."""
    return page.locator(".beam > .sentence")


def translation(page: Page | FrameLocator) -> Locator:
    """What the model wrote, or how it went on."""
    return page.locator("output.translation")


def formula_lines(part: Page | Locator) -> Locator:
    """Equations with their numbers, a line each."""
    return part.locator(".formula")


def folded(part: Page | Locator) -> Locator:
    """What opens the views that few people come for."""
    return part.locator(".folded-view > summary")


def why(page: Page) -> Locator:
    """What each word says for the token of this step, in any language."""
    return page.locator("section[aria-labelledby=why-title]")


def agreement(part: Locator) -> Locator:
    """Beside each row of a reading, how far it agrees with what is lost without a word."""
    return part.locator(".beside-rows .agreement")


def violations(page: Page, part: str | None = None, *, colors: bool = True) -> list[str]:
    """What axe-core finds serious or worse, one line each; of one `part` of the page, if named.

    Contrasts take most of its time; where others have looked at the same `colors`, they can be
    left out.
    """
    options = {"resultTypes": ["violations"], "rules": {"color-contrast": {"enabled": colors}}}
    if page.evaluate("!window.axe"):
        page.evaluate(Axe().axe_script)
    issues = page.evaluate(
        "([part, options]) => axe.run(part ?? document, options).then((it) => it.violations)",
        [part, options],
    )
    return [
        f"{violation['id']}: {node['target']} {node.get('failureSummary', '')}"
        for violation in issues
        if violation["impact"] in ("serious", "critical")
        for node in violation["nodes"]
    ]


def change_theme(page: Page) -> None:
    """From light to dark, or back, by the English page's button."""
    page.get_by_role("button", name=re.compile("^(Light|Dark) theme$")).click()


def figure(page: Page, kind: Kind = "cross") -> Locator:
    return page.get_by_role("figure", name=TITLES[kind], exact=True)


def choose(page: Page, kind: Kind, name: str, **options: object) -> None:
    show_kind(page, kind)
    tile = figure(page, kind).get_by_role("grid", name="All heads")
    tile.get_by_role("gridcell", name=name, exact=True).click(**options)  # pyright: ignore


def titles(page: Page) -> list[str]:
    return [
        (image.get_attribute("aria-label") or "").removeprefix("Cross-attention, ")
        for image in figure(page).get_by_role("img").all()
    ]


def marked(matrix: Locator, color: str, side: str) -> list[int]:
    """Which pixels along one side of a matrix have this colour of the theme's."""
    settle(matrix.page)
    return matrix.evaluate(
        """(canvas, [color, side]) => {
            const hex = getComputedStyle(canvas).getPropertyValue(color);
            const { width, height } = canvas;
            const along = side === "top" || side === "bottom";
            const [x, y] = [side === "right" ? width - 1 : 0, side === "bottom" ? height - 1 : 0];
            const copy = new OffscreenCanvas(width, height);
            const context = copy.getContext("2d", { willReadFrequently: true });
            context.drawImage(canvas, 0, 0);
            const { data } = context.getImageData(x, y, along ? width : 1, along ? 1 : height);
            return [...Array(along ? width : height).keys()].filter(
              (i) =>
                "#" + [0, 1, 2].map((j) => data[4 * i + j].toString(16).padStart(2, "0")).join("")
                === hex,
            );
        }""",
        [color, side],
    )


def panel(page: Page, name: str) -> Locator:
    """An open tab's, scrolled to: what it shows is made once it is seen."""
    tabpanel = page.get_by_role("tabpanel", name=name)
    tabpanel.scroll_into_view_if_needed()
    return tabpanel


def number(text: str) -> float:
    """The first in a text as the English page writes it; NaN if there is none."""
    match = re.search(r"-?\d+(\.\d+)?", text.replace("−", "-"))
    return float(match[0]) if match else float("nan")


DROP = """([name, base64]) => {
    const transfer = new DataTransfer();
    const bytes = Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
    transfer.items.add(new File([bytes], name));
    for (const type of ["dragenter", "dragover", "drop"]) {
        const options = { dataTransfer: transfer, bubbles: true, cancelable: true };
        document.querySelector("main, body").dispatchEvent(new DragEvent(type, options));
    }
}"""


def drop(page: Page, name: str, content: bytes) -> None:
    """Drops a file onto the page."""
    page.evaluate(DROP, [name, base64.b64encode(content).decode()])


def matters(reading: npt.NDArray[Any], lost: npt.NDArray[Any]) -> tuple[int, int, str] | None:
    """How many words that matter are among a reading's first, of how many; if it agrees."""
    if lost.max() < 0.1:
        return None
    count = int((lost >= max(0.1, 0.1 * lost.max())).sum())
    order, own = (-lost).argsort(), (-reading).argsort()
    shared = len({*order[:count]} & {*own[:count]})
    return shared, count, "=" if order[0] == own[0] and shared >= count / 2 else "≠"
