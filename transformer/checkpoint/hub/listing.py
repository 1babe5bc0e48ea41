"""What the hub says of a model before anything of it is fetched."""

import re
from collections.abc import Collection, Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, cast

from ...errors import HeadlightError
from ..folder import CONFIG
from ..foreign_weights import PICKLED
from ..other_forms import WHOLE, other_form
from ..pickled import why_unread
from ..weights import INDEX, SHARD, WEIGHTS
from .errors import SECONDS, endpoint, hub_errors, no_such_model, unknown_family, unreachable

NAME = r"[\w.-]+/[\w.-]+"

CONVERTER, CONVERSION = "SFconvertbot", "Adding `safetensors` variant of this model"
"""The account that opens the hub's own conversions, and their title."""


@dataclass(frozen=True)
class File:
    """One file on the hub, in one state.

    Attributes:
        name: within the model.
        size: in bytes.
        revision: the commit that it is taken from.
        sha256: of its content; empty for a small file, of which the hub tells none.
        blob: of a small file what Git calls it, which is a hash, too; may be empty.
    """

    name: str
    size: int
    revision: str
    sha256: str = ""
    blob: str = ""


@dataclass(frozen=True)
class Listing:
    """What there is to know of a model before it is fetched.

    Attributes:
        name: on the hub.
        revision: its commit.
        license: as its card names it; may be empty.
        files: what an import needs, the weights last.
    """

    name: str
    revision: str
    license: str
    files: tuple[File, ...]

    @property
    def size(self) -> int:
        """All bytes to fetch."""
        return sum(file.size for file in self.files)

    @property
    def weights(self) -> File:
        """The file of weights; or the index of their shards, which come after it."""
        return next(file for file in self.files if file.name in WHOLE)


def look_up(
    name: str, families: Mapping[str, Collection[str]], revision: str | None = None
) -> Listing:
    """Asks the hub what it has of a model.

    Weights are taken from the first that there is: safetensors or their shards, the hub's own
    conversion to them (a pull request that nobody merged), PyTorch's pickle.

    Args:
        name: such as Helsinki-NLP/opus-mt-en-zh.
        families: by type of model, the files that an import reads beside the weights. Nothing else
            is fetched: no name leaves its folder. Of a model that the hub tells no type of, the
            first's.
        revision: a branch, a commit or a pull request; then nothing else is looked at.
    Raises:
        HeadlightError: there is no such model, it is of no such family, or the hub is out of reach.
    """
    if not re.fullmatch(NAME, name):
        raise no_such_model(name, "a name is an owner's and a model's, such as Helsinki-NLP/opus")
    with hub_errors(name):
        info = api().model_info(name, revision=revision, files_metadata=True, timeout=SECONDS)
        files = files_of(info)
    if form := other_form(files):
        raise unknown_family(name, form)
    config = cast(dict[str, Any], info.config if isinstance(info.config, dict) else {})
    kind = config.get("model_type", next(iter(families)))
    if not isinstance(kind, str) or kind not in families:
        raise unknown_family(name, f"a model of type {kind!r}")
    weights = files.get(WEIGHTS) or files.get(INDEX)
    if not weights and not revision:
        # A repository may have closed its discussions.
        with suppress(HeadlightError):
            weights = _converted(name, files.get(PICKLED))
    weights = weights or files.get(PICKLED)
    if not weights or CONFIG not in files:
        raise unknown_family(name, f"it has no {CONFIG}, or neither {WEIGHTS} nor {PICKLED}")
    if weights.name == PICKLED and (reason := why_unread()):
        raise unknown_family(name, f"of its weights there is a pickle alone, and {reason}")
    texts = (files[file] for file in families[kind] if file in files)
    license = getattr(info.card_data, "license", "")
    license = license if isinstance(license, str) else ""
    sharded = weights.name == INDEX
    shards = (files[file] for file in sorted(files) if sharded and SHARD.fullmatch(file))
    return Listing(name, str(info.sha), license, (*texts, weights, *shards))


def _converted(name: str, pickled: File | None) -> File | None:
    """The weights of the hub's own conversion, if it was made of the weights that there are now."""
    hub = api()
    with hub_errors(name):
        requests = hub.get_repo_discussions(
            name, author=CONVERTER, discussion_type="pull_request", discussion_status="open"
        )
        for request in requests:
            # Anybody can open one under this title.
            if (request.author, request.title) != (CONVERTER, CONVERSION):
                continue
            revision = f"refs/pr/{request.num}"
            info = hub.model_info(name, revision=revision, files_metadata=True, timeout=SECONDS)
            files = files_of(info)
            before = files.get(PICKLED)
            if WEIGHTS in files and pickled and before and before.sha256 == pickled.sha256:
                return files[WEIGHTS]
    return None


def files_of(info: Any) -> dict[str, File]:
    """The files of a model, by name, as the hub tells them."""
    # It names a folder here.
    if not re.fullmatch("[0-9a-f]{40}", str(info.sha)):
        raise unreachable(info.id, f"its commit is called {info.sha!r}")
    return {file.rfilename: _file(file, str(info.sha)) for file in info.siblings or ()}


def _file(sibling: Any, revision: str) -> File:
    """What the hub tells of one file.

    Raises:
        ValueError: it tells what cannot be.
    """
    size, sha256 = sibling.size or 0, sibling.lfs.sha256 if sibling.lfs else ""
    blob = "" if sibling.lfs else sibling.blob_id or ""
    texts = (sibling.rfilename, sha256, blob)
    if type(size) is not int or size < 0 or not all(isinstance(text, str) for text in texts):
        raise ValueError("a file without name, size or hash")
    return File(sibling.rfilename, size, revision, sha256, blob)


def api() -> Any:
    """The client that asks the hub."""
    from huggingface_hub import HfApi

    return HfApi(endpoint=endpoint())
