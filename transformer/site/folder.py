"""Writing a site where a person wants it, without harm to what is there."""

import json
from pathlib import Path

from ..checkpoint.whole import staged_folder, write_whole
from ..errors import HeadlightError
from ..show.head import manifest_json
from ..texts import template
from .contents import Contents
from .page import file_html, index_html, service_worker

MARK = ".headlight-site"
"""Says that a folder was written here, and so may be written anew."""

SPACE = template("transformer.site", "space.md")
"""The card of a static Space on Hugging Face."""


def write_folder(folder: Path, contents: Contents) -> None:
    """Writes a site into a folder of its own; an earlier site in it is replaced whole.

    Raises:
        HeadlightError: there is something else in the folder, or it is the current one.
    """
    if folder.resolve() == Path.cwd():
        raise HeadlightError(
            "not_empty", "the folder that you are in cannot be replaced: name it from outside"
        )
    there = folder.exists() and (not folder.is_dir() or any(folder.iterdir()))
    if there and not (folder / MARK).is_file():
        raise HeadlightError(
            "not_empty", f"{folder} holds something else than a site: name another folder"
        )
    with staged_folder(folder) as staging:
        for path, content in _files(contents).items():
            (staging / path).parent.mkdir(parents=True, exist_ok=True)
            (staging / path).write_bytes(content)


def write_file(path: Path, contents: Contents) -> None:
    """Writes a site as one file."""
    path.parent.mkdir(parents=True, exist_ok=True)
    write_whole(path, file_html(contents).encode())


def _files(contents: Contents) -> dict[str, bytes]:
    build = contents.build
    files = {f"{build}/{path}": text for path, text in contents.texts.items()}
    files |= {f"{build}/{path}": picture for path, picture in contents.pictures.items()}
    for model in contents.models:
        for name, content in model.files.items():
            files[model.path(name).removeprefix("../")] = content
    manifest = json.dumps(manifest_json(build), ensure_ascii=False)
    return files | {
        "index.html": index_html(contents).encode(),
        "manifest.json": manifest.encode(),
        "service-worker.js": service_worker(contents).encode(),
        "README.md": SPACE.template.encode(),
        MARK: b"",
        ".nojekyll": b"",  # or GitHub Pages would look through every file
    }
