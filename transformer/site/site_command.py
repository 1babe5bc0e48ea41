"""`python -m transformer site`: the viewer and models as static files, or as one that lives."""

import argparse
import webbrowser
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from .. import checkpoint
from .chosen import is_readable
from .contents import contents_of
from .folder import write_file, write_folder

IN_A_FILE = ["reverse"]
"""The models of a single file where nobody names one: with en-zh it has 28 MB."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of `site`."""
    parser.add_argument("target", type=Path, help="a folder; or a file that ends in .html")
    parser.add_argument(
        "--models",
        nargs="+",
        metavar="NAME",
        help="which come along [all that can; in a file: reverse]",
    )
    parser.add_argument(
        "--serve", action="store_true", help="then open it, from a plain server on this machine"
    )


def run(args: argparse.Namespace) -> None:
    """Writes the site, and says what it weighs.

    Raises:
        HeadlightError: a model cannot come along, or something else is in the folder.
    """
    single = args.target.suffix.lower() == ".html"
    names = args.models or (IN_A_FILE if single else _all())
    contents = contents_of(names)
    if single:
        write_file(args.target, contents)
        print(f"{args.target}: {args.target.stat().st_size / 1e6:.1f} MB, {', '.join(names)}")
        return
    write_folder(args.target, contents)
    size = sum(path.stat().st_size for path in args.target.rglob("*") if path.is_file())
    print(f"{args.target}: {size / 1e6:.1f} MB, {', '.join(names)}")
    if args.serve:
        _serve(args.target)


def _all() -> list[str]:
    return [name for name in checkpoint.available() if is_readable(checkpoint.find(name))]


def _serve(folder: Path) -> None:
    class Quiet(SimpleHTTPRequestHandler):
        def log_message(self, format: str, *args: object) -> None:
            """Says nothing of every file."""

    with ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=folder)) as server:
        address = f"http://127.0.0.1:{server.server_address[1]}/"
        print(f"{address} (Ctrl-C ends it)")
        webbrowser.open(address)
        server.serve_forever()
