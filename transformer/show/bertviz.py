"""BertViz's own head view and model view of a trace, as a page that needs no network.

BertViz is JavaScript that its Python fills in. That Python asks for transformers, boto3 and
IPython, and its page for a CDN; so the JavaScript is filled in here, as it lies in the installed
package, and d3 and jQuery come out of installed packages too.
"""

import json
import re
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path
from typing import Any, Literal, get_args

from ..errors import HeadlightError
from ..texts import template
from ..trace.kinds import Kind, key_tokens, query_tokens
from ..trace.trace import AttentionTrace

View = Literal["head", "model"]
Theme = Literal["light", "dark"]

MAX_TOKENS = 40
"""Six layers of eight heads then make 3.5 MB, which take a browser one or two seconds."""

PACKAGES = ("bertviz==1.4.1", "mpld3==0.5.12", "XStatic-jQuery==3.7.1.1")
"""d3 5.7.0, BertViz's own, is in mpld3's wheel. requirements/bertviz.txt lists the same."""

VIEWS = {view: ("bertviz", f"bertviz/{view}_view.js") for view in get_args(View)}
D3 = ("mpld3", "mpld3/js/d3.v5.min.js")
JQUERY = ("XStatic-jQuery", "xstatic/pkg/jquery/data/jquery.min.js")
"""Packages, and files of theirs."""

NAMES: dict[Kind, str] = {"encoder_self": "Encoder", "decoder_self": "Decoder", "cross": "Cross"}

# BertViz loads d3 and jQuery through require.js, under these two names and in this order. It draws
# some of its labels in black, whatever the theme, and its backgrounds in colours of its own, for
# which the page's stand here. The head view fills whatever width there is, though it draws 335
# pixels, or 20 for each head. The frame around the page is told when it can be asked for a kind and
# a layer, which are then chosen as by hand, and how large the drawing is.
PAGE = template("transformer.show", "bertviz.html")
THEMES = {
    "light": {"paper": "#fcfbf8", "ink": "#191d29", "wash": "#dfdcd3"},
    "dark": {"paper": "#11141d", "ink": "#eceef4", "wash": "#2c3242"},
}
"""Colours of the page's themes: its `--paper`, `--ink` and `--line`."""
OWN = {
    "light": {"own_paper": "white", "own_wash": "#F5F5F5"},
    "dark": {"own_paper": "black", "own_wash": "#222"},
}
"""BertViz's own, as its model view writes them into the drawing."""


def bertviz_html(trace: AttentionTrace, view: str, theme: str = "light") -> str:
    """A page of one of BertViz's views of a trace.

    Layers and heads are counted from 1, as on Headlight's page.

    Args:
        trace: at most 40 tokens on either side.
        view: "head" (one layer, the heads in colours) or "model" (all layers and heads).
        theme: "light" or "dark".
    Returns:
        A whole HTML page, its weights rounded to four digits. It asks no host for anything.
    Raises:
        HeadlightError: BertViz is not installed, or the trace is too long for it.
        ValueError: no such view or theme.
    """
    if view not in VIEWS or theme not in get_args(Theme):
        raise ValueError(f"there is no view {view!r} in theme {theme!r}")
    length = max(len(trace.src), len(trace.tgt_in))
    if length > MAX_TOKENS:
        raise HeadlightError(
            "bertviz_too_long",
            f"BertViz draws at most {MAX_TOKENS} tokens here; this trace has {length}.",
            length=length,
            limit=MAX_TOKENS,
        )
    script = _read(VIEWS[view])
    parameters = view_parameters(trace, theme)
    kinds = "".join(
        f'<option value="{i}" data-kind="{kind}">{NAMES[kind]}</option>'
        for i, (kind, _) in enumerate(trace.present())
    )
    selects = 'Layer: <select id="layer"></select> ' if view == "head" else ""
    if len(parameters["attention"]) > 1:
        selects += f'Attention: <select id="filter">{kinds}</select>'
    # No token may end the script.
    filled = json.dumps(parameters, separators=(",", ":")).replace("<", "\\u003c")
    return PAGE.substitute(
        THEMES[theme] | OWN[theme],
        theme=theme,
        num_heads=parameters["total_heads"],
        d3=_inline(_read(D3)),
        jquery=_inline(_read(JQUERY)),
        view=_inline(script).replace("PYTHON_PARAMS", filled, 1),
        selects=selects,
    )


def view_parameters(trace: AttentionTrace, theme: str) -> dict[str, Any]:
    """What BertViz's Python gives to the JavaScript of both views."""
    present = [*trace.present()]
    # It knows one number of layers and of heads for all kinds; a model with fewer decoder layers
    # than encoder layers shows that many of each.
    num_layers, num_heads = (min(weights.shape[axis] for _, weights in present) for axis in (0, 1))
    parts: list[dict[str, Any]] = [
        {
            "name": NAMES[kind],
            "attn": weights[:num_layers, :num_heads].astype(float).round(4).tolist(),
            "left_text": query_tokens(trace, kind),
            "right_text": key_tokens(trace, kind),
        }
        for kind, weights in present
    ]
    return {
        "attention": parts,
        "default_filter": "0",
        "display_mode": theme,
        "root_div_id": "bertviz",
        "layer": None,
        "heads": None,
        "include_layers": list(range(1, num_layers + 1)),
        "include_heads": list(range(1, num_heads + 1)),
        "total_heads": num_heads,
    }


def bertviz_installed() -> bool:
    """Whether its files are here: they are no dependency, so an installation may be without."""
    try:
        return all(_path(*file).is_file() for file in (D3, JQUERY, *VIEWS.values()))
    except PackageNotFoundError:
        return False


def _path(package: str, path: str) -> Path:
    """The path of a file of an installed package, which is not imported."""
    return Path(str(distribution(package).locate_file(path)))


def _read(file: tuple[str, str]) -> str:
    try:
        return _path(*file).read_text(encoding="utf-8")
    except (PackageNotFoundError, FileNotFoundError) as error:
        command = f"pip install --no-deps {' '.join(PACKAGES)}"
        raise HeadlightError(
            "bertviz_missing", f"BertViz is not installed here: {command}", command=command
        ) from error


def _inline(script: str) -> str:
    """JavaScript that can stand inside a script element."""
    return re.sub("</(script)", r"<\\/\1", script, flags=re.IGNORECASE)
