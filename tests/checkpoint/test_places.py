"""Where models are looked for, also by who has no home; and how the environment names a folder."""

from pathlib import Path

import pytest

from transformer.__main__ import main
from transformer.checkpoint.places import (
    available,
    checkpoints_folder,
    downloads_folder,
    trained_folder,
)


@pytest.fixture(autouse=True)
def forget(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is named yet."""
    for name in ("HEADLIGHT_DATA", "HEADLIGHT_CHECKPOINTS", "XDG_DATA_HOME", "LOCALAPPDATA"):
        monkeypatch.delenv(name, raising=False)


def test_who_has_no_home_has_the_models_that_came_along(monkeypatch: pytest.MonkeyPatch) -> None:
    def homeless() -> Path:
        raise RuntimeError("Could not determine home directory.")

    monkeypatch.setattr(Path, "home", homeless)
    assert downloads_folder() == checkpoints_folder()
    assert "en-zh" in available()


def test_a_folder_of_the_environment_is_expanded_where_no_shell_does_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("USERPROFILE", str(tmp_path))
    monkeypatch.setenv("HEADLIGHT_DATA", "~/data")
    assert downloads_folder() == tmp_path / "data" / "checkpoints"
    monkeypatch.setenv("HEADLIGHT_DATA", "$HOME/data")
    assert downloads_folder() == tmp_path / "data" / "checkpoints"
    monkeypatch.setenv("HEADLIGHT_CHECKPOINTS", "~/models")
    assert checkpoints_folder() == downloads_folder() == trained_folder() == tmp_path / "models"


def test_what_is_trained_goes_where_what_is_imported_goes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert trained_folder() == checkpoints_folder()  # a clone's own, if nobody names another
    monkeypatch.setenv("HEADLIGHT_DATA", str(tmp_path))
    assert trained_folder() == downloads_folder() == tmp_path / "checkpoints"
    # Said before a night of training, not after it.
    assert main(["train", "en-zh", "--train", "no.tsv", "--dev", "no.tsv"]) == 2
    assert "en-zh is a model that came along" in capsys.readouterr().err
