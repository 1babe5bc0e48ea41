"""The pages of a site: its first bytes, what keeps it for later, and the file that holds it all."""

import base64
import html
import json
from collections.abc import Iterator
from pathlib import Path

from ..show.head import PAPER, manifest_json, preload_links
from ..show.replay import ICON, script_json, viewer_files
from ..show.viewer import script
from ..texts import template
from .contents import FROM_DISK, REPLAY, Contents

DESCRIPTION = manifest_json("")["description"]
OTHERWISE = "Headlight computes in your browser, where JavaScript is switched off."

# Nothing is asked of anybody but the folder. The engine brings a function for WebAssembly.
INDEX = template("transformer.site", "index.html")

# The same, with everything in it: opened from a disk, it may fetch nothing at all.
FILE = template("transformer.site", "file.html")


def index_html(contents: Contents) -> str:
    """The page of a folder; the files that it names lie in a folder of the build's name."""
    return INDEX.substitute(
        description=html.escape(DESCRIPTION),
        paper=PAPER,
        build=contents.build,
        links=preload_links(contents.build, "site"),
        otherwise=OTHERWISE,
        from_disk=FROM_DISK,
        late="".join(_unreachable(contents)),
    )


def _unreachable(contents: Contents) -> Iterator[str]:
    """Shown where the page's own files do not come, in every language: nobody knows which yet."""
    for path, content in contents.texts.items():
        if path.startswith("locales/"):
            texts: dict[str, str] = json.loads(content)
            for key, place in (("error.file_unreachable", "web"), ("error.from_disk", "disk")):
                text = html.escape(texts.get(key, ""))
                yield f'<p lang="{Path(path).stem}" class="{place}">{text}</p>'


def service_worker(contents: Contents) -> str:
    """What keeps the page for when there is no network."""
    needed = [path for path in contents.texts if not path.startswith(("answers/", REPLAY))]
    core = ["./", "manifest.json", *(f"{contents.build}/{path}" for path in [*needed, ICON])]
    models = [model.folder for model in contents.models]
    build = json.dumps({"build": contents.build, "core": core, "models": models})
    return f"globalThis.HEADLIGHT_BUILD = {build};\n" + script(
        "site/service_worker.js", classic=True
    )


def file_html(contents: Contents) -> str:
    """A site as one file: it answers from a disk as it does from the web."""
    inlined = ("joined/site.js", "joined/viewer.css", FROM_DISK)
    carried = {
        # JSON as it is; what is not, as a text in JSON, in which no tag can end.
        path: script_json(json.loads(text) if path.endswith(".json") else text.decode())
        for path, text in contents.texts.items()
        if path not in inlined and not path.startswith("locales/")
    }
    for model in contents.models:
        for name, content in model.files.items():
            carried[model.path(name)] = base64.b64encode(content).decode("ascii")
    files = viewer_files()
    return FILE.substitute(
        description=html.escape(DESCRIPTION),
        icon=files["favicon.svg"],
        styles=contents.texts["joined/viewer.css"].decode(),
        files=script_json(files),
        script=contents.texts["joined/site.js"].decode(),
        otherwise=OTHERWISE,
        carried="\n".join(
            f'<script type="application/json" id="headlight:{path}">{content}</script>'
            for path, content in carried.items()
        ),
    )
