"""Where what came along with the code lies: the viewer, the models, what they were trained on."""

from pathlib import Path

PACKAGE = Path(__file__).resolve().parents[1]


def came_along(name: str) -> Path:
    """The folder `assets`, `checkpoints` or `corpora`: beside the package, or in an installed one."""
    return (PACKAGE if is_installation() else PACKAGE.parent) / name


def is_installation() -> bool:
    """Whether the package is installed as a wheel has it, with its models inside."""
    return (PACKAGE / "checkpoints").is_dir()
