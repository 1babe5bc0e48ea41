"""Where what came along with the code lies: the viewer, the models, what they were trained on."""

from importlib.util import find_spec
from pathlib import Path

PACKAGE = Path(__file__).resolve().parents[1]

MODELS = "headlight_models"
"""The package of the distribution that has the models; there may be none."""


def came_along(name: str) -> Path:
    """The folder `assets`, `checkpoints` or `corpora`: beside the package, or in one.

    Of models that are not installed, a folder that is not there.
    """
    if not is_installation():
        return PACKAGE.parent / name
    return (PACKAGE if name == "assets" else _models()) / name


def is_installation() -> bool:
    """Whether the package is installed as a wheel has it, with the viewer inside."""
    return (PACKAGE / "assets").is_dir()


def _models() -> Path:
    spec = find_spec(MODELS)
    folders = None if spec is None else spec.submodule_search_locations
    return Path(folders[0]) if folders else PACKAGE
