"""The worksheet to print: one page of questions beside pictures, and one of answers.

    python scripts/worksheet.py

writes docs/worksheet.pdf, docs/worksheet.zh.pdf and docs/worksheet.fr.pdf; the texts lie in
worksheet.json.
"""

import json
import sys
from collections.abc import Sequence
from html import escape
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, sync_playwright

sys.path.insert(0, str(Path(__file__).parents[1]))

from scripts.browser import find_chromium
from transformer import Translator
from transformer.trace.head_names import parse_head
from transformer.trace.trace import AttentionTrace

ROOT = Path(__file__).parents[1]
FILES = {
    "en": ROOT / "docs/worksheet.pdf",
    "zh": ROOT / "docs/worksheet.zh.pdf",
    "fr": ROOT / "docs/worksheet.fr.pdf",
}
WORD, LAYER, HEAD, LEFT_OUT = "star", 1, 3, 1
"""What `reverse` reads, the head that is shown, and the row that students shade."""
REPEATED, AGAIN = "planetpla", 9
"""What `repeat` goes on from, and the row of its induction head that students shade."""

STYLE = """
@page { size: A4; margin: 12mm 15mm }
body { font: 10pt/1.38 "DejaVu Sans", "Noto Sans CJK SC", sans-serif; color: #111; margin: 0 }
section { break-after: page }
section:last-child { break-after: auto }
header { display: flex; justify-content: space-between; align-items: baseline; margin-bottom: 2mm }
h1 { font-size: 17pt; margin: 0 }
article { display: grid; grid-template-columns: 78mm 1fr; gap: 7mm; align-items: center;
  padding: 1.4mm 0; border-top: 0.3mm solid #999; break-inside: avoid }
h2 { font-size: 11.5pt; margin: 0 0 1mm }
p { margin: 0 }
table { border-collapse: collapse; display: inline-table; margin-right: 3mm; vertical-align: top }
td, th { border: 0.2mm solid #888; min-width: 6.2mm; height: 6.2mm; padding: 0 1mm;
  text-align: center;
  font-weight: normal; font-size: 9.5pt }
th { border: 0 }
.wide td { min-width: 8mm }
.narrow { margin: 0 }
.narrow td { min-width: 3.6mm; padding: 0 0.4mm; font-size: 8.5pt }
.mask { white-space: nowrap; margin-right: 1mm }
.mask table { margin: 0 }
.mask td { min-width: 4mm; width: 4mm; height: 4mm; padding: 0 }
.mask td.axis { border: 0; font-size: 6pt; width: auto; min-width: 0; color: #555 }
.mask svg { display: block; width: 4.4mm; height: 4.4mm; stroke: #555; stroke-width: 1 }
.answer { color: #b00020; font-weight: 600 }
.small { font-size: 8.5pt; color: #555 }
.line { display: inline-block; width: 55mm; border-bottom: 0.3mm solid #555 }
.line.short { width: 22mm }
* { print-color-adjust: exact }
"""

# Lines, not a gradient: that would be printed as a large picture.
HATCH = '<svg viewBox="0 0 8 8"><path d="M0 8L8 0M0 4L4 0M4 8L8 4"/></svg>'

Cell = tuple[str, str]
"""A cell's text, and its class or style as HTML."""


def page(language: str, trace: AttentionTrace, repeating: AttentionTrace) -> str:
    """Both pages as HTML.

    Args:
        language: "en", "zh" or "fr".
        trace: of `WORD`.
        repeating: of `REPEATED`.
    """
    texts: dict[str, Any] = json.loads(
        Path(__file__).with_suffix(".json").read_text(encoding="utf-8")
    )[language]
    parts: list[str] = []
    for solved in (False, True):
        title = texts["answers" if solved else "title"]
        right = texts["source"] if solved else _head_line(texts["head"])
        parts.append(f"<section><header><h1>{title}</h1><span class=small>{right}</span></header>")
        for number, question in enumerate(texts["questions"], 1):
            drawn = picture(question["picture"], texts, trace, repeating, solved)
            text = escape(question["answer" if solved else "ask"])
            parts.append(
                f"<article><div>{drawn}</div><div><h2>{number}. {escape(question['title'])}</h2>"
                f"<p>{text}</p></div></article>"
            )
        parts.append("</section>")
    return (
        f'<!doctype html><html lang="{language}"><meta charset="utf-8"><title>{texts["title"]}'
        f"</title><style>{STYLE}</style>{''.join(parts)}</html>"
    )


def _head_line(fields: Sequence[str]) -> str:
    """Blanks for whoever fills the sheet in, as schools of the language ask it."""
    wide = "line" if len(fields) == 1 else "line short"
    return " ".join(f"{field} <span class='{wide}'></span>" for field in fields)


