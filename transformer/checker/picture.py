"""A report as a page for a notebook: the findings, and what each position can see, measured.

Plain HTML and SVG that ask for nothing from outside; everything that a module says is text.
"""

from collections.abc import Callable, Sequence
from html import escape

from .results import Recorded, Results, Seen
from .wording import Words

CELL, MARGIN = 22, 34
MAX_TABLES = 24  # attention tables in one page
STYLE = (
    "<style>.hl-check{font:14px/1.5 system-ui,sans-serif;max-width:60em}"
    ".hl-check figure{display:inline-block;margin:0 1.5em 1em 0;vertical-align:top}"
    ".hl-check figcaption{max-width:20em;font-size:.85em}"
    ".hl-check svg{color:inherit}.hl-check code{font-weight:600}"
    ".hl-check .hl-error{border-left:4px solid #c62828;padding-left:.7em}"
    ".hl-check .hl-advice{border-left:4px solid #b26a00;padding-left:.7em}</style>"
)
HATCH = (
    '<defs><pattern id="hl-hatch" width="6" height="6" patternUnits="userSpaceOnUse" '
    'patternTransform="rotate(45)"><rect width="6" height="6" fill="#8884"/>'
    '<line x1="0" y1="0" x2="0" y2="6" stroke="#888" stroke-width="1.5"/></pattern></defs>'
)


def page(results: Results) -> str:
    """The whole report as one piece of HTML."""
    words = Words(results.language)
    parts = [STYLE, f"<h3>{escape(words.text('title', model=results.model))}</h3>"]
    parts.append(f"<p>{escape(words.headline(results))}</p>")
    parts += [
        f'<div class="hl-{finding.severity}"><p><code>{escape(finding.code)}</code> '
        f"{escape(finding.sentence)}<br>{escape(finding.evidence)}<br>"
        f"→ {escape(finding.hint)}</p></div>"
        for finding in results.findings
    ]
    if results.unknown:
        unknown = ", ".join(f"<code>{escape(code)}</code>" for code in results.unknown)
        parts.append(f"<p>{escape(words.text('unknown'))} {unknown}</p>")
    problems = words.text("problems")
    parts += [f"<p>{escape(problems)} {escape(problem)}</p>" for problem in results.problems]
    parts += [_seen(seen, words) for seen in results.seen]
    tables = [_attention(recorded, words) for recorded in results.attention]
    flat = [figure for figures in tables for figure in figures][:MAX_TABLES]
    if flat:
        parts.append(f"<h4>{escape(words.text('attention'))}</h4>{''.join(flat)}")
    return f'<div class="hl-check">{"".join(parts)}</div>'


def _seen(seen: Seen, words: Words) -> str:
    largest = max((x for row in seen.change for x in row), default=0.0) or 1.0

    def tip(row: int, column: int) -> str:
        change = seen.change[row][column]
        name = "seen_cell" if change else "hidden_cell"
        token = seen.tokens[column]
        return words.text(
            name, token=column + 1, id=token, position=row + 1, change=f"{change:.3g}"
        )

    shares = [[x / largest for x in row] for row in seen.change]
    drawing = _table(shares, [str(i) for i in seen.positions], [str(i) for i in seen.tokens], tip)
    return _figure(drawing, words.text(f"seen_{seen.side}"))


def _attention(recorded: Recorded, words: Words) -> list[str]:
    figures: list[str] = []
    for head, weights in enumerate(recorded.weights):

        def tip(row: int, column: int, weights: Sequence[Sequence[float]] = weights) -> str:
            weight = weights[row][column]
            name = "weight_cell" if weight else "masked_cell"
            return words.text(name, query=row + 1, key=column + 1, weight=f"{weight:.3f}")

        rows = [str(i + 1) for i in range(len(weights))]
        columns = [str(i + 1) for i in range(len(weights[0]) if weights else 0)]
        caption = words.text(
            "attention_of",
            place=recorded.place or words.text("whole_model"),
            kind=words.text(recorded.kind),
            layer=recorded.layer,
            head=head + 1,
        )
        figures.append(_figure(_table(weights, rows, columns, tip), caption))
    return figures


def _figure(drawing: str, caption: str) -> str:
    return f"<figure>{drawing}<figcaption>{escape(caption)}</figcaption></figure>"


def _table(
    shares: Sequence[Sequence[float]],
    rows: list[str],
    columns: list[str],
    tip: Callable[[int, int], str],
) -> str:
    """A table of numbers from 0 to 1 as SVG; cells of exactly 0 are hatched."""
    width, height = MARGIN + CELL * len(columns), MARGIN + CELL * len(rows)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" role="img" '
        f'viewBox="0 0 {width} {height}" font-size="9" fill="currentColor">{HATCH}'
    ]
    for column, label in enumerate(columns):
        x = MARGIN + CELL * column + CELL / 2
        parts.append(f'<text x="{x}" y="{MARGIN - 6}" text-anchor="middle">{escape(label)}</text>')
    for row, label in enumerate(rows):
        y = MARGIN + CELL * row + CELL / 2 + 3
        parts.append(f'<text x="{MARGIN - 5}" y="{y}" text-anchor="end">{escape(label)}</text>')
    for row, values in enumerate(shares):
        for column, value in enumerate(values):
            x, y = MARGIN + CELL * column, MARGIN + CELL * row
            share = min(max(value, 0.0), 1.0)
            fill = "url(#hl-hatch)" if value == 0 else "#1565c0"
            opacity = 1.0 if value == 0 else 0.12 + 0.88 * share
            parts.append(
                f'<rect x="{x}" y="{y}" width="{CELL - 1}" height="{CELL - 1}" fill="{fill}" '
                f'fill-opacity="{opacity:.2f}"><title>{escape(tip(row, column))}</title></rect>'
            )
    return "".join([*parts, "</svg>"])
