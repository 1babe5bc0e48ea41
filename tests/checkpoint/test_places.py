"""Where models are looked for, also by who has no home."""

from pathlib import Path

import pytest

from transformer.checkpoint.places import available, checkpoints_folder, downloads_folder


def test_who_has_no_home_has_the_models_that_came_along(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("HEADLIGHT_DATA", "HEADLIGHT_CHECKPOINTS", "XDG_DATA_HOME", "LOCALAPPDATA"):
        monkeypatch.delenv(name, raising=False)

    def homeless() -> Path:
        raise RuntimeError("Could not determine home directory.")

    monkeypatch.setattr(Path, "home", homeless)
    assert downloads_folder() == checkpoints_folder()
    assert "en-zh" in available()
