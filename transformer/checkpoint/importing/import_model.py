"""`import-marian`: a folder, or a name on the hub, becomes an installed checkpoint."""

import os
import re
from pathlib import Path

from ...errors import HeadlightError
from ..hub.listing import NAME
from ..hub.progress import Progress
from ..other_forms import not_a_folder
from ..places import new_folder
from .convert import install
from .download import download, storing


def import_model(
    source: str, name: str = "", revision: str | None = None, progress: Progress | None = None
) -> Path:
    """Installs a model of Hugging Face's, its weights rounded to float16.

    Args:
        source: a folder that Hugging Face's `save_pretrained` wrote, or a name on its hub.
        name: of the checkpoint; by default the last part of `source`.
        revision: on the hub: a branch, a commit or a pull request ("refs/pr/1").
        progress: told how far a download is.
    Returns:
        The checkpoint's folder.
    Raises:
        HeadlightError: there is no such model, it is of no family that we know, our Transformer
            cannot be it, or there already is a checkpoint of this name.
    """
    if Path(source).is_dir():
        target = new_folder(name or _text(Path(source).resolve().name))
        with storing(target.parent):
            install(Path(source), target, _text(source))
        return target
    if Path(source).is_file():
        raise not_a_folder(Path(source))
    if not re.fullmatch(NAME, source):
        raise HeadlightError(
            "no_such_model",
            f"{source} is neither a folder nor a name on the Hugging Face Hub, such as "
            "Helsinki-NLP/opus-mt-en-zh",
            model=source,
        )
    return download(source, name, revision, progress)


def _text(path: str) -> str:
    """A path as text, though its bytes may be none in the locale's encoding."""
    return os.fsencode(path).decode("utf-8", "replace")