def picture(
    name: str,
    texts: dict[str, Any],
    trace: AttentionTrace,
    repeating: AttentionTrace,
    solved: bool,
) -> str:
    """What stands beside a question, or beside its answer."""
    words: dict[str, str] = texts["words"]
    match name:
        case "cross":
            return _cross(trace, words, solved) + f"<p class=small>{texts['legend']}</p>"
        case "induction":
            return _induction(repeating, words, solved)
        case "vectors":
            rows = [
                ("q", "1 1 1 1", ""),
                ("k₁", "1 1 1 1", "v₁ = 10"),
                ("k₂", "1 −1 1 −1", "v₂ = 0"),
            ]
            return _table([[(n, ""), *((x, "") for x in v.split()), (o, "")] for n, v, o in rows])
        case "masks":
            return _masks(solved)
        case "shift":
            reads = ["<s>", "r", "a", "t", "s", "</s>"]
            says = ["r", "a", "t", "s", "</s>", "□"]
            cells = [
                [
                    (words[word], ""),
                    *(
                        (token if solved or not i else "", _red(solved))
                        for i, token in enumerate(row)
                    ),
                ]
                for word, row in (("reads", reads), ("says", says))
            ]
            return "<p>&lt;s&gt; r a t s &lt;/s&gt; □</p>" + _table(cells)
        case "heads":
            rows = [[str(i) for i in range(first, first + 6)] for first in (1, 7)]
            shade = ("style='background:#bcd9f2'", "style='background:#f6d9a8'")
            return _table(
                [
                    [
                        (f"{words['position']} {place}", ""),
                        *((n, shade[i // 3] if solved else "") for i, n in enumerate(row)),
                    ]
                    for place, row in enumerate(rows, 1)
                ]
            )
        case _:
            people: list[str] = texts["people"]
            return _table([[(w, "") for w in people]], "wide") + _table(
                [[(w, "") for w in people[::-1]]], "wide"
            )


def _cross(trace: AttentionTrace, words: dict[str, str], solved: bool) -> str:
    assert trace.cross is not None
    head = trace.cross[LAYER, HEAD]
    rows: list[list[Cell]] = [
        [(words["reads"], ""), *((t, "") for t in trace.src), (words["writes"], "")]
    ]
    for place, (read, says) in enumerate(zip(trace.tgt_in, trace.tgt_out, strict=True)):
        shown = solved or place != LEFT_OUT
        cells = [
            ("", f"style='background:rgb(11 61 145 / {w:.2f})'" if shown else "")
            for w in head[place]
        ]
        rows.append([(read, ""), *cells, (says if solved else "", _red(solved))])
    return _table(rows)


def _induction(trace: AttentionTrace, words: dict[str, str], solved: bool) -> str:
    """The row of the head that looks up what came next before, whichever it is."""
    assert trace.decoder_self is not None
    assert trace.heads["decoder_self"].role == "induction"
    head = trace.decoder_self[parse_head(trace.heads["decoder_self"].head)]
    seen = trace.tgt_in[: AGAIN + 1]
    shades = [f"style='background:rgb(11 61 145 / {w:.2f})'" for w in head[AGAIN][: len(seen)]]
    return _table(
        [
            [(words["reads"], ""), *((token, "") for token in seen), (words["writes"], "")],
            [
                (trace.tgt_in[AGAIN], ""),
                *(("", shade if solved else "") for shade in shades),
                (trace.tgt_out[AGAIN] if solved else "", _red(solved)),
            ],
        ],
        "narrow",
    )


def _masks(solved: bool) -> str:
    def mask(
        rows: int, columns: Sequence[str], hidden: Sequence[tuple[int, int]], label: str
    ) -> str:
        # Which is row and which column stands at their ends.
        axis = "class=axis"
        cells: list[list[Cell]] = [[("q \\ k", axis), *((name, axis) for name in columns)]]
        cells += [
            [
                (str(row + 1), axis),
                *(
                    ("", "class=hidden" if (row, column) in hidden else "")
                    for column in range(len(columns))
                ),
            ]
            for row in range(rows)
        ]
        return f"<span class=mask>({label}) {_table(cells)}</span>"

    future = [(row, column) for row in range(4) for column in range(row + 1, 4)]
    padding = [(row, column) for row in range(4) for column in (4, 5)]
    past = [(column, row) for row, column in future]
    return (
        mask(4, "1234", future if solved else (), "a")
        + mask(4, ("I", "love", "you", "</s>", "□", "□"), padding if solved else (), "b")
        + mask(4, "1234", past, "c")
    )


def _red(solved: bool) -> str:
    return "class=answer" if solved else ""


def _table(rows: Sequence[Sequence[Cell]], kind: str = "") -> str:
    body = "".join(
        "<tr>"
        + "".join(
            f"<td {style}>{HATCH if 'hidden' in style else escape(text)}</td>"
            for text, style in row
        )
        + "</tr>"
        for row in rows
    )
    return f'<table class="{kind}">{body}</table>'


def printed(
    browser: Browser, language: str, trace: AttentionTrace, repeating: AttentionTrace
) -> bytes:
    """The two pages as a PDF."""
    sheet = browser.new_page()
    sheet.set_content(page(language, trace, repeating))
    content = sheet.pdf(prefer_css_page_size=True, print_background=True)
    sheet.close()
    return content


if __name__ == "__main__":
    trace = Translator.load("reverse").trace(WORD)
    repeating = Translator.load("repeat").trace(REPEATED)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=find_chromium())
        for language, file in FILES.items():
            file.write_bytes(printed(browser, language, trace, repeating))
        browser.close()
