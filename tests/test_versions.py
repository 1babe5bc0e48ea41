import re
from pathlib import Path
from typing import Any

from setuptools.config.pyprojecttoml import read_configuration

ROOT = Path(__file__).resolve().parent.parent
PROJECT: dict[str, Any] = read_configuration(ROOT / "pyproject.toml", expand=False)["project"]
EXTRAS: dict[str, list[str]] = PROJECT["optional-dependencies"]


def names(requirements: list[str]) -> set[str]:
    return {re.split(r"[^\w-]", line)[0].lower() for line in requirements}


def test_every_requirement_is_pinned() -> None:
    """What is required but not locked would be installed in any version."""
    lock = (ROOT / "requirements" / "lock.txt").read_text()
    locked = set(re.findall(r"^([a-z0-9-]+)==", lock, re.MULTILINE))
    required = names([*PROJECT["dependencies"], *(it for extra in EXTRAS.values() for it in extra)])
    assert "torch" in required
    assert required - {PROJECT["name"]} <= locked


def test_to_draw_needs_numpy_alone() -> None:
    assert names(PROJECT["dependencies"]) == {"numpy"}


def test_a_space_reads_what_the_app_needs() -> None:
    lines = (ROOT / "requirements.txt").read_text().splitlines()
    assert EXTRAS["app"] == [line for line in lines if line and not line.startswith("#")]
